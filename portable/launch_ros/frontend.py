"""The elements of XML and YAML launch files as actions.

Both formats give the same tree of elements; ``_MAKERS`` has a function for each kind. An element or
attribute that is unknown here is an error that names it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from launch.actions import (
    AppendEnvironmentVariable,
    DeclareLaunchArgument,
    ExecuteProcess,
    GroupAction,
    IncludeLaunchDescription,
    LogInfo,
    SetEnvironmentVariable,
    SetLaunchConfiguration,
    Shutdown,
    TimerAction,
    UnsetEnvironmentVariable,
)
from launch.conditions import IfCondition, UnlessCondition
from launch.launch_description_sources import AnyLaunchDescriptionSource, InvalidLaunchFileError

from launch import Action, Condition, LaunchDescription, Substitution

from .actions import (
    Node,
    PushRosNamespace,
    SetParameter,
    SetParametersFromFile,
    SetRemap,
)
from .parameter_descriptions import Parameter, ParameterFile, ParameterValue
from .substitution_text import as_substitution, split_words

_TYPES = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "list_of_str": list[str],
    "list_of_int": list[int],
    "list_of_float": list[float],
    "list_of_bool": list[bool],
}
# Attributes of a process that are options of ExecuteProcess under the same name.
_PROCESS_OPTIONS = (
    "cwd",
    "output",
    "shell",
    "emulate_tty",
    "respawn",
    "respawn_delay",
    "sigterm_timeout",
    "sigkill_timeout",
)


@dataclass(frozen=True)
class Element:
    """An element: attributes are scalars, texts in XML."""

    name: str
    attributes: Mapping[str, Any]
    children: tuple[Element, ...] = ()


class Reader:
    """The attributes and children of one element; ``finish`` rejects those that were not read."""

    def __init__(self, element: Element) -> None:
        self.element = element
        self._unread = dict(element.attributes)
        self._children = list(element.children)

    def raw(self, name: str) -> Any:
        """Return an attribute as it is, or None."""
        return self._unread.pop(name, None)

    def text(self, name: str) -> Substitution | None:
        """Return an attribute as a substitution, or None."""
        value = self.raw(name)
        return None if value is None else as_substitution(_as_text(value))

    def required(self, name: str) -> Substitution:
        """Return an attribute that must be there."""
        value = self.text(name)
        if value is None:
            raise InvalidLaunchFileError(f"<{self.element.name}>: attribute '{name}' is missing")
        return value

    def plain(self, name: str) -> str:
        """Return an attribute that must be there and without substitutions."""
        return _as_text(self.raw(name)) if name in self._unread else str(self.required(name))

    def words(self, name: str) -> list[Substitution]:
        """Return the words of an attribute, split as a shell does."""
        return [as_substitution(word) for word in split_words(_as_text(self.raw(name) or ""))]

    def children(self, *names: str) -> list[Reader]:
        """Return the children with these names."""
        found = [child for child in self._children if child.name in names]
        self._children = [child for child in self._children if child.name not in names]
        return [Reader(child) for child in found]

    def actions(self) -> list[Action]:
        """Return the actions of all remaining children."""
        rest, self._children = self._children, []
        return [action_of(child) for child in rest]

    def finish(self) -> None:
        """Reject attributes and children that were not read."""
        where = f"<{self.element.name}>"
        for name in self._unread:
            raise InvalidLaunchFileError(f"{where}: attribute '{name}' is not supported")
        for child in self._children:
            raise InvalidLaunchFileError(f"{where}: element <{child.name}> is not supported")


def description_of(root: Element, location: str) -> LaunchDescription:
    """Return the launch description of a file's root element."""
    try:
        if root.name != "launch":
            raise InvalidLaunchFileError(f"<{root.name}>: the root element must be <launch>")
        reader = Reader(root)
        reader.raw("version")
        actions = reader.actions()
        reader.finish()
    except InvalidLaunchFileError as error:
        raise InvalidLaunchFileError(f"launch file '{location}': {error}") from error
    return LaunchDescription(actions)


def action_of(element: Element) -> Action:
    """Return the action that an element describes."""
    maker = _MAKERS.get(element.name.replace("-", "_"))
    if maker is None:
        raise InvalidLaunchFileError(f"<{element.name}>: must be one of {', '.join(_MAKERS)}")
    reader = Reader(element)
    action = maker(reader, _condition(reader))
    reader.finish()
    return action


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _condition(reader: Reader) -> Condition | None:
    if_text, unless_text = reader.text("if"), reader.text("unless")
    if if_text is not None and unless_text is not None:
        raise InvalidLaunchFileError(f"<{reader.element.name}>: has both 'if' and 'unless'")
    if if_text is not None:
        return IfCondition([if_text])
    return None if unless_text is None else UnlessCondition([unless_text])


def _pairs(readers: Iterable[Reader], first: str, second: str) -> list[tuple[Any, Any]]:
    pairs = []
    for reader in readers:
        pairs.append((reader.required(first), reader.required(second)))
        reader.finish()
    return pairs


def _arg(reader: Reader, condition: Condition | None) -> Action:
    name, default = reader.plain("name"), reader.text("default")
    description = reader.raw("description")
    choices = []
    for choice in reader.children("choice"):
        choices.append(choice.plain("value"))
        choice.finish()
    return DeclareLaunchArgument(
        name,
        default_value=None if default is None else [default],
        description=None if description is None else str(description),
        choices=choices or None,
        condition=condition,
    )


