"""Attribute access to the locals of a launch context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class LaunchLocals:
    """The locals as attributes, read only."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.__values = values

    def __getattr__(self, name: str) -> Any:
        """Return the local called ``name``."""
        try:
            return self.__values[name]
        except KeyError:
            raise AttributeError(f"the launch context has no local '{name}'") from None
