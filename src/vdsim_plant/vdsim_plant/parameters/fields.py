"""Declares what a parameter field may hold, and checks frozen dataclasses against it.

A field carries its own limits, unit and meaning; the checks, the loader's messages and the
reference tables of the documentation all come from that one place.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vdsim_plant.parameters.errors import ParameterError, wrong_value

_KEY = "parameter"


@dataclass(frozen=True)
class Number:
    """A real number inside limits."""

    about: str
    unit: str
    above: float | None
    at_least: float | None
    at_most: float | None
    below: float | None

    def allowed(self) -> str:
        """Say in words which numbers are allowed, unit included."""
        limits = [
            f"{sign} {bound:g}"
            for sign, bound in (
                (">", self.above),
                (">=", self.at_least),
                ("<=", self.at_most),
                ("<", self.below),
            )
            if bound is not None
        ]
        unit = f" {self.unit}" if self.unit else ""
        return (" and ".join(limits) or "a finite number") + unit

    def checked(self, key: str, value: object) -> float:
        """Return the value as a float, or raise."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise wrong_value(key, value, f"a number, {self.allowed()}")
        number = float(value)
        inside = (
            math.isfinite(number)
            and (self.above is None or number > self.above)
            and (self.at_least is None or number >= self.at_least)
            and (self.at_most is None or number <= self.at_most)
            and (self.below is None or number < self.below)
        )
        if not inside:
            raise wrong_value(key, value, self.allowed())
        return number


@dataclass(frozen=True)
class Whole:
    """A whole number that is not below `at_least`."""

    about: str
    at_least: int
    unit: str = ""

    def allowed(self) -> str:
        """Say in words which numbers are allowed."""
        return f"a whole number >= {self.at_least}"

    def checked(self, key: str, value: object) -> int:
        """Return the value, or raise."""
        if isinstance(value, bool) or not isinstance(value, int) or value < self.at_least:
            raise wrong_value(key, value, self.allowed())
        return value


@dataclass(frozen=True)
class Choice:
    """One of a few words."""

    about: str
    options: tuple[str, ...]
    unit: str = ""

    def allowed(self) -> str:
        """Say in words what is allowed."""
        return "one of " + ", ".join(self.options)

    def checked(self, key: str, value: object) -> str:
        """Return the value, or raise."""
        if not isinstance(value, str) or value not in self.options:
            raise wrong_value(key, value, self.allowed())
        return value


@dataclass(frozen=True)
class Text:
    """A line of text that is not empty."""

    about: str
    unit: str = ""

    def allowed(self) -> str:
        """Say in words what is allowed."""
        return "a line of text"

    def checked(self, key: str, value: object) -> str:
        """Return the value, or raise."""
        if not isinstance(value, str) or not value.strip():
            raise wrong_value(key, value, self.allowed())
        return value


@dataclass(frozen=True)
class Curve:
    """Points (x, y): x rising from 0, y not negative."""

    about: str
    unit: str

    def allowed(self) -> str:
        """Say in words what is allowed."""
        return f"2 to 32 pairs [{self.unit}], first x 0, x rising, y >= 0"

    def checked(self, key: str, value: object) -> tuple[tuple[float, float], ...]:
        """Return the points as tuples of floats, or raise."""
        points = [_pair(point) for point in value] if isinstance(value, (list, tuple)) else []
        numbers = [point for point in points if point is not None]
        good = (
            2 <= len(numbers) <= 32
            and len(numbers) == len(points)
            and numbers[0][0] == 0.0
            and all(a[0] < b[0] for a, b in itertools.pairwise(numbers))
            and all(y >= 0.0 for _, y in numbers)
        )
        if not good:
            raise wrong_value(key, value, self.allowed())
        return tuple(numbers)


Spec = Number | Whole | Choice | Text | Curve


def real(
    about: str,
    unit: str = "",
    *,
    above: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    below: float | None = None,
    default: Any = dataclasses.MISSING,
) -> Any:
    """Declare a field that holds a real number."""
    return _field(Number(about, unit, above, at_least, at_most, below), default)


def whole(about: str, *, at_least: int = 0, default: Any = dataclasses.MISSING) -> Any:
    """Declare a field that holds a whole number."""
    return _field(Whole(about, at_least), default)


def choice(about: str, *options: str, default: Any = dataclasses.MISSING) -> Any:
    """Declare a field that holds one of a few words."""
    return _field(Choice(about, options), default)


def text(about: str, *, default: Any = dataclasses.MISSING) -> Any:
    """Declare a field that holds a line of text."""
    return _field(Text(about), default)


def curve(about: str, unit: str) -> Any:
    """Declare a field that holds a curve of points."""
    return _field(Curve(about, unit), dataclasses.MISSING)


def specs(group: Any) -> Iterator[tuple[str, Spec]]:
    """Yield name and declaration of each declared field of a dataclass or an instance."""
    for item in dataclasses.fields(group):
        if _KEY in item.metadata:
            yield item.name, item.metadata[_KEY]


def check_fields(group: Any) -> None:
    """Check every declared field of a frozen dataclass; whole numbers become floats."""
    for name, spec in specs(group):
        object.__setattr__(group, name, spec.checked(name, getattr(group, name)))


def require(condition: bool, key: str, problem: str) -> None:
    """Raise a ParameterError for `key` unless the condition holds."""
    if not condition:
        raise ParameterError(key, problem)


def _field(spec: Spec, default: Any) -> Any:
    return dataclasses.field(default=default, metadata={_KEY: spec})


def _pair(point: object) -> tuple[float, float] | None:
    if not isinstance(point, (list, tuple)) or len(point) != 2:
        return None
    x, y = point
    if any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in (x, y)):
        return None
    if not (math.isfinite(x) and math.isfinite(y)):
        return None
    return float(x), float(y)
