"""Several actions as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..base import Action, Condition, LaunchContext, LaunchDescriptionEntity
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities import perform_text


class GroupAction(Action):
    """Performs its actions, by default in their own scope.

    What a scoped group sets (configurations, environment, and with launch_ros the namespace,
    parameters and remappings) ends with it. ``forwarding=False`` also hides the outer scope.
    """

    def __init__(
        self,
        actions: Iterable[LaunchDescriptionEntity],
        *,
        scoped: bool = True,
        forwarding: bool = True,
        launch_configurations: Mapping[SomeSubstitutionsType, SomeSubstitutionsType] | None = None,
        condition: Condition | None = None,
    ) -> None:
        super().__init__(condition=condition)
        self.__actions = list(actions)
        self.__scoped = scoped
        self.__forwarding = forwarding
        self.__launch_configurations = dict(launch_configurations or {})

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the actions of the group."""
        return self.__actions

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the actions, when nothing decides about them."""
        return [] if self.condition is not None else self.__actions

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        """Return the actions, when a condition decides about them."""
        if self.condition is None:
            return []
        return [(self.condition.describe(), self.__actions)]

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Return the actions, between the two ends of the scope."""
        given = {
            perform_text(context, name): perform_text(context, value)
            for name, value in self.__launch_configurations.items()
        }
        if not self.__scoped:
            context.launch_configurations.update(given)
            return self.__actions
        opening = PushScope(forwarding=self.__forwarding, kept=given)
        return [opening, *self.__actions, PopScope()]


class PushScope(Action):
    """Open a scope of launch configurations and environment.

    Without ``forwarding`` it starts empty, except for ``kept``.
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
