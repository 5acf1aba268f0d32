"""Run a ROS node."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from launch.actions import ExecuteProcess
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import perform_text

from launch import LaunchContext, LaunchDescriptionEntity

from ..names import (
    GLOBAL_PARAMETERS,
    GLOBAL_REMAPS,
    NAMESPACE,
    absolute_namespace,
    check_node_name,
    join_namespace,
)
from ..node_parameters import parameter_arguments
from ..substitutions import ExecutableInPackage

SomeRemapRules = Iterable[tuple[SomeSubstitutionsType, SomeSubstitutionsType]]


class Node(ExecuteProcess):
    """A process with a ROS node: ExecuteProcess with packages, names and parameters."""

    UNSPECIFIED_NODE_NAME = "<node_name_unspecified>"
    UNSPECIFIED_NODE_NAMESPACE = ""

    def __init__(
        self,
        *,
        executable: SomeSubstitutionsType,
        package: SomeSubstitutionsType | None = None,
        name: SomeSubstitutionsType | None = None,
        namespace: SomeSubstitutionsType | None = None,
        exec_name: SomeSubstitutionsType | None = None,
        parameters: Iterable[Any] | None = None,
        remappings: SomeRemapRules | None = None,
        ros_arguments: Iterable[SomeSubstitutionsType] | None = None,
        arguments: Iterable[SomeSubstitutionsType] | None = None,
        **process_options: Any,
    ) -> None:
        program = executable if package is None else ExecutableInPackage(executable, package)
        super().__init__(cmd=[program], name=exec_name, **process_options)
        if isinstance(parameters, (str, dict)):
            raise TypeError("Node: parameters must be a list of mappings and files")
        self.__package = package
        self.__executable = executable
        self.__name = name
        self.__namespace = namespace
        self.__parameters = list(parameters or ())
        self.__remappings = list(remappings or ())
        self.__ros_arguments = list(ros_arguments or ())
        self.__arguments = list(arguments or ())
        self.__full_name: str | None = None

    @property
    def node_package(self) -> SomeSubstitutionsType | None:
        """Return the package as given."""
        return self.__package

    @property
    def node_executable(self) -> SomeSubstitutionsType:
        """Return the executable as given."""
        return self.__executable

    @property
    def node_name(self) -> str:
        """Return the full name of the node, once it is started."""
        if self.__full_name is None:
            raise RuntimeError("the name of a node is known only after it has been executed")
        return self.__full_name

    def is_node_name_fully_specified(self) -> bool:
        """Return whether the launch file sets both name and namespace."""
        return self.__full_name is not None and (self.UNSPECIFIED_NODE_NAME not in self.__full_name)

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Start the node."""
        try:
            return super().execute(context)
        except (FileNotFoundError, TypeError, ValueError) as error:
            who = self.__executable if isinstance(self.__executable, str) else self.describe()
            raise ValueError(f"node '{who}': {error}") from error

    def _perform_cmd(self, context: LaunchContext) -> list[str]:
        name = None if self.__name is None else check_node_name(perform_text(context, self.__name))
        namespace = self._perform_namespace(context)
        shown_name = name or self.UNSPECIFIED_NODE_NAME
        self.__full_name = f"{(namespace or '').rstrip('/')}/{shown_name}"
        cmd = super()._perform_cmd(context)
        cmd += [perform_text(context, argument) for argument in self.__arguments]
        if self.__ros_arguments:
            given = [perform_text(context, argument) for argument in self.__ros_arguments]
            cmd += ["--ros-args", *given]
        return [*cmd, "--ros-args", *self._ros_arguments(context, name, namespace)]

    def _perform_namespace(self, context: LaunchContext) -> str | None:
        base = context.launch_configurations.get(NAMESPACE, "")
        own = "" if self.__namespace is None else perform_text(context, self.__namespace)
        joined = join_namespace(base, own)
        return absolute_namespace(joined) if joined else None

    def _ros_arguments(
        self, context: LaunchContext, name: str | None, namespace: str | None
    ) -> list[str]:
        arguments = [] if name is None else ["-r", f"__node:={name}"]
        arguments += [] if namespace is None else ["-r", f"__ns:={namespace}"]
        for global_parameter in context._scoped_values(GLOBAL_PARAMETERS):
            arguments += global_parameter
        node = "/**" if name is None else f"{(namespace or '/**').rstrip('/')}/{name}"
        arguments += parameter_arguments(context, self.__parameters, node)
        for source, target in [
            *context._scoped_values(GLOBAL_REMAPS),
            *((perform_text(context, a), perform_text(context, b)) for a, b in self.__remappings),
        ]:
            arguments += ["-r", f"{source}:={target}"]
        return arguments
