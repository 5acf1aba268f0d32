"""Declares what a parameter field may hold, and checks frozen dataclasses against it.

A field is made by `real`, `whole`, `choice`, `text` or `curve`, which attach what the field means,
its unit and what is allowed; the checks, the loader's messages and the reference tables of the
documentation all come from that one place. Signatures and error texts are those of the vehicle
interface's parameters; the two modules know nothing of each other, and a test keeps them equal.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, get_type_hints

from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.parameters.units import bounded

_KEY = "parameter"
REQUIRED: Any = dataclasses.MISSING
"""In place of a default: the field has to be given."""
ODD_POINTS = 5
"""Of a curve that is mirrored for x below 0: as many as the equations keep."""


@dataclass(frozen=True, kw_only=True)
class Number:
    """A real number inside limits."""

    doc: str
    unit: str = ""
    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None
    floor: float | None = None
    """The smallest value beside 0."""

    def allowed(self) -> str:
        """Describe which numbers are allowed, unit included."""
        low = self.at_least if self.floor is None else self.floor
        limits = _words(above=self.above, at_least=low, below=self.below, at_most=self.at_most)
        if self.floor is not None:
            limits = f"0, or {limits}"
        if not limits:
            return "finite"
        return f"{limits} {self.unit}" if self.unit else limits

    def checked(self, key: str, value: object) -> float:
        """Return the value as a float, or raise."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise wrong_value(key, value, "a number")
        try:
            number = float(value)
        except OverflowError:  # an integer beyond every float
            raise wrong_value(key, value, self.allowed()) from None
        inside = (
            math.isfinite(number)
            and (self.above is None or number > self.above)
            and (self.at_least is None or number >= self.at_least)
            and (self.below is None or number < self.below)
            and (self.at_most is None or number <= self.at_most)
            and (self.floor is None or number == 0.0 or number >= self.floor)
        )
        if not inside:
            raise wrong_value(key, value, self.allowed())
        return number


@dataclass(frozen=True, kw_only=True)
class Whole:
    """An integer inside limits."""

    doc: str
    unit: str = ""
    at_least: int | None = None
    at_most: int | None = None

    def allowed(self) -> str:
        """Describe which numbers are allowed, unit included."""
        limits = _words(at_least=self.at_least, at_most=self.at_most)
        return " ".join(filter(None, ("an integer", limits, self.unit)))

    def checked(self, key: str, value: object) -> int:
        """Return the value, or raise."""
        if isinstance(value, bool) or not isinstance(value, int):
            raise wrong_value(key, value, "an integer")
        low = self.at_least is not None and value < self.at_least
        if low or (self.at_most is not None and value > self.at_most):
            raise wrong_value(key, value, self.allowed().removeprefix("an integer "))
        return value


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One of a few words."""

    doc: str
    choices: tuple[str, ...]
    unit: str = ""

    def allowed(self) -> str:
        """Describe what is allowed."""
        return "one of " + ", ".join(self.choices)

    def checked(self, key: str, value: object) -> str:
        """Return the value, or raise."""
        if not isinstance(value, str) or value not in self.choices:
            raise wrong_value(key, value, self.allowed())
        return value


@dataclass(frozen=True, kw_only=True)
class Text:
    """A line of text that is not empty."""

    doc: str
    unit: str = ""

    def allowed(self) -> str:
        """Describe what is allowed."""
        return "a line of text"

    def checked(self, key: str, value: object) -> str:
        """Return the value, or raise."""
        if not isinstance(value, str) or not value.strip():
            raise wrong_value(key, value, self.allowed())
        return value


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Points (x, y): x rising from 0, y not negative; `optional`: or none at all.

    `odd`: of at most `ODD_POINTS` points, the first (0, 0), y of any sign; mirrored for x below 0.
    """

    doc: str
    unit: str
    optional: bool = False
    odd: bool = False

    def allowed(self) -> str:
        """Describe what is allowed."""
        if self.odd:
            return f"2 to {ODD_POINTS} pairs [{self.unit}], first 0, 0, x rising; or none"
        points = f"2 to 32 pairs [{self.unit}], first x 0, x rising, y >= 0"
        return f"{points}; or none" if self.optional else points

    def checked(self, key: str, value: object) -> tuple[tuple[float, float], ...]:
        """Return the points as tuples of floats, or raise."""
        points = [_pair(point) for point in value] if isinstance(value, (list, tuple)) else []
        numbers = [point for point in points if point is not None]
        if self.optional and value in ((), []):
            return ()
        good = (
            2 <= len(numbers) <= (ODD_POINTS if self.odd else 32)
            and len(numbers) == len(points)
            and numbers[0][0] == 0.0
            and all(a[0] < b[0] for a, b in itertools.pairwise(numbers))
            and (numbers[0][1] == 0.0 if self.odd else all(y >= 0.0 for _, y in numbers))
        )
        if not good:
            raise wrong_value(key, value, self.allowed())
        return tuple(numbers)


