"""Truth values: comparison, logic and choice."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..base import LaunchContext, Substitution, SubstitutionFailure
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities import (
    describe_substitutions,
    normalize_to_list_of_substitutions,
    parse_bool,
    perform_substitutions,
)


class PairSubstitution(Substitution):
    """A left and a right side, not yet performed."""

    SEPARATOR = " "
    """The separator between the sides in the description."""

    def __init__(self, left: SomeSubstitutionsType, right: SomeSubstitutionsType) -> None:
        self.__left = normalize_to_list_of_substitutions(left)
        self.__right = normalize_to_list_of_substitutions(right)

    @property
    def left(self) -> list[Substitution]:
        """Return the left value, not yet performed."""
        return self.__left

    @property
    def right(self) -> list[Substitution]:
        """Return the right value, not yet performed."""
        return self.__right

    def describe(self) -> str:
        """Return a readable description."""
        sides = (describe_substitutions(side) for side in (self.__left, self.__right))
        return f"{self.__class__.__name__}({self.SEPARATOR.join(sides)})"


def text_of(value: bool) -> str:
    """Return the text of a truth value, as conditions read it."""
    return "true" if value else "false"


Comparable = bool | int | float | SomeSubstitutionsType | None


class EqualsSubstitution(PairSubstitution):
    """True for equal texts, equal numbers ('1' and '1.0') and equal booleans ('true' and '1')."""

    def __init__(self, left: Comparable, right: Comparable) -> None:
        super().__init__(_normalize(left), _normalize(right))

    def perform(self, context: LaunchContext) -> str:
        """Return 'true' or 'false'."""
        return text_of(self.is_equal(context))

    def is_equal(self, context: LaunchContext) -> bool:
        """Return whether both sides have the same value."""
        left = perform_substitutions(context, self.left)
        right = perform_substitutions(context, self.right)
        left_number, right_number = _number_in(left), _number_in(right)
        if left_number is None or right_number is None:
            return left == right
        return math.isclose(left_number, right_number)


class NotEqualsSubstitution(EqualsSubstitution):
    """The opposite of EqualsSubstitution."""

    def perform(self, context: LaunchContext) -> str:
        """Return 'true' or 'false'."""
        return text_of(not self.is_equal(context))


def _normalize(value: Comparable) -> list[Substitution]:
    if value is None:
        value = ""
    elif isinstance(value, (bool, int, float)):
        value = str(value)
    if isinstance(value, Iterable) and not isinstance(value, str):
        items: list[Any] = [v if isinstance(v, (str, Substitution)) else str(v) for v in value]
        return normalize_to_list_of_substitutions(items)
    return normalize_to_list_of_substitutions(value)


def _number_in(text: str) -> float | None:
    word = text.strip().lower()
    if word in ("true", "false"):
        return float(word == "true")
    try:
        return float(word)
    except ValueError:
        return None


def truth_of(context: LaunchContext, parts: list[Substitution]) -> bool:
    """Return the truth value of the performed text."""
    text = perform_substitutions(context, parts)
    value = parse_bool(text)
    if value is None:
        raise SubstitutionFailure(f"{text!r} (from {describe_substitutions(parts)}) is no boolean")
    return value


class NotSubstitution(Substitution):
    """The opposite of a truth value."""

    def __init__(self, value: SomeSubstitutionsType) -> None:
        self.__value = normalize_to_list_of_substitutions(value)

    @property
    def value(self) -> list[Substitution]:
        """Return the value, not yet performed."""
        return self.__value

    def describe(self) -> str:
        """Return a readable description."""
        return f"NotSubstitution({describe_substitutions(self.__value)})"

    def perform(self, context: LaunchContext) -> str:
        """Return 'true' or 'false'."""
        return text_of(not truth_of(context, self.__value))


class _TruthPair(PairSubstitution):
    """Two truth values, both always performed, so that an invalid one is never hidden."""

    SEPARATOR = ", "

    def truths(self, context: LaunchContext) -> tuple[bool, bool]:
        """Return both truth values."""
        return truth_of(context, self.left), truth_of(context, self.right)


class AndSubstitution(_TruthPair):
    """True when both are."""

    def perform(self, context: LaunchContext) -> str:
        """Return 'true' or 'false'."""
        return text_of(all(self.truths(context)))


class OrSubstitution(_TruthPair):
    """True when at least one is."""

    def perform(self, context: LaunchContext) -> str:
        """Return 'true' or 'false'."""
        return text_of(any(self.truths(context)))


class AnySubstitution(Substitution):
    """True when at least one of several is."""

    _join = any

    def __init__(self, *args: SomeSubstitutionsType) -> None:
        self.__args = [normalize_to_list_of_substitutions(arg) for arg in args]

    @property
    def args(self) -> list[list[Substitution]]:
        """Return the values, not yet performed."""
        return self.__args

    def describe(self) -> str:
        """Return a readable description."""
        return f"{self.__class__.__name__}({' '.join(map(describe_substitutions, self.__args))})"

    def perform(self, context: LaunchContext) -> str:
        """Return 'true' or 'false'; all values are performed, so that an invalid one shows."""
        return text_of(self.__class__._join([truth_of(context, arg) for arg in self.__args]))


class AllSubstitution(AnySubstitution):
    """True when all of several are."""

    _join = all


class IfElseSubstitution(Substitution):
    """``if_value`` when the condition is true, else ``else_value``."""

    def __init__(
        self,
        condition: SomeSubstitutionsType,
        if_value: SomeSubstitutionsType = "",
        else_value: SomeSubstitutionsType = "",
    ) -> None:
        if if_value == else_value == "":
            raise RuntimeError("IfElseSubstitution needs an if_value or an else_value")
        self.__condition = normalize_to_list_of_substitutions(condition)
        self.__if_value = normalize_to_list_of_substitutions(if_value)
        self.__else_value = normalize_to_list_of_substitutions(else_value)

    def describe(self) -> str:
        """Return a readable description."""
        parts = (self.__condition, self.__if_value, self.__else_value)
        return f"IfElseSubstitution({', '.join(describe_substitutions(part) for part in parts)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the chosen text; only that one is performed."""
        try:
            is_true = truth_of(context, self.__condition)
        except SubstitutionFailure as error:
            raise SubstitutionFailure(f"IfElseSubstitution: {error}") from error
        return perform_substitutions(context, self.__if_value if is_true else self.__else_value)
