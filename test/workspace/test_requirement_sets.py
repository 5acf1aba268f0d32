"""Which packages a command waits for, and that the sets are complete."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from workspace.distro import Distro
from workspace.layout import Layout
from workspace.wheel_route import requirement_sets, wheel_build
from workspace.wheel_route.requirement_sets import (
    CAN,
    DEVELOP,
    EVERY,
    FIRST,
    KEYS,
    PLOTS,
    RECORD,
)

ROOT = Path(__file__).resolve().parents[2]
LAYOUT = Layout(ROOT, "jazzy")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("build", ()),
        ("ros2 launch vdsim_interface vdsim.launch.py", ()),
        ("ros2 topic pub /x", ()),
        ("ros2 run vdsim_plant_node vdsim_plot", (PLOTS,)),
        ("ros2 run vdsim_interface vdsim_why", ()),
        ("ros2 run vdsim_interface vdsim_why drive.mcap --at 12", (RECORD,)),
        ("ros2 run somebodys_package node", (PLOTS,)),
        ("ros2 launch somebodys_package car.launch.py", (PLOTS,)),
        ("ros2 launch vdsim_interface vdsim.launch.py params_file:=filters.yaml", (PLOTS,)),
        ("ros2 launch vdsim_interface vdsim.launch.py car_params_file:=car.yaml", (PLOTS,)),
        ("ros2 param set /vehicle/vehicle_interface long_accel.type butterworth", (PLOTS,)),
        ("ros2 run vdsim_interface vehicle_interface --ros-args -p rate_hz:=50.0", (PLOTS,)),
        ("ros2 topic pub --print 20 /x", ()),
        ("ros2 run vdsim_can vdsim_can check car.yaml", (CAN,)),
        ("ros2 launch vdsim_interface vdsim.launch.py platform:=can", (CAN,)),
        ("ros2 launch vdsim_interface vdsim.launch.py record:=drive.mcap", (RECORD,)),
        ("ros2 run vdsim_plant_node vdsim_replay drive.mcap", (PLOTS, RECORD)),
        ("secure keys", (KEYS,)),
        ("test", (PLOTS, DEVELOP, KEYS, CAN, RECORD)),
        ("colcon build", (PLOTS, DEVELOP, KEYS, CAN, RECORD)),
        ("python examples/path_follower.py", ()),
        ("python examples/mpc_low_mu.py", ()),
        ("python examples/torque_vectoring.py", (PLOTS,)),
        ("python examples/task_controllers.py", (PLOTS,)),
        ("python -c pass", ()),
        ("python -c import\tpandas", (PLOTS,)),
        ("python -c from\tvdsim_plant.study\timport\ttasks", (PLOTS,)),
        ("python -c no\tpython", (PLOTS,)),
        ("python -m somebodys_module", (PLOTS,)),
        ("python no_such_file.py", (PLOTS,)),
        ("python -m pytest test/test_size.py", (PLOTS, DEVELOP, KEYS, CAN, RECORD)),
        ("python bench/plant/bench_plant.py", (PLOTS, DEVELOP, KEYS, CAN, RECORD)),
        ("vdsim_vehicle check car.yaml", ()),
        ("vdsim_identify log.csv", (PLOTS,)),
    ],
)
def test_a_command_waits_for_what_it_needs(command: str, expected: tuple[object, ...]) -> None:
    name, *rest = (word.replace("\t", " ") for word in command.split(" "))
    assert requirement_sets.needed_by(name, rest) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ros2 launch vdsim_interface vdsim.launch.py", False),
        ("ros2 topic echo /vehicle/odometry", False),
        ("build", False),
        ("ros2 launch vdsim_autoware autoware_simulator.launch.py", True),
        ("ros2 run vdsim_interface ackermann_adapter", True),
        ("ros2 topic pub /x autoware_control_msgs/msg/Control", True),
        ("vdsim_autoware_conformance", True),
        ("pytest test", True),
        ("python examples/path_follower.py", False),
        ("python examples/closed_loop_sim.py", False),
        ("python -c import\tautoware_control_msgs", True),
        ("python -c pass", False),
        ("python my_own.py", True),
    ],
)
def test_messages_of_other_stacks_are_compiled_for_who_may_use_them(
    command: str, expected: bool
) -> None:
    name, *rest = (word.replace("\t", " ") for word in command.split(" "))
    assert requirement_sets.speaks_to_other_stacks(name, rest) is expected


def test_a_first_build_compiles_the_messages_that_each_node_needs() -> None:
    folders = wheel_build.interface_packages(LAYOUT, Distro("jazzy", "wheels"))
    names = {folder.name for folder in folders}
    assert {"vdsim_msgs", "autohyu_msgs"} <= names
    assert not [name for name in names if name.startswith(("autoware_", "tier4_", "ackermann_"))]


def _names(sets: tuple[requirement_sets.RequirementSet, ...], distro: str) -> list[str]:
    lines = [
        line
        for requirements in sets
        for path in requirements.paths(LAYOUT, Distro(distro, "wheels"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    return [re.split(r"[=\[;]", line)[0].lower().replace("_", "-") for line in lines]


@pytest.mark.parametrize("distro", ["jazzy", "kilted"])
def test_every_requirement_is_in_one_set(distro: str) -> None:
    for left in EVERY:
        for right in EVERY:
            shared = set(_names((left,), distro)) & set(_names((right,), distro))
            assert left is right or not shared


def test_the_first_drive_waits_for_no_scipy() -> None:
    """It is a fifth of the download, and no launch with the shipped parameters imports it."""
    assert "scipy" not in _names(FIRST, "jazzy")
    assert "scipy" in _names((PLOTS,), "jazzy")


def test_what_the_first_packages_need_is_pinned() -> None:
    """pip resolves nothing: a package without a line would be missing."""
    every = set(_names(EVERY, "jazzy"))
    for name in _names(FIRST, "jazzy"):
        try:
            needs = requires(name) or []
        except PackageNotFoundError:
            continue  # an installed ROS 2, or a pin for another version of Python
        for need in map(Requirement, needs):
            if need.marker is None or need.marker.evaluate({"extra": ""}):
                assert need.name.lower().replace("_", "-") in every, name
