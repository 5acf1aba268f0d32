"""An hour of a real drive's reports with the noise of usual sensors, given to the checks alone."""

from __future__ import annotations

import random

from vdsim_interface.platforms.vds1 import SPEC
from vdsim_interface.plausibility.watch import PlausibilityWatch
from vdsim_interface.values import HighLevelCommand, VehicleReport

from vdsim_kit.honest_drives import follow
from vdsim_kit.lying_platform import LyingPlatform
from vdsim_kit.plant_loop import PERIOD_S, PLAIN_WIRE, PlantLoop, geometry_of

SPEED_MPS, SIDE_MPS = 0.05, 0.05
POSITION_M = 0.03
HEADING_RAD, YAW_RATE_RADPS, ANGLE_RAD = 0.005, 0.01, 0.005
ACCEL_MPS2 = 0.3
SPIN_RADPS = 0.15
"""Standard deviations: odometer, RTK receiver, IMU of a passenger car."""
SLALOM_1PM = 0.03


class NoisyHour:
    """`seconds`: how long; `seed`: of the noise."""

    def __init__(self, seconds: float, seed: int = 1) -> None:
        self.seconds = seconds
        self._chance = random.Random(seed)

    def run(self) -> list[tuple[str, str]]:
        """Repeat the drive with other noise; return what was found."""
        drive = _driven()
        watch = PlausibilityWatch(SPEC.capabilities, geometry_of("ioniq5_awd"))
        found: list[tuple[str, str]] = []
        now, before = 0.0, ""
        while now < self.seconds:
            begin = now
            for report, effort in drive:
                now = begin + report.vehicle_time_s
                watch.update(self._noisy(report, now), lambda value=effort: value)
                if watch.doubt != before:
                    before = watch.doubt
                    found += [(name, before) for name in watch.found]
        return found

    def _noisy(self, report: VehicleReport, now: float) -> VehicleReport:
        gauss = self._chance.gauss
        spins = report.sensors.wheel_spin_radps
        fl, fr, rl, rr = (spin + gauss(0.0, SPIN_RADPS) for spin in spins)
        return report._replace(
            stamp_s=now,
            vehicle_time_s=now,
            velocity_mps=report.velocity_mps + gauss(0.0, SPEED_MPS),
            lateral_velocity_mps=report.lateral_velocity_mps + gauss(0.0, SIDE_MPS),
            front_wheel_angle_rad=report.front_wheel_angle_rad + gauss(0.0, ANGLE_RAD),
            x_m=report.x_m + gauss(0.0, POSITION_M),
            y_m=report.y_m + gauss(0.0, POSITION_M),
            yaw_rad=report.yaw_rad + gauss(0.0, HEADING_RAD),
            yaw_rate_radps=report.yaw_rate_radps + gauss(0.0, YAW_RATE_RADPS),
            accel_x_mps2=report.accel_x_mps2 + gauss(0.0, ACCEL_MPS2),
            sensors=report.sensors._replace(wheel_spin_radps=(fl, fr, rl, rr)),
        )


def _driven() -> list[tuple[VehicleReport, float]]:
    """Starts, stops, bends and standing still: a report each period, and the effort sent."""
    loop = PlantLoop(wrap=LyingPlatform, version=PLAIN_WIRE)
    platform = loop.platform
    assert isinstance(platform, LyingPlatform)
    side, drive = loop.pipeline.vehicle_side, []

    def record(command: HighLevelCommand) -> HighLevelCommand:
        assert isinstance(platform, LyingPlatform)
        if platform.true_report is not None:
            drive.append((platform.true_report, side.effort_mps2()))
        return command

    for speed in (3.0, 12.0, 0.0, 7.0, -3.0, 0.0):
        swing = SLALOM_1PM if abs(speed) < 10.0 else 0.2 * SLALOM_1PM
        legs = (0.0, swing, -swing)
        follow(
            loop,
            12.0,
            lambda t, s=speed, k=legs: record(HighLevelCommand(0.0, s, k[int(t / 4.0) % 3])),
        )
    assert len(drive) > 70.0 / PERIOD_S
    return drive
