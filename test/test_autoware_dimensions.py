"""The simulated car turns with the wheelbase of Autoware's vehicle description, by any adapter."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from autoware_vehicle_msgs.msg import ControlModeReport
from vdsim_kit.autoware import DRIVE, Autoware
from vdsim_kit.launched import Launched
from vdsim_kit.ports import free_ports

WHEEL_BASE_M = 2.2
INFO = (
    f"/**: {{ros__parameters: {{wheel_base: {WHEEL_BASE_M}, wheel_tread: 1.6, front_overhang: 0.8, "
    "rear_overhang: 0.9, left_overhang: 0.1, right_overhang: 0.1, max_steer_angle: 0.4}}"
)
STEER_RAD = 0.2
MANUAL = ControlModeReport.MANUAL


@pytest.mark.parametrize("adapter", ["node", "inside"])
def test_the_car_turns_with_autowares_wheelbase(adapter: str, tmp_path: Path) -> None:
    file = tmp_path / "vehicle_info.param.yaml"
    file.write_text(INFO, encoding="utf-8")
    command_port, state_port = free_ports(2)
    launch = Launched(
        tmp_path,
        "autoware",
        vehicle_info_param_file=file,
        plant_port=command_port,
        state_port=state_port,
        dashboard="off",
        adapter=adapter,
    )
    autoware = Autoware()
    try:
        autoware.gear = DRIVE
        autoware.wait(lambda: autoware.reported_gear == DRIVE, "gear DRIVE")
        autoware.drive(2.0, 1.0, STEER_RAD)
        autoware.wait(lambda: autoware.heading_rad > 0.25 * math.pi, "an eighth of a circle")
        motion = autoware.status("velocity_status")
        angle_rad = autoware.status("steering_status").steering_tire_angle
        wheel_base_m = motion.longitudinal_velocity * math.tan(angle_rad) / motion.heading_rate
        assert wheel_base_m == pytest.approx(WHEEL_BASE_M, rel=0.03)
        assert abs(motion.lateral_velocity) < 0.05, "the rear axle rolls without slip"
        autoware.steer_rad = 0.9
        angles: list[float] = []

        def is_at_the_limit() -> bool:
            angles.append(autoware.status("steering_status").steering_tire_angle)
            return len(angles) > 20 and min(angles[-20:]) > 0.395

        autoware.wait(is_at_the_limit, "the limit of the steering")
        assert max(angles) < 0.405
        assert autoware.request(MANUAL)
        autoware.wait(lambda: autoware.mode == MANUAL, "MANUAL")
        assert "no such parameter" not in launch.output
    finally:
        autoware.close()
        code = launch.end()
    assert code == 0
