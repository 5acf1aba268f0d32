"""A namespace for the nodes that follow."""

from __future__ import annotations

from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions

from launch import Action, Condition, LaunchContext

from ..ros_names import absolute_namespace, join_namespace
from ..scope_keys import NAMESPACE


class PushRosNamespace(Action):
    """Put the nodes that follow in this scope below ``namespace``."""

    def __init__(
        self, namespace: SomeSubstitutionsType, *, condition: Condition | None = None
    ) -> None:
        super().__init__(condition=condition)
        self.__namespace = normalize_to_list_of_substitutions(namespace)

    def execute(self, context: LaunchContext) -> None:
        """Extend the namespace of the scope."""
        own = perform_substitutions(context, self.__namespace)
        joined = join_namespace(context.launch_configurations.get(NAMESPACE, ""), own)
        if joined:
            context.launch_configurations[NAMESPACE] = absolute_namespace(joined)


PushROSNamespace = PushRosNamespace
