"""Launch arguments as a table; every value is checked before the first process starts.

Upstream's launch loses a process that it is just starting when an error ends the launch in the same
turn: the process runs on. So a launch file declares all arguments, its own and those of the files
that it builds on, then checks all values, and then returns its processes at once.
"""

from __future__ import annotations

import difflib
import importlib.util
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitutions import PathJoinSubstitution
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions
from launch_ros.substitutions import FindPackageShare

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from vdsim_interface.ros.launching.checks import Check

Argument: TypeAlias = (
    tuple[SomeSubstitutionsType, str] | tuple[SomeSubstitutionsType, str, list[str] | Check]
)
"""Default, description, and the allowed values or their check unless every value is allowed."""
Given: TypeAlias = Mapping[str, str]
"""The value of every argument by name."""
Start: TypeAlias = Callable[[Given, LaunchContext], Iterable[LaunchDescriptionEntity]]
"""Checks what several values decide together; returns the processes. Starts nothing by itself."""

SWITCH = ["true", "false"]
PREFIX = "vdsim_"
NONE_PREFIXED: Mapping[str, Callable[[str], bool]] = {}
_SHARE = FindPackageShare("vdsim_interface")
_SIMILAR = 0.8
"""How similar a name of another launch file must be to be taken for a misspelt one of ours."""
_LAUNCH_OWN = frozenset(
    {"sigterm_timeout", "sigkill_timeout", "emulate_tty", "use_sim_time", "log_level"}
)
_LAUNCH_PREFIXES = ("launch-", "ros_", "global_")


def launch_description(
    file: str,
    arguments: Mapping[str, Argument],
    start: Start,
    prefixed: Mapping[str, Callable[[str], bool]] = NONE_PREFIXED,
) -> LaunchDescription:
    """Return the description of a launch file: declare, check every value, and only then start.

    `prefixed`: names that launch files which include this one use for something else, because every
    value of theirs arrives here, too. Such an argument is declared with PREFIX; its name without
    counts when the user started this file, or for values of which the function says that they are
    meant for it. `start` gets all values by their names without.
    """

    def check_and_start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        configured = context.launch_configurations
        is_first = started_directly(file)
        names = {name: f"{PREFIX}{name}" if name in prefixed else name for name in arguments}
        given = {name: configured[shown] for name, shown in names.items()}
        foreign = []
        for name, is_meant in prefixed.items():
            value = configured.get(name, "")
            if value and (is_first or is_meant(value)):
                default = normalize_to_list_of_substitutions(arguments[name][0])
                if given[name] == perform_substitutions(context, default):
                    given[name], names[name] = value, name
            elif value:
                foreign.append(f"{name}:={value} (ours is {PREFIX}{name})")
        check_values(given, arguments, names)
        left = f"left to the launch file that includes {Path(file).name}: {', '.join(foreign)}"
        said = [LogInfo(msg=f"[INFO] {left}")] if foreign else []
        return [*said, *start(given, context)]

    def refuse_unknown(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        known = [*declared, *prefixed]
        name, is_first = Path(file).name, started_directly(file)
        lines = undeclared(context.launch_configurations, known, name, is_first=is_first)
        if is_first and lines:
            raise RuntimeError("; ".join(lines))
        return [LogInfo(msg=f"[WARNING] {line}; ignored") for line in lines]

    declared = {
        **{name: item for name, item in arguments.items() if name not in prefixed},
        **{f"{PREFIX}{name}": _with_older_name(name, arguments[name]) for name in prefixed},
    }
    return LaunchDescription(
        [
            OpaqueFunction(function=refuse_unknown),
            *_declared(declared),
            OpaqueFunction(function=check_and_start),
        ]
    )


def started_directly(file: str) -> bool:
    """Whether the user started this launch file, and no other one includes it."""
    return any(Path(word).name == Path(file).name for word in sys.argv)


def _with_older_name(name: str, argument: Argument) -> Argument:
    default, text, *allowed = argument
    return (default, f"{text} (older name: {name})", *allowed)  # type: ignore[return-value]


def _declared(arguments: Mapping[str, Argument]) -> list[DeclareLaunchArgument]:
    return [
        DeclareLaunchArgument(
            name,
            default_value=default,
            description=text,
            choices=allowed[0] if allowed and isinstance(allowed[0], list) else None,
        )
        for name, (default, text, *allowed) in arguments.items()
    ]


def check_values(
    given: Given, arguments: Mapping[str, Argument], shown: Mapping[str, str] | None = None
) -> None:
    """Raise the error of the first wrong value: argument, value, what is allowed.

    `shown`: the names by which the user gave them.
    """
    for name, (_, _, *allowed) in arguments.items():
        word = f"{(shown or {}).get(name, name)}:={given[name]}"
        if not allowed:
            continue
        if isinstance(allowed[0], list):
            if given[name] not in allowed[0]:  # declared by another name, launch has not checked it
                raise RuntimeError(f"{word}: must be one of {', '.join(allowed[0])}")
        elif rule := allowed[0](given[name]):
            raise RuntimeError(f"{word}: {rule}")


def undeclared(given: Given, arguments: Collection[str], file: str, *, is_first: bool) -> list[str]:
    """Name the values that no argument takes.

    `is_first`: the user started this file, so that every value is meant for it. Other files pass
    their own arguments along; then only a name that looks misspelt counts.
    """
    lines = []
    missing = [name for name in arguments if name not in given]
    for name, value in given.items():
        if name in arguments or name in _LAUNCH_OWN or name.startswith(_LAUNCH_PREFIXES):
            continue
        cutoff = 0.6 if is_first else _SIMILAR
        close = difflib.get_close_matches(name, missing, n=1, cutoff=cutoff)
        if close or is_first:
            hint = f"; did you mean {close[0]}?" if close else ""
            lines.append(f"{name}:={value}: {file} has no such argument{hint}")
    return lines


def namespace_of(given: Given, context: LaunchContext) -> str:
    """Return the absolute namespace of nodes in the argument `namespace`."""
    own = given["namespace"]
    if own.startswith("/"):
        return own.rstrip("/")
    outer = context.launch_configurations.get("ros_namespace", "").strip("/")
    return "".join(f"/{part}" for part in (outer, own.strip("/")) if part)


def config_file(name: str) -> PathJoinSubstitution:
    """A shipped parameter file, as the default of an argument."""
    return PathJoinSubstitution([_SHARE, "config", name])


def shipped(name: str, context: LaunchContext) -> Path:
    """The path of a shipped parameter file or folder."""
    return Path(config_file(name).perform(context))


def fragment(file: str, name: str) -> ModuleType:
    """Load the launch file `name` beside `file`, for its arguments and processes."""
    path = Path(file).resolve().with_name(name)
    spec = importlib.util.spec_from_file_location(name.partition(".")[0] + "_fragment", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
