"""The commands and verbs, their modules, and those that only upstream's packages have.

A table of plain strings: `ros2 --help` is printed without importing any command.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Verb:
    """One action: its module has `add_<name>_arguments(parser)` and `run_<name>(args) -> int`."""

    module: str
    name: str
    summary: str


@dataclass(frozen=True)
class Command:
    """A group of verbs, and the upstream package that has the missing ones."""

    summary: str
    upstream: str
    verbs: Mapping[str, Verb] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Program:
    """A command without verbs: its module has `main(argv) -> int` and its own parser."""

    module: str
    summary: str


def _verbs(module: str, /, **summaries: str) -> dict[str, Verb]:
    return {name: Verb(f"ros2cli.{module}", name, text) for name, text in summaries.items()}


def _together(*groups: Mapping[str, Verb]) -> dict[str, Verb]:
    """Join the verbs of several modules, in the order of their names."""
    return dict(sorted((name, verb) for group in groups for name, verb in group.items()))


DOCTOR = Program("ros2cli.doctor", "Check ROS setup and other potential issues")

COMMANDS: Mapping[str, Command | Program] = {
    "component": Command(
        "Various component related sub-commands",
        "ros2component",
        _verbs(
            "component",
            list="Output a list of running containers and components",
            load="Load a component into a container node",
            unload="Unload a component from a container node",
        ),
        missing=("standalone", "types"),
    ),
    "doctor": DOCTOR,
    "interface": Command(
        "Show information about ROS interfaces",
        "ros2interface",
        _verbs(
            "interface",
            list="List all interface types available",
            package="Output a list of available interface types within one package",
            packages="Output a list of packages that provide interfaces",
            proto="Output an interface prototype",
            show="Output the interface definition",
        ),
    ),
    "launch": Program("ros2launch.cli", "Run a launch file"),
    "lifecycle": Command(
        "Various lifecycle related sub-commands",
        "ros2lifecycle",
        _verbs(
            "lifecycle",
            get="Get lifecycle state for one or more nodes",
            list="Output a list of available transitions",
            nodes="Output a list of nodes with lifecycle",
            set="Trigger lifecycle state transition",
        ),
    ),
    "node": Command(
        "Various node related sub-commands",
        "ros2node",
        _verbs(
            "node",
            info="Output information about a node",
            list="Output a list of available nodes",
        ),
    ),
    "param": Command(
        "Various param related sub-commands",
        "ros2param",
        _together(
            _verbs(
                "param",
                delete="Delete parameter",
                describe="Show descriptive information about declared parameters",
                get="Get parameter",
                list="Output a list of available parameters",
                set="Set parameter",
            ),
            _verbs(
                "param_files",
                dump="Show all of the parameters of a node in a YAML file format",
                load="Load parameter file for a node",
            ),
        ),
    ),
    "pkg": Command(
        "Various package related sub-commands",
        "ros2pkg",
        _verbs(
            "pkg",
            executables="Output a list of package specific executables",
            list="Output a list of available packages",
            prefix="Output the prefix path of a package",
            xml="Output the XML of the package manifest or a specific tag",
        ),
        missing=("create",),
    ),
    "run": Program("ros2cli.run", "Run a package specific executable"),
    "service": Command(
        "Various service related sub-commands",
        "ros2service",
        _verbs(
            "service",
            call="Call a service",
            find="Output a list of available services of a given type",
            info="Print information about a service",
            list="Output a list of available services",
            type="Output a service's type",
        ),
        missing=("echo",),
    ),
    "topic": Command(
        "Various topic related sub-commands",
        "ros2topic",
        _together(
            _verbs(
                "topic",
                find="Output a list of available topics of a given type",
                info="Print information about a topic",
                list="Output a list of available topics",
                pub="Publish a message to a topic",
                type="Print a topic's type",
            ),
            _verbs("topic_echo", echo="Output messages from a topic")
            | _verbs(
                "topic_monitor",
                bw="Display bandwidth used by topic",
                delay="Display delay of topic from timestamp in header",
                hz="Print the average publishing rate to screen",
            ),
        ),
    ),
}

ALIASES: Mapping[str, str] = {"wtf": "doctor"}

UPSTREAM_ONLY: Mapping[str, str] = {
    "action": "ros2action",
    "bag": "ros2bag",
    "control": "ros2controlcli",
    "daemon": "ros2cli",
    "extension_points": "ros2cli",
    "extensions": "ros2cli",
    "multicast": "ros2multicast",
    "plugin": "ros2plugin",
    "security": "sros2",
    "test": "ros2test",
    "trace": "ros2trace",
}
