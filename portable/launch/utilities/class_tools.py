"""Type questions that upstream offers under these names."""

from __future__ import annotations

from typing import Any


def is_a(obj: Any, entity_type: type) -> bool:
    """Return whether ``obj`` is an instance of ``entity_type``."""
    return isinstance(obj, entity_type)


def is_a_subclass(obj: Any, entity_type: type) -> bool:
    """Return whether ``obj`` is an instance, or a subclass, of ``entity_type``."""
    return isinstance(obj, entity_type) or (isinstance(obj, type) and issubclass(obj, entity_type))
