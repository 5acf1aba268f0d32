"""Attribute access to the locals of a launch context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class LaunchLocals:
    """The locals as attributes, read only."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_values", values)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse: locals are added with ``context.extend_locals()``."""
        raise AttributeError(f"the local '{name}' can only be set with context.extend_locals()")

    def __getattr__(self, name: str) -> Any:
        """Return the local called ``name``."""
        try:
            return object.__getattribute__(self, "_values")[name]
        except KeyError:
            raise AttributeError(f"the launch context has no local '{name}'") from None
