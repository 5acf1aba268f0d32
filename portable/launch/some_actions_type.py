"""The name under which users import the type of an action or several."""

from .some_entities_type import SomeActionsType, SomeActionsType_types_tuple

__all__ = ["SomeActionsType", "SomeActionsType_types_tuple"]
