"""Common to gamepad and keyboard: the intent of a person -> a steady stream of commands.

    intent (steer, pedals) --ramps, limits--> command on the selected level
    intent inactive        --safe stop------> commands to standstill, then no more: control is free

Theory of operation. IDLE publishes nothing. The first active intent starts DRIVING, from the car's
measured speed and wheel angle, so nothing jumps. When the intent becomes inactive, for any reason,
the driver is STOPPING: it brakes the car to standstill and holds it. It becomes IDLE when the car
has stood for `release_after_s`, or when the interface reports that it blocks commands anyway.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

from vdsim_interface.arbitration.motion import MeasuredMotion, stands_since
from vdsim_interface.arbitration.safe_stop import (
    SafeStopParameters,
    Stopping,
    approach,
    request_to_stand,
)
from vdsim_interface.teleop import teleop_notices
from vdsim_interface.teleop.parameters import DriverParameters
from vdsim_interface.values import (
    Command,
    ControlLevel,
    HighLevelCommand,
    Mode,
    Notice,
    RawCommand,
    VehicleCommand,
    drive_direction,
)
from vdsim_interface.values.speeds import STANDSTILL_MPS

_DT_MAX_S = 0.2
"""A later tick counts as this late, so that ramps do not jump after a pause."""


@dataclass(frozen=True)
class Intent:
    """What the person demands now. Inactive: do not drive; `why` is the reason.

    steer: -1 (right) to +1 (left); throttle, brake: 0 to 1; speed_mps: a target speed instead of
    pedals, >= 0 in the direction of the gear, used on the high level only.
    """

    active: bool
    steer: float = 0.0
    throttle: float = 0.0
    brake: float = 0.0
    speed_mps: float | None = None
    why: str = ""


class Phase(enum.Enum):
    """What the driver is doing."""

    IDLE = "idle"
    DRIVING = "driving"
    STOPPING = "stopping"


@dataclass
class _Ramps:
    """Demands after their ramps, which make the commands smooth."""

    wheel_angle_rad: float = 0.0
    throttle: float = 0.0
    brake: float = 0.0
    speed_mps: float = 0.0  # commanded speed on the high level, >= 0 along the gear's direction


class Driver:
    """Turns intents into commands. Call `tick` at the output rate."""

    def __init__(self, parameters: DriverParameters, stop: SafeStopParameters) -> None:
        self.phase = Phase.IDLE
        self.level = ControlLevel(parameters.level)
        self._parameters = parameters
        self._stop = stop
        self._ramps = _Ramps()
        self._command: Command | None = None
        self._stopping = Stopping(0.0)
        self._standing_since: float | None = None
        self._ticked_at: float | None = None
        self._hard = False

    def release(self) -> None:
        """Control was given back: command nothing from now on, without a stop."""
        self.phase = Phase.IDLE
        self._command = None

    def stop_hard(self) -> None:
        """Emergency: the stop that runs, or the next one, brakes harder."""
        self._hard = True

    def set_level(self, level: ControlLevel, motion: MeasuredMotion) -> Notice:
        """Change the command level; refused unless the car is known to be at standstill."""
        if self.phase is not Phase.IDLE and not motion.standing:
            text = f"command level stays {self.level.value}: it changes at standstill only"
            return Notice(teleop_notices.LEVEL_REFUSED, text)
        self.level = level
        self._command = None
        self.phase = Phase.IDLE
        return Notice(teleop_notices.LEVEL_CHANGED, f"command level is now {level.value}")

    def tick(
        self, intent: Intent, motion: MeasuredMotion, now: float
    ) -> tuple[Command | None, tuple[Notice, ...]]:
        """Return the command to publish now (None: none) and the notices."""
        dt_s = 0.0 if self._ticked_at is None else min(now - self._ticked_at, _DT_MAX_S)
        self._ticked_at = now
        notices: list[Notice] = []
        if intent.active:
            if self.phase is not Phase.DRIVING:
                self._start_driving(motion)
                notices.append(Notice(teleop_notices.DRIVING, "driving"))
            self._command = self._drive(intent, motion, dt_s, now)
        elif self.phase is Phase.DRIVING:
            self._start_stop(now)
            notices.append(Notice(teleop_notices.STOPPING, f"stopping: {intent.why}"))
        if self.phase is Phase.STOPPING:
            released = self._step_stop(motion, dt_s, now)
            notices.extend([released] if released else [])
            if released and (last := request_to_stand(self._command, now)):
                return last, tuple(notices)
        return (None if self.phase is Phase.IDLE else self._command), tuple(notices)

    def _start_driving(self, motion: MeasuredMotion) -> None:
        angle = motion.wheel_angle_rad
        self._ramps = _Ramps(
            wheel_angle_rad=self._ramps.wheel_angle_rad if angle is None else angle,
            speed_mps=max(0.0, (motion.velocity_mps or 0.0) * _direction(motion)),
        )
        self._hard = False
        self.phase = Phase.DRIVING

    def _drive(self, intent: Intent, motion: MeasuredMotion, dt_s: float, now: float) -> Command:
        p, ramps = self._parameters, self._ramps
        target_rad = intent.steer * self.wheel_angle_limit_rad(motion)
        ramps.wheel_angle_rad = approach(
            ramps.wheel_angle_rad, target_rad, p.steer_rate_radps * dt_s
        )
        ramps.throttle = _pedal(ramps.throttle, intent.throttle, p.pedal_rate_ps * dt_s)
        ramps.brake = _pedal(ramps.brake, intent.brake, p.pedal_rate_ps * dt_s)
        if ramps.brake > 0.0:
            ramps.throttle = 0.0  # with both pedals pressed the brake wins
        if self.level is ControlLevel.HIGH_LEVEL:
            return self._high_level(intent, motion, dt_s, now)
        if self.level is ControlLevel.VEHICLE:
            return VehicleCommand(now, self._accel_mps2(motion), ramps.wheel_angle_rad)
        return RawCommand(
            stamp_s=now,
            throttle=round(ramps.throttle * p.raw_throttle_full * abs(_direction(motion))),
            brake=round(ramps.brake * p.raw_brake_full),
            front_steer=round(ramps.wheel_angle_rad / p.wheel_angle_max_rad * p.raw_steer_full),
        )

    def _high_level(
        self, intent: Intent, motion: MeasuredMotion, dt_s: float, now: float
    ) -> HighLevelCommand:
        p, ramps = self._parameters, self._ramps
        if intent.speed_mps is not None and ramps.brake == 0.0:
            rate = p.accel_max_mps2 if intent.speed_mps > ramps.speed_mps else p.brake_max_mps2 / 2
            speed = approach(ramps.speed_mps, intent.speed_mps, rate * dt_s)
        else:
            coast = p.coast_mps2 if ramps.throttle == 0.0 else 0.0
            accel = ramps.throttle * p.accel_max_mps2 - ramps.brake * p.brake_max_mps2 - coast
            speed = ramps.speed_mps + accel * dt_s
        ramps.speed_mps = min(max(0.0, speed), self._speed_limit_mps(motion))
        curvature = math.tan(ramps.wheel_angle_rad) / p.wheelbase_m
        return HighLevelCommand(now, ramps.speed_mps * _direction(motion), curvature)

    def _speed_limit_mps(self, motion: MeasuredMotion) -> float:
        """Return the largest commanded speed: the gear's limit, or measured speed + lead."""
        p, direction = self._parameters, _direction(motion)
        if direction == 0:
            return 0.0
        limit = p.speed_max_mps if direction > 0 else p.reverse_speed_max_mps
        if motion.velocity_mps is None:
            return limit
        return min(limit, max(0.0, motion.velocity_mps * direction) + p.speed_lead_mps)

    def _accel_mps2(self, motion: MeasuredMotion) -> float:
        """Return the pedals' acceleration along the body's x axis: throttle in R is negative."""
        p, ramps, direction = self._parameters, self._ramps, _direction(motion)
        speed = (motion.velocity_mps or 0.0) * direction
        limit = p.speed_max_mps if direction >= 0 else p.reverse_speed_max_mps
        push = min(ramps.throttle * p.accel_max_mps2, max(0.0, limit - speed))
        drag = ramps.brake * p.brake_max_mps2
        if ramps.throttle == 0.0 and ramps.brake == 0.0:
            drag = p.coast_mps2
        if motion.velocity_mps is not None:
            drag = min(drag, max(0.0, speed) * 2.0)  # braking must not reverse the motion
        return (push - drag) * direction

    def wheel_angle_limit_rad(self, motion: MeasuredMotion) -> float:
        """Return the largest wheel angle at the car's speed; without odometry, at top speed."""
        p = self._parameters
        speed = p.speed_max_mps if motion.velocity_mps is None else abs(motion.velocity_mps)
        if speed < STANDSTILL_MPS:
            return p.wheel_angle_max_rad
        comfortable = math.atan(p.wheelbase_m * p.lateral_accel_max_mps2 / speed**2)
        return min(p.wheel_angle_max_rad, comfortable)

    def _start_stop(self, now: float) -> None:
        self._stopping = Stopping(now)
        self._standing_since = None
        self.phase = Phase.STOPPING

    def _step_stop(self, motion: MeasuredMotion, dt_s: float, now: float) -> Notice | None:
        assert self._command is not None, "a stop continues from the last command"
        stop = self._stop.emergency() if self._hard else self._stop
        self._command = self._stopping.step(self._command, motion, stop, dt_s=dt_s, now=now)
        self._standing_since = stands_since(self._standing_since, motion, now)
        return self._released(motion, now)

    def _released(self, motion: MeasuredMotion, now: float) -> Notice | None:
        """End the stop when the car stands, or when the interface blocks commands anyway."""
        why = ""
        hold_s, since = self._parameters.release_after_s, self._standing_since
        if motion.mode not in (None, Mode.AUTONOMOUS):
            why = f"the interface is {motion.mode.name}"
        elif hold_s > 0.0 and since is not None and now - since >= hold_s:
            why = "the car stands"
        if not why:
            return None
        self.phase = Phase.IDLE
        return Notice(teleop_notices.RELEASED, f"control is free: {why}")


def _direction(motion: MeasuredMotion) -> int:
    """Return the sign of the motion that throttle causes; forward while the gear is unknown."""
    return 1 if motion.gear is None else drive_direction(motion.gear)


def _pedal(value: float, target: float, step: float) -> float:
    """Ramp a pedal that is pressed; a release acts at once."""
    return min(target, value + step)
