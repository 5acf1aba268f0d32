"""Namespace, parameters and remappings for all nodes that follow in a scope."""

from __future__ import annotations

from typing import Any

from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions

from launch import Action, Condition, LaunchContext

from ..names import GLOBAL_PARAMETERS, GLOBAL_REMAPS, NAMESPACE, absolute_namespace, join_namespace
from ..node_parameters import rule
from ..parameter_descriptions import Parameter, ParameterFile


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


class SetParameter(Action):
    """Set a parameter of the nodes that follow in this scope; their own values take precedence."""

    def __init__(
        self, name: SomeSubstitutionsType, value: Any, *, condition: Condition | None = None
    ) -> None:
        super().__init__(condition=condition)
        self.__parameter = Parameter(name, value)

    def execute(self, context: LaunchContext) -> None:
        """Add it to the scope."""
        argument = rule(*self.__parameter.evaluate(context))
        context._add_scoped_value(GLOBAL_PARAMETERS, ["-p", argument])


class SetUseSimTime(SetParameter):
    """Set ``use_sim_time`` of the nodes that follow in this scope."""

    def __init__(self, value: Any, *, condition: Condition | None = None) -> None:
        super().__init__("use_sim_time", value, condition=condition)


class SetParametersFromFile(Action):
    """Pass a file with parameters to the nodes that follow in this scope."""

    def __init__(
        self,
        filename: SomeSubstitutionsType | ParameterFile,
        *,
        condition: Condition | None = None,
    ) -> None:
        super().__init__(condition=condition)
        self.__file = filename if isinstance(filename, ParameterFile) else ParameterFile(filename)

    def execute(self, context: LaunchContext) -> None:
        """Add it to the scope."""
        path = str(self.__file.evaluate(context))
        context._add_scoped_value(GLOBAL_PARAMETERS, ["--params-file", path])


class SetRemap(Action):
    """Remap the name ``src`` to ``dst`` in the nodes that follow in this scope."""

    def __init__(
        self,
        src: SomeSubstitutionsType,
        dst: SomeSubstitutionsType,
        *,
        condition: Condition | None = None,
    ) -> None:
        super().__init__(condition=condition)
        self.__src = normalize_to_list_of_substitutions(src)
        self.__dst = normalize_to_list_of_substitutions(dst)

    def execute(self, context: LaunchContext) -> None:
        """Add it to the scope."""
        pair = (
            perform_substitutions(context, self.__src),
            perform_substitutions(context, self.__dst),
        )
        context._add_scoped_value(GLOBAL_REMAPS, pair)
