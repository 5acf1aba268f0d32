"""Helpers that authors of actions and substitutions use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._upstream_names import refuse_names
from .base import LaunchContext, LaunchDescriptionEntity, Substitution, TextSubstitution
from .some_substitutions_type import SomeEntitiesType, SomeSubstitutionsType

__all__ = [
    "is_a",
    "is_a_subclass",
    "normalize_to_list_of_entities",
    "normalize_to_list_of_substitutions",
    "perform_substitutions",
]


def is_a(obj: Any, entity_type: type) -> bool:
    """Return whether ``obj`` is an instance of ``entity_type``."""
    return isinstance(obj, entity_type)


def is_a_subclass(obj: Any, entity_type: type) -> bool:
    """Return whether ``obj`` is an instance, or a subclass, of ``entity_type``."""
    return isinstance(obj, entity_type) or (isinstance(obj, type) and issubclass(obj, entity_type))


def normalize_to_list_of_entities(
    entities: SomeEntitiesType | Iterable[SomeEntitiesType],
) -> list[LaunchDescriptionEntity]:
    """Return one entity, or nested iterables of them, as a flat list."""
    if isinstance(entities, LaunchDescriptionEntity):
        return [entities]
    if isinstance(entities, Iterable) and not isinstance(entities, (str, bytes)):
        return [entity for item in entities for entity in normalize_to_list_of_entities(item)]
    raise TypeError(
        f"expected an action or other launch entity, got {entities!r} ({type(entities).__name__})"
    )


def normalize_to_list_of_substitutions(subs: SomeSubstitutionsType) -> list[Substitution]:
    """Return ``subs`` as a list of substitutions; plain text becomes a TextSubstitution."""
    if isinstance(subs, (str, Substitution)):
        return [_as_substitution(subs)]
    if isinstance(subs, Iterable):
        return [_as_substitution(item) for item in subs]
    raise TypeError(f"expected text or substitutions, got {subs!r} ({type(subs).__name__})")


def _as_substitution(item: Any) -> Substitution:
    if isinstance(item, Substitution):
        return item
    if isinstance(item, str):
        return TextSubstitution(text=item)
    raise TypeError(f"expected text or a substitution, got {item!r} ({type(item).__name__})")


def perform_substitutions(context: LaunchContext, subs: Iterable[Substitution]) -> str:
    """Return the joined text of the substitutions."""
    return "".join(context.perform_substitution(sub) for sub in subs)


def perform_text(context: LaunchContext, subs: SomeSubstitutionsType) -> str:
    """Normalise and perform in one step."""
    return perform_substitutions(context, normalize_to_list_of_substitutions(subs))


def describe_substitutions(subs: Iterable[Substitution]) -> str:
    """Return a readable description."""
    return " + ".join(sub.describe() for sub in subs)


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


__getattr__ = refuse_names(
    __name__,
    (
        "create_future",
        "ensure_argument_type",
        "normalize_typed_substitution",
        "perform_typed_substitution",
        "visit_all_entities_and_collect_futures",
        "SignalHandlerOptions",
        "AsyncSafeSignalManager",
    ),
    "launch",
)
