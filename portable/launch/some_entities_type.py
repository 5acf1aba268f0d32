"""What a parameter that takes entities accepts."""

from __future__ import annotations

from collections.abc import Iterable

from .launch_description_entity import LaunchDescriptionEntity

SomeEntitiesType = LaunchDescriptionEntity | Iterable[LaunchDescriptionEntity]
SomeEntitiesType_types_tuple = (LaunchDescriptionEntity, Iterable)
SomeActionsType = SomeEntitiesType
SomeActionsType_types_tuple = SomeEntitiesType_types_tuple
