"""Yaw rate -> a slow, bounded correction of the wheel angle, so that the path has its curvature.

The wheel angle of a curvature comes from the geometry and the understeer gradient (curvature.py).
What tyres, load and differentials change beyond that shows in the yaw rate. The correction is one
factor on the angle: it is right for both sides, and changes slowly, so it is no yaw controller. It
learns in steady bends only, while no rule holds the angle. It acts while a curvature is asked for,
also on the angle that the limit of the lateral acceleration leaves: that limits the curvature.
"""

import math

from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.values import (
    Authority,
    HighLevelCommand,
    SafeCommand,
    VehicleCommand,
    VehicleReport,
)
from vdsim_interface.values.records import record

LEAST_CURVATURE_1PM = 5e-4
LEAST_SPEED_MPS = 2.0
MOST_LATERAL_MPS2 = 4.5
"""Beyond this the tyres' limit is near, where more angle may give less."""
TIME_S = 0.8
BOUND_LESS, BOUND_MORE = -0.1, 0.25
STEADY_RADPS = 0.05
LONGEST_STEP_S = 0.05
COMMAND = Authority.COMMAND


class CurvatureTrim:
    """`share`: how much more wheel angle than the geometry says."""

    def __init__(self, geometry: VehicleGeometry) -> None:
        self._front_max_rad = geometry.front_wheel_angle_max_rad
        self._enabled = geometry.curvature_correction
        self._reset(None)

    def _reset(self, vehicle_s: float | None) -> None:
        self.share = 0.0
        self._vehicle_s = vehicle_s
        self._angle_rad = math.nan
        self._is_gated = self._is_active = False

    def skip(self) -> None:
        """The gate sends another angle than the corrected one: what follows teaches nothing."""
        self._is_gated = self._is_active = True

    def step(self, safe: SafeCommand, report: VehicleReport | None, fresh: bool) -> VehicleCommand:
        """Return the motion command of one period with its front wheel angle corrected."""
        command, received = safe.command, safe.received
        motion = command.vehicle
        if (
            not self._enabled
            or not isinstance(received, HighLevelCommand)
            or command.authority is not COMMAND
            or command.raw is not None
        ):
            # Without reports the wheels stay where they were sent to, after autonomy too.
            if fresh or command.authority is not Authority.IDLE:
                vehicle_s = None if report is None else report.vehicle_time_s
                if self._is_active:
                    self._reset(vehicle_s)
                self._vehicle_s = vehicle_s
                return motion
        else:
            self._is_active = True
            if report is not None and fresh:
                self._learn(received, safe, report)
        if not self.share:
            return motion
        stamp_s, accel_mps2, front_rad, rear_rad = motion
        most = self._front_max_rad
        front_rad *= 1.0 + self.share
        if not -most <= front_rad <= most:
            front_rad = min(max(front_rad, -most), most)
        return record(VehicleCommand, (stamp_s, accel_mps2, front_rad, rear_rad))

    def _learn(self, asked: HighLevelCommand, safe: SafeCommand, report: VehicleReport) -> None:
        vehicle_s, angle_rad = report.vehicle_time_s, report.front_wheel_angle_rad
        last, self._vehicle_s = self._vehicle_s, vehicle_s
        before, self._angle_rad = self._angle_rad, angle_rad
        speed, curvature, controlled = report.velocity_mps, asked.curvature_1pm, safe.controlled
        is_gated, self._is_gated = self._is_gated, False
        if (
            is_gated
            or last is None
            or controlled is None
            or abs(curvature) < LEAST_CURVATURE_1PM
            or abs(speed) < LEAST_SPEED_MPS
            or abs(curvature * speed * speed) > MOST_LATERAL_MPS2
            # Held by a rule:
            or controlled.front_wheel_angle_rad != safe.command.vehicle.front_wheel_angle_rad
        ):
            return
        dt_s = vehicle_s - last
        if not dt_s > 0.0:
            return
        dt_s = LONGEST_STEP_S if dt_s > LONGEST_STEP_S else dt_s
        yaw_rate = report.yaw_rate_radps
        # A yaw rate of exactly 0 in a bend is not reported, or its sensor is dead.
        is_usable = yaw_rate and math.isfinite(yaw_rate)
        if abs(angle_rad - before) > STEADY_RADPS * dt_s or not is_usable:
            return
        lacks = 1.0 - yaw_rate / (speed * curvature)
        if not -1.0 <= lacks <= 1.0:
            lacks = math.copysign(1.0, lacks)
        share = self.share + lacks / TIME_S * dt_s
        if not BOUND_LESS <= share <= BOUND_MORE:
            share = BOUND_LESS if share < BOUND_LESS else BOUND_MORE
        self.share = share
