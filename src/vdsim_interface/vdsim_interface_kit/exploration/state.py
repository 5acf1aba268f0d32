"""An object of the interface with all that belongs to it, as a value that can be restored.

Objects are found by walking the attributes, so a class that is split or gains an attribute is
followed without a change here. An attribute of a kind that is not known raises TypeError.

The canonical form of a state leaves out what no output but a text or a count depends on
(REPORTED_ONLY), and counts times from now, clamped one period beyond the last that makes a
difference (`clamps`). `check_merges` of explore.py shows that states of one form have the same
successors.
"""

import math
import re
from collections import deque
from collections.abc import Collection, Hashable, Mapping
from dataclasses import is_dataclass
from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from transitions import Machine

EPOCH_S = float(1 << 20)
"""The clock starts here: a float above half of it is a time, one below a duration."""
REPORTED_ONLY = frozenset(
    {
        ("InterventionCounts", "_counts"),
        ("InterventionCounts", "acting"),
        ("StagedSide", "_received_n"),
        ("StagedSide", "_controlled"),
        ("StagedSide", "_emergency_n"),
        ("Engagement", "number"),
        ("Safety", "engagement"),
        ("Engagement", "reason"),
        ("Engagement", "disengage_reason"),
        ("Engagement", "_refusal"),
        ("LatestCommand", "_rejected"),
        # A cache and what it was computed from.
        ("BodyRequests", "_inputs"),
        ("BodyRequests", "_composed"),
        # False: the detectors are as `reset` leaves them.
        ("RuleRunner", "_detects"),
        # Counted from in the canonical form of the reversals.
        ("OscillationDetector", "_step_n"),
    }
)
TIMELESS = frozenset({bool, int, type(None)})
DEAD = -1
"""The number of an attribute whose value does not count."""
_VALUES: set[type] = {bool, int, float, str, bytes, type(None), frozenset}
_DIGITS = re.compile(r"[0-9.]+")

Concrete = tuple[Any, ...]
Clamps = Mapping[tuple[str, str], int]


class Keyed(NamedTuple):
    """A saved state with its form."""

    concrete: Concrete
    now: float
    key: tuple[int, ...]