def _include(reader: Reader, condition: Condition | None) -> Action:
    source = AnyLaunchDescriptionSource([reader.required("file")])
    arguments = _pairs(reader.children("arg", "let"), "name", "value")
    return IncludeLaunchDescription(source, launch_arguments=arguments, condition=condition)


def _group(reader: Reader, condition: Condition | None) -> Action:
    scoped, forwarding = reader.raw("scoped"), reader.raw("forwarding")
    kept = dict(_pairs(reader.children("keep"), "name", "value"))
    return GroupAction(
        reader.actions(),
        scoped=_as_text(scoped).lower() != "false",
        forwarding=_as_text(forwarding).lower() != "false",
        launch_configurations=kept,
        condition=condition,
    )


def _process_options(reader: Reader, condition: Condition | None) -> dict[str, Any]:
    options: dict[str, Any] = {
        name: value
        for name in _PROCESS_OPTIONS
        if (value := reader.text(name.replace("_", "-")) or reader.text(name)) is not None
    }
    prefix = reader.text("launch-prefix") or reader.text("launch_prefix")
    if prefix is not None:
        options["prefix"] = prefix
    retries = reader.raw("respawn_max_retries")
    if retries is not None:
        options["respawn_max_retries"] = int(retries)
    environment = _pairs(reader.children("env"), "name", "value")
    return {**options, "additional_env": dict(environment), "condition": condition}


def _executable(reader: Reader, condition: Condition | None) -> Action:
    cmd = reader.words("cmd")
    return ExecuteProcess(
        cmd=[*cmd, *reader.words("args")],
        name=reader.text("name"),
        **_process_options(reader, condition),
    )


def _node(reader: Reader, condition: Condition | None) -> Action:
    return Node(
        package=reader.text("pkg"),
        executable=reader.required("exec"),
        name=reader.text("name"),
        namespace=reader.text("namespace"),
        exec_name=reader.text("exec_name"),
        arguments=reader.words("args"),
        ros_arguments=reader.words("ros_args"),
        parameters=[_parameter(child) for child in reader.children("param")],
        remappings=_pairs(reader.children("remap"), "from", "to"),
        **_process_options(reader, condition),
    )


def _parameter(reader: Reader, prefix: str = "") -> Any:
    """Return a file, a named value, or a mapping for nested parameters."""
    file = reader.text("from")
    if file is not None:
        allow_substs = reader.text("allow_substs")
        reader.finish()
        return ParameterFile([file], allow_substs="false" if allow_substs is None else allow_substs)
    name = reader.plain("name")
    nested = reader.children("param")
    if nested:
        reader.finish()
        return {name: _mapping(nested)}
    return Parameter(name, _value(reader))


def _mapping(readers: Iterable[Reader]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for reader in readers:
        name, nested = reader.plain("name"), reader.children("param")
        values[name] = _mapping(nested) if nested else _value(reader)
    return values


def _value(reader: Reader) -> ParameterValue:
    value, type_name, separator = reader.raw("value"), reader.raw("type"), reader.raw("value-sep")
    reader.finish()
    if type_name is not None and type_name not in _TYPES:
        raise InvalidLaunchFileError(
            f"<param>: type='{type_name}': must be one of {', '.join(_TYPES)}"
        )
    if isinstance(value, str):
        parts = value.split(separator) if separator else None
        value = [as_substitution(value)] if parts is None else f"[{', '.join(parts)}]"
        value = [as_substitution(value)] if isinstance(value, str) else value
    return ParameterValue(value, value_type=_TYPES.get(type_name or ""))


def _append_env(reader: Reader, condition: Condition | None) -> Action:
    name, value = reader.required("name"), reader.required("value")
    prepend, separator = reader.text("prepend"), reader.text("separator")
    return AppendEnvironmentVariable(
        [name],
        [value],
        prepend=False if prepend is None else [prepend],
        separator=os.pathsep if separator is None else [separator],
        condition=condition,
    )


def _timer(reader: Reader, condition: Condition | None) -> Action:
    period = [reader.required("period")]
    return TimerAction(period=period, actions=reader.actions(), condition=condition)


_Maker = Callable[[Reader, Condition | None], Action]
_MAKERS: dict[str, _Maker] = {
    "append_env": _append_env,
    "arg": _arg,
    "executable": _executable,
    "group": _group,
    "include": _include,
    "let": lambda reader, condition: SetLaunchConfiguration(
        [reader.required("name")], [reader.required("value")], condition=condition
    ),
    "log": lambda reader, condition: LogInfo(msg=[reader.required("message")], condition=condition),
    "node": _node,
    "push_ros_namespace": lambda reader, condition: PushRosNamespace(
        [reader.required("namespace")], condition=condition
    ),
    "set_env": lambda reader, condition: SetEnvironmentVariable(
        [reader.required("name")], [reader.required("value")], condition=condition
    ),
    "set_parameter": lambda reader, condition: SetParameter(
        reader.plain("name"), _value(reader), condition=condition
    ),
    "set_parameters_from_file": lambda reader, condition: SetParametersFromFile(
        [reader.required("filename")], condition=condition
    ),
    "set_remap": lambda reader, condition: SetRemap(
        [reader.required("from")], [reader.required("to")], condition=condition
    ),
    "shutdown": lambda reader, condition: Shutdown(
        reason=[reader.text("reason") or as_substitution("reason not given")], condition=condition
    ),
    "timer": _timer,
    "unset_env": lambda reader, condition: UnsetEnvironmentVariable(
        [reader.required("name")], condition=condition
    ),
}
