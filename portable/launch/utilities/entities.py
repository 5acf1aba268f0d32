"""Turn what users write as entities into lists of entities."""

from __future__ import annotations

from collections.abc import Iterable

from ..launch_description_entity import LaunchDescriptionEntity
from ..some_entities_type import SomeEntitiesType


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
