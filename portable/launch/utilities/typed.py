"""Options that may be given as a value or as substitutions, such as ``respawn``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..some_substitutions_type import SomeSubstitutionsType
from .substitutions import perform_text

if TYPE_CHECKING:
    from ..launch_context import LaunchContext

BoolOrSubstitutions = bool | SomeSubstitutionsType
FloatOrSubstitutions = float | SomeSubstitutionsType

_TRUE = ("true", "1", "yes", "on", "y")
_FALSE = ("false", "0", "no", "off", "n")


def parse_bool(text: str) -> bool | None:
    """Return the truth value that YAML would see in ``text``, or None."""
    word = text.strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    return None


def perform_bool(context: LaunchContext, value: BoolOrSubstitutions, name: str) -> bool:
    """Return a truth value; ``name`` is the option for the message."""
    if isinstance(value, bool):
        return value
    text = perform_text(context, value)
    parsed = parse_bool(text)
    if parsed is None:
        raise ValueError(f"{name}={text!r}: must be true or false")
    return parsed


def perform_float(context: LaunchContext, value: FloatOrSubstitutions, name: str) -> float:
    """Return a number; ``name`` is the option for the message."""
    if isinstance(value, (int, float)):
        return float(value)
    text = perform_text(context, value)
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name}={text!r}: must be a number") from None
