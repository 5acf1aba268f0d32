"""A launch description: entities in the order in which they are performed."""

from __future__ import annotations

from collections.abc import Iterable

from .base import LaunchContext, LaunchDescriptionEntity
from .launch_arguments import DeclareLaunchArgument, declared_arguments
from .logging import get_logger


class LaunchDescription(LaunchDescriptionEntity):
    """A list of entities; it is itself one, so descriptions nest."""

    def __init__(
        self,
        initial_entities: Iterable[LaunchDescriptionEntity] | None = None,
        *,
        deprecated_reason: str | None = None,
    ) -> None:
        self.__entities = list(initial_entities) if initial_entities is not None else []
        self.__deprecated_reason = deprecated_reason

    @property
    def entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities themselves, not a copy."""
        return self.__entities

    @property
    def deprecated(self) -> bool:
        """Return whether the author marked this description as deprecated."""
        return self.__deprecated_reason is not None

    @property
    def deprecated_reason(self) -> str | None:
        """Return why it is deprecated, or None."""
        return self.__deprecated_reason

    def visit(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Return the entities, to be visited in order."""
        if self.__deprecated_reason is not None:
            get_logger().warning(
                f"this launch description is deprecated: {self.__deprecated_reason}"
            )
        return self.__entities

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities."""
        return self.__entities

    def add_entity(self, entity: LaunchDescriptionEntity) -> None:
        """Append one entity."""
        self.__entities.append(entity)

    def add_action(self, action: LaunchDescriptionEntity) -> None:
        """Append one action."""
        self.add_entity(action)

    def get_launch_arguments(
        self, conditional_inclusion: bool = False
    ) -> list[DeclareLaunchArgument]:
        """Return the arguments declared here and in everything below, each name once."""
        return declared_arguments(self, conditional_inclusion)
