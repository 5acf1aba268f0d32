"""A terminal that is closed ends its launch: all processes, all ports."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from vdsim_kit.launched import Launched, is_alive
from vdsim_kit.ports import free_ports, is_free

CASES: dict[str, tuple[str, dict[str, str], str]] = {
    "single": ("vdsim", {"composition": "single"}, "vehicle link up"),
    "container": ("vdsim", {"composition": "container"}, "vehicle link up"),
    "every_process": (
        "vdsim",
        {"composition": "processes", "teleop": "gamepad", "faults": "true"},
        "vehicle link up",
    ),
    "autohyu": ("autohyu", {}, "STATE at"),
}
LEAST_N = {"single": 2, "container": 2, "every_process": 9, "autohyu": 2}
"""Started processes; in the third: plant, relay and its node, four stages, teleop and device."""
LIMIT_S = 3.0
"""What docs/interface.md states; on a busy machine the test allows more."""
PATIENCE = 20.0


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_launch_whose_terminal_is_closed_ends(name: str, tmp_path: Path) -> None:
    file, arguments, ready = CASES[name]
    ports = dict(
        zip(
            ("plant_port", "state_port", "relay_command_port", "relay_state_port",
             "relay_control_port"),
            free_ports(5),
            strict=True,
        )
    )  # fmt: skip
    launch = Launched(
        tmp_path, file, has_terminal=True, namespace=f"closed_{name}", dashboard="off",
        **ports, **arguments,
    )  # fmt: skip
    try:
        launch.wait(lambda: ready in launch.output, ready)
        pids = [pid for started in launch.pids().values() for pid in started]
        assert len(pids) >= LEAST_N[name]
        launch.close_terminal()
        # Upstream's launch is killed by the closed terminal; its processes end by themselves.
        deadline = time.monotonic() + LIMIT_S * PATIENCE
        launch.process.wait(LIMIT_S * PATIENCE)
        while any(is_alive(pid) for pid in pids) and time.monotonic() < deadline:
            time.sleep(0.05)
        alive = [pid for pid in pids if is_alive(pid)]
    finally:
        launch.end()
    assert not alive, f"still there: {alive}"
    assert all(is_free(port) for port in ports.values())
