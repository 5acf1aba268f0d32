"""`ros2 param` against a real node."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

RunRos2 = Callable[..., subprocess.CompletedProcess[str]]
StartRos2 = Callable[..., subprocess.Popen[str]]

pytestmark = pytest.mark.usefixtures("target")

PATIENT = ("--timeout", "100")
"""A command on a machine that others use may wait long for its first answer."""


def test_list_with_types(ros2: RunRos2) -> None:
    text = ros2("param", "list", "/ns/target", "--param-type", "--filter", "g.*", *PATIENT).stdout
    assert text == (
        "  gain (type: double)\n"
        "  group.limits (type: double array)\n"
        "  group.names (type: string array)\n"
    )


def test_get_and_refused_set(start_ros2: StartRos2) -> None:
    get, bare, unset, refused = (
        start_ros2("param", verb, "/ns/target", *rest, *PATIENT)
        for verb, *rest in (
            ("get", "group.limits"),
            ("get", "gain", "--hide-type"),
            ("get", "unset"),
            ("set", "gain", "many"),
        )
    )
    assert get.communicate() == ("Double values are: [1.0, 2.5]\n", "")
    assert bare.communicate() == ("1.5\n", "")
    assert unset.communicate() == ("", "Parameter not set: 'unset'\n")
    assert refused.communicate()[1].startswith("Setting parameter failed: ")
    assert unset.returncode == refused.returncode == 1


def test_describe(ros2: RunRos2) -> None:
    assert ros2("param", "describe", "/ns/target", "gain", *PATIENT).stdout == (
        "Parameter name: gain\n  Type: double\n  Description: a gain\n  Constraints:\n"
        "    Min value: 0.0\n    Max value: 10.0\n    Step: 0.5\n"
    )


def test_what_is_dumped_can_be_loaded(ros2: RunRos2, tmp_path: Path) -> None:
    dumped = ros2("param", "dump", "/ns/target", *PATIENT)
    values = yaml.safe_load(dumped.stdout)["/ns/target"]["ros__parameters"]
    assert values["group"] == {"limits": [1.0, 2.5], "names": ["a", "b"]}
    assert "unset" not in values

    path = tmp_path / "parameters.yaml"
    path.write_text("/**: {ros__parameters: {gain: 3.0, group: {names: [c]}}}\n", encoding="utf-8")
    loaded = ros2("param", "load", "/ns/target", str(path), *PATIENT)
    assert loaded.returncode == 0
    assert loaded.stdout == (
        "Set parameter gain successful\nSet parameter group.names successful\n"
    )
    path.write_text(dumped.stdout.replace("gain: 1.5", "gain: 2.5"), encoding="utf-8")
    assert (
        ros2("param", "load", "/ns/target", str(path), *PATIENT).returncode == 1
    )  # some are read-only
    assert ros2("param", "get", "/ns/target", "gain", *PATIENT).stdout == "Double value is: 2.5\n"


def test_unknown_node_is_one_line(ros2: RunRos2) -> None:
    done = ros2("param", "get", "/nobody", "gain", "--timeout", "0.3")
    assert (done.returncode, done.stderr) == (1, "Node not found: '/nobody'\n")
