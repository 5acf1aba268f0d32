"""Whether two texts mean the same value."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities.substitutions import normalize_to_list_of_substitutions, perform_substitutions
from .pair_substitution import PairSubstitution, text_of

Comparable = bool | int | float | SomeSubstitutionsType | None


class EqualsSubstitution(PairSubstitution):
    """True for equal texts, equal numbers ('1' and '1.0') and equal booleans ('true' and '1')."""

    def __init__(self, left: Comparable, right: Comparable) -> None:
        super().__init__(_normalize(left), _normalize(right))

    def perform(self, context: LaunchContext) -> str:
        """Return 'true' or 'false'."""
        return text_of(self.is_equal(context))

    def is_equal(self, context: LaunchContext) -> bool:
        """Return whether both sides mean the same."""
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
