"""Checked parameters: one frozen dataclass a component, from which ROS declarations derive.

A field is declared by `real`, `whole`, `flag`, `choice`, `text`, `host` or `reals`, which attach
its description and allowed values. A number has a floor and a ceiling, of its own or of its unit
(`UNITS`). Construction checks every field; a wrong value raises an error of one line that names
the parameter, the value and the rule.

Below its floor and above its ceiling a value is no choice. A parameter that must be positive is at
least its floor: 5e-324 m is no wheelbase, and a car with a jerk of 1e-12 m/s3 engages and never
moves. One that may be 0 is 0 or at least its floor. Without a bound of its own a parameter ends at
its ceiling.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, NamedTuple

from vdsim_protocol.shown import shown_plainly


class Limits(NamedTuple):
    """The smallest value beside 0 that means something, and the largest."""

    floor: float
    ceiling: float


UNITS: Mapping[str, Limits] = {
    "s": Limits(1e-3, 3600.0),
    "ms": Limits(1.0, 60_000.0),
    "Hz": Limits(0.1, 10_000.0),
    "1/s": Limits(0.01, 100.0),
    "1/s2": Limits(0.001, 100.0),
    "m": Limits(0.001, 100_000.0),
    "km": Limits(1.0, 10_000.0),
    "m/s": Limits(0.01, 150.0),
    "km/h": Limits(0.1, 500.0),
    "m/s2": Limits(0.05, 20.0),
    "m/s3": Limits(0.1, 1000.0),
    "rad": Limits(0.001, 6.3),
    "rad/s": Limits(0.01, 100.0),
    "rad s2/m": Limits(1e-6, 1.0),
    "deg": Limits(0.1, 360.0),
    "deg/s": Limits(1.0, 5000.0),
    "N m": Limits(0.1, 20_000.0),
    "%": Limits(0.01, 100.0),
    "dB": Limits(0.01, 100.0),
    "-": Limits(0.001, 1000.0),
    "full travel": Limits(0.01, 1.0),
    "full travel/s": Limits(0.1, 100.0),
    "raw units": Limits(1.0, 4_294_967_295.0),
    "raw units/s": Limits(10.0, 1e9),
}
"""By the unit as descriptions have it."""
_UNIT = re.compile("|".join(re.escape(f"[{unit}]") for unit in UNITS))


def limits_of(doc: str) -> Limits | None:
    """The limits of the unit that a description names, as in `largest speed [m/s]`."""
    found = _UNIT.search(doc)
    return UNITS[found[0][1:-1]] if found else None


class ParameterError(ValueError):
    """A parameter has a value that is not allowed."""

    def __init__(self, name: str, value: object, rule: str) -> None:
        super().__init__(f"{name}={shown_plainly(value)}: {rule}")
        self.name = name
        self.value = value
        self.rule = rule


@dataclass(frozen=True)
class Allowed:
    """The allowed values of a parameter."""

    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None
    choices: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    """Words that a number may be, too, such as "auto"."""
    floor: float | None = None
    """The smallest value but for 0, where 0 is allowed."""

    def words(self) -> str:
        """Return the rule as text: `must be > 0 and <= 5`."""
        if self.choices:
            return "must be one of " + ", ".join(self.choices)
        parts = []
        zero = "" if self.floor is None else "0, or "
        for sign, bound in (
            (">", self.above),
            (">=", self.at_least if self.floor is None else self.floor),
            ("<", self.below),
            ("<=", self.at_most),
        ):
            if bound is not None:
                parts.append(f"{sign} {bound:g}")
        words = f"must be {zero}{' and '.join(parts)}" if parts else "must be finite"
        return ", or ".join((words, *self.also))

    def holds(self, value: float | str) -> bool:
        """Return whether a value of the right type is allowed."""
        if isinstance(value, str):
            return value in (self.choices or self.also or (value,))
        return (
            math.isfinite(value)
            and (self.above is None or value > self.above)
            and (self.at_least is None or value >= self.at_least)
            and (self.below is None or value < self.below)
            and (self.at_most is None or value <= self.at_most)
            and (self.floor is None or value == 0 or value >= self.floor)
        )

    def signed(self, doc: str) -> Allowed:
        """Return the same with the floor and the ceiling of the unit that a description names."""
        limits = limits_of(doc)
        if limits is None:
            return self
        found = self
        if self.above == 0:
            found = replace(found, above=None, at_least=limits.floor)
        elif self.at_least == 0 and self.floor is None:
            found = replace(found, floor=limits.floor)
        elif self.above is None and self.at_least is None:
            found = replace(found, at_least=-limits.ceiling)
        has_top = self.below is not None or self.at_most is not None
        return found if has_top else replace(found, at_most=limits.ceiling)


@dataclass(frozen=True)
class Meaning:
    """Type, description and allowed values of a field.

    `live`: a change applies while the component is active. `at_start`: read when the node starts;
    later changes are refused.
    """

    kind: type
    doc: str
    allowed: Allowed = Allowed()
    live: bool = False
    many: bool = False
    at_start: bool = False
    is_host: bool = False


def _make(default: object, meaning: Meaning) -> Any:
    return field(default=default, metadata={"meaning": meaning})


def bounded(bounds: dict[str, float], also: tuple[str, ...] = ()) -> Allowed:
    """Return the values between bounds: `above`, `at_least`, `below`, `at_most`; and words.

    `floor`: the smallest value but for 0.
    """
    named: dict[str, Any] = dict(bounds)
    return Allowed(**named, also=also)


def real(default: float, doc: str, *, live: bool = True, **bounds: float) -> Any:
    """Declare a float; `above`, `at_least`, `below`, `at_most` bound it, or its unit."""
    allowed = bounded(bounds).signed(doc)
    return _make(default, Meaning(kind=float, doc=doc, allowed=allowed, live=live))


def whole(default: int, doc: str, *, live: bool = False, **bounds: float) -> Any:
    """Declare an integer."""
    allowed = bounded(bounds).signed(doc)
    return _make(default, Meaning(kind=int, doc=doc, allowed=allowed, live=live))


def whole_or(default: int | str, also: tuple[str, ...], doc: str, **bounds: float) -> Any:
    """Declare an integer that may be one of a few words instead."""
    return _make(default, Meaning(kind=int, doc=doc, allowed=bounded(bounds, also)))


def flag(default: bool, doc: str, *, live: bool = False) -> Any:
    """Declare a switch."""
    return _make(default, Meaning(kind=bool, doc=doc, live=live))


def choice(default: str, doc: str, choices: tuple[str, ...], *, live: bool = False) -> Any:
    """Declare a text out of a list."""
    return _make(default, Meaning(kind=str, doc=doc, allowed=Allowed(choices=choices), live=live))


def text(default: str, doc: str, *, at_start: bool = False) -> Any:
    """Declare a free text."""
    return _make(default, Meaning(kind=str, doc=doc, at_start=at_start))


def host(default: str, doc: str) -> Any:
    """Declare a host: an IPv4 address or a name; nodes resolve it before the component gets it."""
    return _make(default, Meaning(kind=str, doc=doc, is_host=True))


def reals(default: tuple[float, ...], doc: str, *, live: bool = True, **bounds: float) -> Any:
    """Declare a list of floats; the bounds hold for each."""
    allowed = bounded(bounds).signed(doc)
    return _make(default, Meaning(kind=float, doc=doc, allowed=allowed, live=live, many=True))


TYPE_WORDS = {float: "a number", int: "an integer", bool: "true or false", str: "a text"}


class Parameters:
    """Base of all parameter classes: checks its fields when constructed."""

    PREFIX: ClassVar[str] = ""
    LIVE: ClassVar[bool] = False
    """Whether the component applies changes of its `live` fields while it is active."""
    AT_START: ClassVar[bool] = False
    """Whether all fields are read when the node starts; later changes are refused."""

    def __post_init__(self) -> None:
        """Check every declared field, then the rules across fields."""
        for item in fields(self):  # type: ignore[arg-type]
            meaning = item.metadata.get("meaning")
            if meaning is not None:
                value = check(self.name_of(item.name), getattr(self, item.name), meaning)
                object.__setattr__(self, item.name, value)
        self.check_together()

    def check_together(self) -> None:
        """Check rules that involve several fields."""

    @classmethod
    def name_of(cls, field_name: str) -> str:
        """Return the full name of a field, as a user writes it."""
        return f"{cls.PREFIX}.{field_name}" if cls.PREFIX else field_name

    def flat(self) -> Iterator[tuple[str, object]]:
        """Every value with its full name, those of the parts too."""
        for item in fields(self):  # type: ignore[arg-type]
            value = getattr(self, item.name)
            if isinstance(value, Parameters):
                yield from value.flat()
            else:
                yield self.name_of(item.name), value

    def refuse(self, field_name: str, rule: str) -> None:
        """Raise the error for a field that breaks a rule across fields."""
        raise ParameterError(self.name_of(field_name), getattr(self, field_name), rule)

    def check_order(self, field_name: str, sign: str, other: str) -> None:
        """Refuse a field that is not `<=` or `>=` another one, as `sign` says."""
        value, bound = getattr(self, field_name), getattr(self, other)
        if value > bound if sign == "<=" else value < bound:
            self.refuse(field_name, f"must be {sign} {self.name_of(other)} ({bound:g})")


def check(name: str, value: object, meaning: Meaning) -> object:
    """Return the value in its own type, or raise ParameterError."""
    if meaning.many:
        if isinstance(value, str) or not hasattr(value, "__iter__"):
            raise ParameterError(name, value, "must be a list of numbers")
        return tuple(_check_one(name, item, meaning) for item in value)
    return _check_one(name, value, meaning)


def _check_one(name: str, value: object, meaning: Meaning) -> object:
    if meaning.kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if isinstance(value, int) and str(value) in meaning.allowed.choices:
        value = str(value)  # a word that YAML reads as a number
    if meaning.allowed.also and isinstance(value, str):
        return _check_word(name, value, meaning)
    if type(value) is not meaning.kind:
        raise ParameterError(name, value, f"must be {TYPE_WORDS[meaning.kind]}")
    assert isinstance(value, bool | int | float | str)
    if not isinstance(value, bool) and not meaning.allowed.holds(value):
        raise ParameterError(name, value, meaning.allowed.words())
    return value


def _check_word(name: str, value: str, meaning: Meaning) -> object:
    """Return one of the words, or the number that a text is."""
    if meaning.allowed.holds(value):
        return value
    if not value.strip().isdecimal():
        raise ParameterError(name, value, meaning.allowed.words())
    return _check_one(name, int(value), meaning)