Spec = Number | Whole | Choice | Text | Curve


def real(default: Any, doc: str, *, unit: str = "", **bounds: float) -> Any:
    """Declare a real number; `above`, `at_least`, `below`, `at_most` bound it, and its unit.

    `floor`: the smallest value beside 0.
    """
    return _field(default, Number(doc=doc, unit=unit, **bounded(unit, bounds)))


def whole(default: Any, doc: str, *, unit: str = "", **bounds: int) -> Any:
    """Declare an integer; `at_least`, `at_most` bound it."""
    return _field(default, Whole(doc=doc, unit=unit, **bounds))


def choice(default: Any, doc: str, choices: tuple[str, ...]) -> Any:
    """Declare a word out of a list."""
    return _field(default, Choice(doc=doc, choices=choices))


def text(default: Any, doc: str) -> Any:
    """Declare a line of text."""
    return _field(default, Text(doc=doc))


def curve(default: Any, doc: str, *, unit: str, optional: bool = False, odd: bool = False) -> Any:
    """Declare a curve of points; `unit` is that of x and y. An `optional` one may be empty.

    An `odd` one is mirrored for x below 0.
    """
    return _field(default, Curve(doc=doc, unit=unit, optional=optional, odd=odd))


@cache
def types_of(kind: type[Any]) -> dict[str, Any]:
    """Return the types of the fields: each is a text that is compiled when it is asked for."""
    return get_type_hints(kind)


def specs(group: Any) -> Iterator[tuple[str, Spec]]:
    """Yield name and declaration of each declared field of a dataclass or an instance."""
    for item in dataclasses.fields(group):
        if _KEY in item.metadata:
            yield item.name, item.metadata[_KEY]


def check_fields(group: Any) -> None:
    """Check every declared field of a frozen dataclass; whole numbers become floats."""
    for name, spec in specs(group):
        object.__setattr__(group, name, spec.checked(name, getattr(group, name)))


def shown_fields(group: Any, *added: str) -> str:
    """Return the repr of a dataclass; of the `added` fields only those that are not the default.

    Fields that came later must not change the fingerprint of settings that do not use them.
    """
    values = ((item, getattr(group, item.name)) for item in dataclasses.fields(group))
    shown = (
        f"{item.name}={value!r}"
        for item, value in values
        if item.name not in added or value != _default_of(item)
    )
    return f"{type(group).__qualname__}({', '.join(shown)})"


def _default_of(item: dataclasses.Field[Any]) -> object:
    factory = item.default_factory
    return item.default if factory is dataclasses.MISSING else factory()


def require(condition: bool, key: str, problem: str) -> None:
    """Raise a ParameterError for `key` unless the condition holds."""
    if not condition:
        raise ParameterError(key, problem)


def _field(default: Any, spec: Spec) -> Any:
    return dataclasses.field(default=default, metadata={_KEY: spec})


def _words(
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
) -> str:
    bounds = ((">", above), (">=", at_least), ("<", below), ("<=", at_most))
    return " and ".join(f"{sign} {bound:g}" for sign, bound in bounds if bound is not None)


def _pair(point: object) -> tuple[float, float] | None:
    if not isinstance(point, (list, tuple)) or len(point) != 2:
        return None
    x, y = point
    if any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in (x, y)):
        return None
    if not (math.isfinite(x) and math.isfinite(y)):
        return None
    return float(x), float(y)
