"""The ends of a group's scope."""

from __future__ import annotations

from collections.abc import Mapping

from ..action import Action
from ..launch_context import LaunchContext


class PushScope(Action):
    """Open a scope of launch configurations and environment.

    Without ``forwarding`` it begins empty, except for ``kept``.
    """

    def __init__(self, *, forwarding: bool, kept: Mapping[str, str]) -> None:
        super().__init__()
        self.__forwarding = forwarding
        self.__kept = kept

    def execute(self, context: LaunchContext) -> None:
        """Open it."""
        context._push_launch_configurations()
        context._push_environment()
        if not self.__forwarding:
            context._clear_scope()
        context.launch_configurations.update(self.__kept)


class PopScope(Action):
    """Close the scope."""

    def execute(self, context: LaunchContext) -> None:
        """Close it."""
        context._pop_environment()
        context._pop_launch_configurations()
