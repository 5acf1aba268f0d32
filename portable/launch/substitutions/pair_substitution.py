"""What the substitutions share that make a truth value of two sides."""

from __future__ import annotations

from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities.substitutions import describe_substitutions, normalize_to_list_of_substitutions


class PairSubstitution(Substitution):
    """A left and a right side, not yet performed."""

    SEPARATOR = " "
    """Stands between the sides in the description."""

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
        """Return a description for people."""
        sides = (describe_substitutions(side) for side in (self.__left, self.__right))
        return f"{self.__class__.__name__}({self.SEPARATOR.join(sides)})"


def text_of(value: bool) -> str:
    """Return the text of a truth value, as conditions understand it."""
    return "true" if value else "false"
