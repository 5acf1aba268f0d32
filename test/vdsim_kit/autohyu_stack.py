"""How AutoHYU's controllers behave, restated from their published behaviour: a test double.

`LongitudinalDouble` (100 Hz) turns a speed error into torque and applies the fault check that
brakes a car whose steering does not report ACTIVATE; `PurePursuitDouble` (50 Hz) steers along a
circle. Both read VehicleState as AutoHYU does: at the rear axle, SI units, body frame ISO 8855.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

AUTONOMOUS = 1
"""operation_mode in which the controllers drive; in any other they wait."""
RUN = 1
"""lateral_autonomous_mode while the car's computer has the steering."""
STEERING_ACTIVE = 5
"""steering_state of a power steering that follows its command."""
GRAVITY_MPS2 = 9.81


@dataclass(frozen=True)
class SeenState:
    """The fields of VehicleState and VehicleCAN that the controllers read."""

    x_m: float
    y_m: float
    yaw_rad: float
    pitch_rad: float
    vx_mps: float
    vy_mps: float
    tire_angle_rad: float
    operation_mode: int
    lateral_autonomous_mode: int
    steering_state: int


@dataclass(frozen=True)
class CarFigures:
    """The car as the controllers know it; SI units."""

    mass_kg: float = 2300.0
    wheel_radius_m: float = 0.36
    wheelbase_m: float = 3.0
    rolling_resistance: float = 0.015
    drag_area_m2: float = 0.3 * 2.877
    air_kgpm3: float = 1.205


def torque_for(accel_mps2: float, seen: SeenState, car: CarFigures) -> float:
    """Return the torque of all wheels [N m] for an acceleration: inertia, slope, rolling, drag."""
    nose_up_rad = -seen.pitch_rad  # ISO 8855: positive pitch lowers the nose
    weight_n = car.mass_kg * GRAVITY_MPS2
    force_n = (
        car.mass_kg * accel_mps2
        + weight_n * math.sin(nose_up_rad)
        + weight_n * car.rolling_resistance * math.cos(nose_up_rad)
        + 0.5 * car.air_kgpm3 * car.drag_area_m2 * seen.vx_mps**2
    )
    return force_n * car.wheel_radius_m


@dataclass
class LongitudinalDouble:
    """A proportional speed controller, then the fault check."""

    speed_mps: float
    car: CarFigures = field(default_factory=CarFigures)
    gain_per_s: float = 2.5
    gentle_gain_per_s: float = 1.5
    gentle_below_mps: float = 40.0 / 3.6
    faults_n: int = 0

    def torque_nm(self, seen: SeenState) -> float:
        """Return gripped_torque [N m] for the latest state."""
        torque_nm = 0.0
        if seen.operation_mode == AUTONOMOUS:
            error_mps = self.speed_mps - math.hypot(seen.vx_mps, seen.vy_mps)
            is_gentle = error_mps > 0.0 and abs(seen.vx_mps) < self.gentle_below_mps
            gain = self.gentle_gain_per_s if is_gentle else self.gain_per_s
            torque_nm = torque_for(gain * error_mps, seen, self.car)
        return self._fault_checked(torque_nm, seen)

    def _fault_checked(self, torque_nm: float, seen: SeenState) -> float:
        """Brake above 5 km/h, and barely drive below it, unless the steering is active."""
        if math.isnan(torque_nm):
            self.faults_n += 1
            return -2500.0
        if seen.lateral_autonomous_mode != RUN or seen.steering_state == STEERING_ACTIVE:
            return torque_nm
        self.faults_n += 1
        if seen.vx_mps > 5.0 / 3.6:
            return min(torque_nm, -2500.0)
        return min(torque_nm, torque_for(0.5, seen, self.car))


@dataclass
class PurePursuitDouble:
    """Steers to a point of a circle to the left, ahead by 5 m and one second.

    The circle has its centre on the left of the start (0, 0, heading east).
    """

    radius_m: float
    car: CarFigures = field(default_factory=CarFigures)
    nearest_m: float = 5.0
    ahead_s: float = 1.0

    def steer_deg(self, seen: SeenState) -> float:
        """Return gripped_steer: tyre angle [deg], positive to the left."""
        if seen.operation_mode != AUTONOMOUS:
            return math.degrees(seen.tire_angle_rad)
        along_rad = math.atan2(seen.x_m, self.radius_m - seen.y_m)
        target_rad = along_rad + (self.nearest_m + self.ahead_s * seen.vx_mps) / self.radius_m
        dx = self.radius_m * math.sin(target_rad) - seen.x_m
        dy = self.radius_m * (1.0 - math.cos(target_rad)) - seen.y_m
        left_m = math.cos(seen.yaw_rad) * dy - math.sin(seen.yaw_rad) * dx
        distance_m = math.hypot(dx, dy)
        return math.degrees(math.atan2(2.0 * self.car.wheelbase_m * left_m, distance_m**2))

    def cross_track_m(self, seen: SeenState) -> float:
        """Return the distance outside of the circle [m]."""
        return math.hypot(seen.x_m, self.radius_m - seen.y_m) - self.radius_m
