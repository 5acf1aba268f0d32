"""The car of platform `fake`: a kinematic bicycle with lagged drive and steering.

ENU world, position of the middle of the rear axle, angles in rad positive to the left.
"""

import math


class KinematicCar:
    """Integrates in fixed substeps; stays at rest once the brake has stopped it."""

    SUBSTEP_S = 0.005

    def __init__(self, wheelbase_m: float, drive_lag_s: float, steer_lag_s: float) -> None:
        self._wheelbase_m = wheelbase_m
        self._drive_share = self.SUBSTEP_S / (drive_lag_s + self.SUBSTEP_S)
        self._steer_share = self.SUBSTEP_S / (steer_lag_s + self.SUBSTEP_S)
        self._left_s = 0.0
        self.x_m = self.y_m = self.yaw_rad = 0.0
        self.speed_mps = self.accel_mps2 = 0.0
        self.front_rad = self.rear_rad = 0.0
        self.yaw_rate_radps = 0.0

    def advance(
        self,
        duration_s: float,
        *,
        direction: int,
        drive_mps2: float,
        brake_mps2: float,
        front_rad: float,
        rear_rad: float,
        slope_mps2: float,
    ) -> None:
        """Advance. `drive_mps2` acts along `direction`; `brake_mps2` >= 0 acts against motion.

        `slope_mps2` is what gravity adds along the body's x axis.
        """
        self._left_s += duration_s
        while self._left_s >= self.SUBSTEP_S - 1e-9:
            self._left_s -= self.SUBSTEP_S
            self.front_rad += self._steer_share * (front_rad - self.front_rad)
            self.rear_rad += self._steer_share * (rear_rad - self.rear_rad)
            push = direction * drive_mps2 + slope_mps2
            self._move(push, brake_mps2)

    def _move(self, push_mps2: float, brake_mps2: float) -> None:
        dt, speed = self.SUBSTEP_S, self.speed_mps
        if speed == 0.0 and abs(push_mps2) <= brake_mps2:
            self.accel_mps2 = self.yaw_rate_radps = 0.0
            return
        sense = math.copysign(1.0, speed if speed else push_mps2)
        self.accel_mps2 += self._drive_share * (push_mps2 - sense * brake_mps2 - self.accel_mps2)
        after = speed + self.accel_mps2 * dt
        if speed * after < 0.0 and abs(push_mps2) <= brake_mps2:
            after = self.accel_mps2 = 0.0
        self.speed_mps = after
        bend = (math.tan(self.front_rad) - math.tan(self.rear_rad)) / self._wheelbase_m
        self.yaw_rate_radps = after * bend
        yaw = self.yaw_rad + self.yaw_rate_radps * dt
        self.yaw_rad = math.remainder(yaw, 2.0 * math.pi)
        self.x_m += after * math.cos(self.yaw_rad + self.rear_rad) * dt
        self.y_m += after * math.sin(self.yaw_rad + self.rear_rad) * dt
