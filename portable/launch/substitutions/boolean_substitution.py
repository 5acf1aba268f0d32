"""Not, and, or over texts that mean true or false."""

from __future__ import annotations

from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities.substitutions import describe_substitutions, normalize_to_list_of_substitutions
from ..utilities.substitutions import perform_substitutions as perform_all
from ..utilities.typed import parse_bool
from .pair_substitution import PairSubstitution, text_of
from .substitution_failure import SubstitutionFailure


def truth_of(context: LaunchContext, parts: list[Substitution]) -> bool:
    """Return the truth value of the performed text."""
    text = perform_all(context, parts)
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
        """Return a description for people."""
        return f"NotSubstitution({describe_substitutions(self.__value)})"

    def perform(self, context: LaunchContext) -> str:
        """Return 'true' or 'false'."""
        return text_of(not truth_of(context, self.__value))


class _TruthPair(PairSubstitution):
    """Two truth values, both always performed, so that a wrong one is never hidden."""

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
