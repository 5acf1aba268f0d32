"""Autoware's pedals drive the car, and the pedals in effect come back."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from autoware_vehicle_msgs.srv import ControlModeCommand
from vdsim_kit.autoware import DRIVE, Autoware
from vdsim_kit.launched import Launched
from vdsim_kit.ports import free_ports

TIER4: Any = import_module("tier4_vehicle_msgs.msg")  # in no distribution, so never a dependency
INTERFACE = "/**: {ros__parameters: {vds1: {version: 5}}}"
ADAPTER = "/**: {ros__parameters: {actuation_status: true}}"


class Converter(Autoware):
    """With its raw_vehicle_cmd_converter, which sends pedals."""

    def __init__(self) -> None:
        super().__init__()
        self.accel = self.brake = 0.0
        self.applied: list[Any] = []
        self._pedals = self._node.create_publisher(
            TIER4.ActuationCommandStamped, "/control/command/actuation_cmd", 1
        )
        self._node.create_subscription(
            TIER4.ActuationStatusStamped,
            "/vehicle/status/actuation_status",
            lambda message: self.applied.append(message.status),
            1,
        )
        self._node.create_timer(0.03, self._publish_pedals)

    def _publish_pedals(self) -> None:
        message = TIER4.ActuationCommandStamped()
        message.actuation.accel_cmd, message.actuation.brake_cmd = self.accel, self.brake
        self._pedals.publish(message)


def test_pedals_drive_and_stop_the_car(tmp_path: Path) -> None:
    files = {"params_file": INTERFACE, "autoware_params_file": ADAPTER}
    given = {name: tmp_path / f"{name}.yaml" for name in files}
    for name, text in files.items():
        given[name].write_text(text, encoding="utf-8")
    command_port, state_port = free_ports(2)
    launch = Launched(
        tmp_path,
        "autoware",
        command="actuation",
        plant_port=command_port,
        state_port=state_port,
        dashboard="off",
        **given,
    )
    autoware = Converter()
    try:
        autoware.brake = 0.3
        autoware.wait(lambda: autoware.mode == ControlModeCommand.Request.AUTONOMOUS, "autonomous")
        autoware.gear = DRIVE
        autoware.wait(lambda: autoware.reported_gear == DRIVE, "gear DRIVE")
        autoware.accel, autoware.brake = 0.3, 0.0
        autoware.wait(lambda: autoware.velocity > 3.0, "3 m/s")

        def drives() -> None:
            assert autoware.applied[-1].accel_status == pytest.approx(0.3, abs=0.02)
            assert autoware.applied[-1].brake_status == pytest.approx(0.0, abs=0.02)

        autoware.shows(drives, "the pedals in effect")
        autoware.accel, autoware.brake = 0.0, 0.4
        autoware.wait(lambda: abs(autoware.velocity) < 0.05, "standstill")

        def brakes() -> None:
            assert autoware.applied[-1].brake_status == pytest.approx(0.4, abs=0.02)

        autoware.shows(brakes, "the brake in effect")
    finally:
        autoware.close()
        code = launch.end()
    assert code == 0
