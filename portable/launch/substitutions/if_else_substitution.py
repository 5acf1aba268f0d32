"""One of two texts."""

from __future__ import annotations

from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities.substitutions import (
    describe_substitutions,
    normalize_to_list_of_substitutions,
    perform_substitutions,
)
from .boolean_substitution import truth_of
from .substitution_failure import SubstitutionFailure


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
        """Return a description for people."""
        parts = (self.__condition, self.__if_value, self.__else_value)
        return f"IfElseSubstitution({', '.join(describe_substitutions(part) for part in parts)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the chosen text; only that one is performed."""
        try:
            is_true = truth_of(context, self.__condition)
        except SubstitutionFailure as error:
            raise SubstitutionFailure(f"IfElseSubstitution: {error}") from error
        return perform_substitutions(context, self.__if_value if is_true else self.__else_value)
