"""How much the product's objects hold: counted, so that growth shows."""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from vdsim_simulate.agenda import Agenda, Process

_SEQUENCES = (list, tuple, set, frozenset, deque)
_WHOLE = (str, bytes, int, float, bool, type(None), type, types.ModuleType, Agenda, Process)


def held_n(*roots: Any) -> int:
    """Return how many objects are reachable from these, the simulator's own excepted.

    In a container each number, text and byte string counts, too: a queue of frames is one of bytes.
    """
    seen: set[int] = set()
    whole_n = 0
    kind: Any
    waiting = [root for root in roots if not isinstance(root, _WHOLE)]
    while waiting:
        item = waiting.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        kind = type(item)
        is_container, parts_of = _reading(kind)
        all_n, kept_n = 0, len(waiting)
        for part in parts_of(item):
            all_n += 1
            kind = type(part)
            if not _is_whole(kind):
                waiting.append(part)
        if is_container:
            whole_n += all_n - (len(waiting) - kept_n)
    return len(seen) + whole_n


@cache
def _is_whole(kind: type) -> bool:
    """Whether nothing is counted in objects of this type."""
    return issubclass(kind, _WHOLE)


@cache
def _reading(kind: type) -> tuple[bool, Callable[[Any], Iterable[Any]]]:
    """Return whether a type is a container, and how its parts are read."""
    if issubclass(kind, dict):
        return True, kind.values
    if issubclass(kind, _SEQUENCES):
        return True, lambda item: item
    if not kind.__module__.startswith("vdsim_interface"):
        return False, lambda item: ()
    slots = [name for each in kind.__mro__ for name in getattr(each, "__slots__", ())]

    def attributes(item: Any) -> list[Any]:
        own = list(getattr(item, "__dict__", {}).values())
        return own + [part for name in slots if (part := getattr(item, name, None)) is not None]

    return False, attributes
