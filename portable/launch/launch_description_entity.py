"""The base of everything that can stand in a launch description."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class LaunchDescriptionEntity:
    """A node of the launch tree: visiting it performs it and yields what comes next."""

    def visit(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Perform this entity and return the entities to visit directly after it."""
        raise TypeError(f"{self.__class__.__name__} does not define visit()")

    def get_asyncio_future(self) -> asyncio.Future[None] | None:
        """Return what the launch has to wait for, or None when nothing is left running."""
        return None

    def describe(self) -> str:
        """Return a description for people."""
        return self.__repr__()

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities that visiting this one always leads to."""
        return []

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        """Return the entities that may follow later, each group with its condition as text."""
        return []
