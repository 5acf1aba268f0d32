"""Find the launch arguments that a description declares, without running it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .action import Action
from .actions.declare_launch_argument import DeclareLaunchArgument
from .actions.include_launch_description import IncludeLaunchDescription
from .launch_description_entity import LaunchDescriptionEntity


@dataclass(frozen=True)
class DeclaredArgument:
    """A declaration, whether it is conditional, and the arguments the way to it has fixed."""

    declaration: DeclareLaunchArgument
    is_conditional: bool
    given: frozenset[str]


def walk(
    entity: LaunchDescriptionEntity,
    is_conditional: bool = False,
    given: frozenset[str] = frozenset(),
) -> Iterator[DeclaredArgument]:
    """Yield every declaration in or below ``entity``, in the order of the description."""
    if isinstance(entity, DeclareLaunchArgument):
        yield DeclaredArgument(entity, is_conditional or entity.condition is not None, given)
        return
    if isinstance(entity, IncludeLaunchDescription):
        given = given | entity.literal_argument_names()
    below_condition = is_conditional or (isinstance(entity, Action) and bool(entity.condition))
    for child in entity.describe_sub_entities():
        yield from walk(child, below_condition, given)
    for _, children in entity.describe_conditional_sub_entities():
        for child in children:
            yield from walk(child, True, given)


def declared_arguments(
    entity: LaunchDescriptionEntity, conditional_inclusion: bool = False
) -> list[DeclareLaunchArgument]:
    """Return the declarations that a caller may set, the first of each name.

    An argument that an include on the way sets itself is not for the caller to give.
    """
    first: dict[str, DeclareLaunchArgument] = {}
    for found in walk(entity, conditional_inclusion):
        if found.declaration.name not in found.given:
            first.setdefault(found.declaration.name, found.declaration)
    return list(first.values())


def required_arguments(entity: LaunchDescriptionEntity) -> list[DeclareLaunchArgument]:
    """Return the declarations without default that are reached unconditionally."""
    return [
        found.declaration
        for found in walk(entity)
        if not found.is_conditional
        and found.declaration.default_value is None
        and found.declaration.name not in found.given
    ]
