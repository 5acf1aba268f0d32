"""How much the product's objects hold: counted, so that growth shows."""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Iterator
from typing import Any

from vdsim_simulate.agenda import Agenda, Process

_CONTAINERS = (dict, list, tuple, set, frozenset, deque)
_WHOLE = (str, bytes, int, float, bool, type(None), type, types.ModuleType, Agenda, Process)


def held_n(*roots: Any) -> int:
    """Return how many objects are reachable from these, the simulator's own excepted.

    In a container each number, text and byte string counts, too: a queue of frames is one of bytes.
    """
    seen: set[int] = set()
    whole_n = 0
    waiting = list(roots)
    while waiting:
        item = waiting.pop()
        if isinstance(item, _WHOLE) or id(item) in seen:
            continue
        seen.add(id(item))
        parts = tuple(_parts(item))
        if isinstance(item, _CONTAINERS):
            whole_n += sum(isinstance(part, _WHOLE) for part in parts)
        waiting.extend(parts)
    return len(seen) + whole_n


def _parts(item: Any) -> Iterator[Any]:
    if isinstance(item, dict):
        yield from item.values()
    elif isinstance(item, list | tuple | set | frozenset | deque):
        yield from item
    elif type(item).__module__.startswith("vdsim_interface"):
        yield from getattr(item, "__dict__", {}).values()
        for kind in type(item).__mro__:
            for name in getattr(kind, "__slots__", ()):
                value = getattr(item, name, None)
                if value is not None:
                    yield value
