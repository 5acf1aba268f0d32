"""The guard is the default for every car but the built-in one."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_kit.launched import Launched
from vdsim_kit.ports import free_ports

GUARDED = {"vehicle_guard", "guarded_interface"}
CASES = {
    "another_car": ({"platform": "vds1", "plant": "false"}, GUARDED),
    "another_car_in_simulated_time": (
        {"platform": "vds1", "plant": "false", "use_sim_time": "true"},
        {"vehicle_interface"},
    ),
    "the_built_in_car": ({"platform": "fake"}, {"vehicle_interface"}),
}


@pytest.mark.parametrize("name", CASES)
def test_the_default_composition(name: str, tmp_path: Path) -> None:
    arguments, expected = CASES[name]
    command_port, state_port = free_ports(2)
    launch = Launched(
        tmp_path,
        "vdsim",
        namespace=f"default_{name}",
        plant_port=command_port,
        state_port=state_port,
        **arguments,
    )
    try:
        launch.wait(lambda: expected <= set(launch.pids()), f"the processes {expected}")
        assert set(launch.pids()) == expected
    finally:
        launch.end()


def test_a_simulator_of_others_has_a_guard(tmp_path: Path) -> None:
    ports = dict(zip(("control_port", "status_port"), free_ports(2), strict=True))
    launch = Launched(tmp_path, "morai", emulator="false", namespace="default_morai", **ports)
    try:
        launch.wait(lambda: set(launch.pids()) >= GUARDED, f"the processes {GUARDED}")
    finally:
        launch.end()
