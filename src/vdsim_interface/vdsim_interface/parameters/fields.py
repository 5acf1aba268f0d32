"""Checked parameters: one frozen dataclass a component, from which ROS declarations derive.

A field is made by `real`, `whole`, `flag`, `choice`, `text`, `host` or `reals`, which attach what
the field means and what is allowed. Construction checks every field; a wrong value gives one line
that names the parameter, the value and the rule.
"""

import math
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar


class ParameterError(ValueError):
    """A parameter has a value that is not allowed."""

    def __init__(self, name: str, value: object, rule: str) -> None:
        super().__init__(f"{name}={value}: {rule}")
        self.name = name
        self.value = value
        self.rule = rule


@dataclass(frozen=True)
class Allowed:
    """What values a parameter may have."""

    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None
    choices: tuple[str, ...] = ()

    def words(self) -> str:
        """Say it as a rule: `must be > 0 and <= 5`."""
        if self.choices:
            return "must be one of " + ", ".join(self.choices)
        parts = []
        for sign, bound in (
            (">", self.above),
            (">=", self.at_least),
            ("<", self.below),
            ("<=", self.at_most),
        ):
            if bound is not None:
                parts.append(f"{sign} {bound:g}")
        return "must be " + " and ".join(parts) if parts else "must be finite"

    def holds(self, value: float | str) -> bool:
        """Tell whether a value of the right type is allowed."""
        if isinstance(value, str):
            return not self.choices or value in self.choices
        return (
            math.isfinite(value)
            and (self.above is None or value > self.above)
            and (self.at_least is None or value >= self.at_least)
            and (self.below is None or value < self.below)
            and (self.at_most is None or value <= self.at_most)
        )


@dataclass(frozen=True)
class Meaning:
    """What a field is: its type, its description, what is allowed, whether it may change live.

    `at_start`: a node is made from it, and cannot take another value later.
    """

    kind: type
    doc: str
    allowed: Allowed
    live: bool
    many: bool = False
    at_start: bool = False
    is_host: bool = False


def _make(default: object, meaning: Meaning) -> Any:
    return field(default=default, metadata={"meaning": meaning})


def _bounded(bounds: dict[str, float]) -> Allowed:
    unknown = set(bounds) - {"above", "at_least", "below", "at_most"}
    assert not unknown, f"unknown bounds {unknown}"
    return Allowed(
        bounds.get("above"), bounds.get("at_least"), bounds.get("below"), bounds.get("at_most")
    )


def real(default: float, doc: str, *, live: bool = True, **bounds: float) -> Any:
    """Declare a float; `above`, `at_least`, `below`, `at_most` bound it."""
    return _make(default, Meaning(float, doc, _bounded(bounds), live))


def whole(default: int, doc: str, *, live: bool = False, **bounds: float) -> Any:
    """Declare an integer."""
    return _make(default, Meaning(int, doc, _bounded(bounds), live))


def flag(default: bool, doc: str, *, live: bool = False) -> Any:
    """Declare a switch."""
    return _make(default, Meaning(bool, doc, Allowed(), live))


def choice(default: str, doc: str, choices: tuple[str, ...], *, live: bool = False) -> Any:
    """Declare a word out of a list."""
    return _make(default, Meaning(str, doc, Allowed(choices=choices), live))


def text(default: str, doc: str, *, at_start: bool = False) -> Any:
    """Declare a free text."""
    return _make(default, Meaning(str, doc, Allowed(), live=False, at_start=at_start))


def host(default: str, doc: str) -> Any:
    """Declare a host: an IPv4 address or a name; platforms are given the address."""
    return _make(default, Meaning(str, doc, Allowed(), live=False, is_host=True))


def reals(default: tuple[float, ...], doc: str, *, live: bool = True, **bounds: float) -> Any:
    """Declare a list of floats; the bounds hold for each."""
    return _make(default, Meaning(float, doc, _bounded(bounds), live, many=True))


TYPE_WORDS = {float: "a number", int: "an integer", bool: "true or false", str: "a text"}


class Parameters:
    """Base of all parameter classes: checks its fields when constructed."""

    PREFIX: ClassVar[str] = ""
    LIVE: ClassVar[bool] = False
    """Whether the component takes changes while it is active: of the fields that are `live`."""
    AT_START: ClassVar[bool] = False
    """Whether a node is made from all of them, and cannot take other values later."""

    def __post_init__(self) -> None:
        """Check every declared field, then whatever the class checks across fields."""
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
        """Give the full name of a field, as a user writes it."""
        return f"{cls.PREFIX}.{field_name}" if cls.PREFIX else field_name

    def refuse(self, field_name: str, rule: str) -> None:
        """Raise the error for a field that breaks a rule across fields."""
        raise ParameterError(self.name_of(field_name), getattr(self, field_name), rule)


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
    if type(value) is not meaning.kind:
        raise ParameterError(name, value, f"must be {TYPE_WORDS[meaning.kind]}")
    assert isinstance(value, bool | int | float | str)
    if not isinstance(value, bool) and not meaning.allowed.holds(value):
        raise ParameterError(name, value, meaning.allowed.words())
    return value