class ObjectState:
    """Saves, restores and classifies `root`. `clamps`: periods after which an age is "long"."""

    def __init__(self, root: object, period_s: float, clamps: Clamps, longest_n: int) -> None:
        self._period_s = period_s
        self._fixed: list[tuple[dict[str, Any], str, object]] = []
        self._places: list[tuple[dict[str, Any], str]] = []
        self._owners: list[str] = []
        self._walk(root, set())
        self._limits = [
            clamps.get((owner, name), longest_n)
            for owner, (_, name) in zip(self._owners, self._places, strict=True)
        ]
        self._counted = [
            index
            for index, (owner, (_, name)) in enumerate(zip(self._owners, self._places, strict=True))
            if (owner, name) not in REPORTED_ONLY
        ]
        self._interned: list[dict[Hashable, int]] = [{} for _ in self._places]

    def _walk(self, owner: object, seen: set[int]) -> None:
        if id(owner) in seen:
            return
        seen.add(id(owner))
        fields = vars(owner)
        for name, value in sorted(fields.items()):
            if isinstance(value, (partial, Machine)):
                continue
            if _is_part(value):
                self._fixed.append((fields, name, value))
                self._walk(value, seen)
            elif isinstance(value, tuple) and value and all(map(_is_part, value)):
                self._fixed.append((fields, name, value))
                for part in value:
                    self._walk(part, seen)
            else:
                self._places.append((fields, name))
                self._owners.append(type(owner).__name__)

    def save(self) -> Concrete:
        """Return the state; nothing in it changes any more."""
        for fields, name, part in self._fixed:
            assert fields[name] is part, f"{name} is another object now"
        return tuple([_frozen(fields[name]) for fields, name in self._places])

    def restore(self, concrete: Concrete) -> None:
        """Bring the objects back into a saved state."""
        for (fields, name), value in zip(self._places, concrete, strict=True):
            fields[name] = value.thawed() if type(value) is Container else value

    def key(
        self,
        concrete: Concrete,
        now: float,
        near: "Keyed | None" = None,
        dead: Collection[int] = (),
    ) -> tuple[int, ...]:
        """Return the canonical form; equal only for equal forms.

        `near`: a state whose form is known, which saves the work for what is the same in both.
        `dead`: attributes that are written before they are read again.
        """
        # Each attribute's form is replaced by its number, so that keys are short and exact.
        if near is None:
            return tuple([self._number(concrete[i], i, now, dead) for i in self._counted])
        old, same_time = near.concrete, near.now == now
        return tuple(
            [
                number
                if (value := concrete[i]) is old[i]
                and number != DEAD
                and i not in dead
                and (same_time or type(value) in TIMELESS)
                else self._number(value, i, now, dead)
                for i, number in zip(self._counted, near.key, strict=True)
            ]
        )

    def _number(self, value: Any, index: int, now: float, dead: Collection[int]) -> int:
        if index in dead:
            return DEAD
        known = self._interned[index]
        return known.setdefault(self._form(value, index, now), len(known))

    def kinds(self) -> dict[str, int]:
        """How many forms each attribute has had: which one makes the graph grow."""
        counts: dict[str, int] = {}
        for index in self._counted:
            name = f"{self._owners[index]}.{self._places[index][1]}"
            counts[name] = max(counts.get(name, 0), len(self._interned[index]))
        return counts

    def indices(self, owner: str, name: str = "") -> frozenset[int]:
        """Where an attribute, or every attribute of a class, is in a saved state."""
        found = frozenset(
            index
            for index, (kind, (_, attribute)) in enumerate(
                zip(self._owners, self._places, strict=True)
            )
            if kind == owner and name in ("", attribute)
        )
        assert found, f"{owner} has no {name or 'attribute'}"
        return found

    def _form(self, value: Any, index: int, now: float) -> Hashable:
        kind = type(value)
        if kind is float:
            if abs(value) > 0.5 * EPOCH_S and math.isfinite(value):
                return ("ago", min(round((now - value) / self._period_s), self._limits[index]))
            if self._places[index][1].endswith("_s") and math.isfinite(value):
                periods: int = round(value / self._period_s)
                return min(periods, self._limits[index])
            return str(value) if not math.isfinite(value) else float(round(value, 9)) + 0.0
        if kind is str:
            return _DIGITS.sub("#", value)
        if kind is Container:
            if self._owners[index] == "OscillationDetector":
                fields, _ = self._places[index]
                return tuple(fields["_step_n"] - step for step in value.items)
            return tuple(self._form(item, index, now) for item in value.items)
        if isinstance(value, tuple):
            return (kind.__name__, *(self._form(item, index, now) for item in value))
        form: Hashable = value
        return form


class Container:
    """A list, deque or dict as a value."""

    __slots__ = ("items", "kind", "length")

    def __init__(self, value: Any) -> None:
        self.kind = type(value)
        self.length = getattr(value, "maxlen", None)
        self.items = tuple(value.items()) if self.kind is dict else tuple(value)

    def thawed(self) -> Any:
        return deque(self.items, self.length) if self.kind is deque else self.kind(self.items)


def _is_part(value: object) -> bool:
    """Whether it is an object of ours that changes in place."""
    kind = type(value)
    if isinstance(value, (Enum, tuple, type)) or not kind.__module__.startswith("vdsim_interface"):
        return False
    if is_dataclass(kind) and kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return False
    return hasattr(value, "__dict__")


def _frozen(value: Any) -> Any:
    kind = type(value)
    if kind in _VALUES:
        return value
    if kind in (deque, list, dict):
        return Container(value)
    values = isinstance(value, (Enum, tuple, str, type))
    if values or (is_dataclass(kind) and kind.__dataclass_params__.frozen):  # type: ignore[attr-defined]
        _VALUES.add(kind)
        return value
    raise TypeError(f"state of an unknown kind: {kind.__module__}.{kind.__name__}")
