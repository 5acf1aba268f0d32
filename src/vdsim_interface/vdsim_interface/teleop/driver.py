"""The driver behind every hand control: an intent in, a steady stream of commands out.

    intent (steer, pedals) --ramps, limits--> command on the level chosen
    intent inactive        --safe stop------> commands to standstill, then silence: control is free

Theory of operation. IDLE sends nothing. The first active intent starts DRIVING, from the car's own
speed and wheel angle, so nothing jumps. When the intent becomes inactive, for whatever reason, the
driver is STOPPING: it brakes the car to rest and holds it. It falls silent only when the car has
stood for `release_after_s`, or when the interface reports that nobody may drive by commands anyway.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

from vdsim_interface.arbitration.motion import MeasuredMotion
from vdsim_interface.arbitration.safe_stop import (
    SafeStopParameters,
    approach,
    begin_stop,
    step_stop,
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

_DT_MAX_S = 0.2
"""A tick that comes later than this counts as this late: ramps never leap after a pause."""


@dataclass(frozen=True)
class Intent:
    """What the person's hands ask for now. Inactive means: do not drive, and `why`.

    steer: -1 (right) to +1 (left); throttle, brake: 0 to 1; speed_mps: a wanted speed instead of
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
    """Demands after their ramps; the part of the driver's state that makes commands smooth."""

    wheel_angle_rad: float = 0.0
    throttle: float = 0.0
    brake: float = 0.0
    speed_mps: float = 0.0  # commanded speed on the high level, >= 0 along the gear's direction


class Driver:
    """Makes commands of intents. Call `tick` at the output rate."""

    def __init__(self, parameters: DriverParameters, stop: SafeStopParameters) -> None:
        self.phase = Phase.IDLE
        self.level = ControlLevel(parameters.level)
        self._parameters = parameters
        self._stop = stop
        self._ramps = _Ramps()
        self._command: Command | None = None
        self._stop_began_at = 0.0
        self._standing_since: float | None = None
        self._ticked_at: float | None = None

    def set_level(self, level: ControlLevel, motion: MeasuredMotion) -> Notice:
        """Change the command level; refused unless the car is known to stand."""
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
        """The command to send now (None: nothing), and what is worth telling."""
        dt_s = 0.0 if self._ticked_at is None else min(now - self._ticked_at, _DT_MAX_S)
        self._ticked_at = now
        notices: list[Notice] = []
        if intent.active:
            if self.phase is not Phase.DRIVING:
                self._take_over(motion)
                notices.append(Notice(teleop_notices.DRIVING, "driving"))
            self._command = self._drive(intent, motion, dt_s, now)
        elif self.phase is Phase.DRIVING:
            self._begin_stop(motion, now)
            notices.append(Notice(teleop_notices.STOPPING, f"stopping: {intent.why}"))
        if self.phase is Phase.STOPPING:
            released = self._step_stop(motion, dt_s, now)
            notices.extend([released] if released else [])
        return (None if self.phase is Phase.IDLE else self._command), tuple(notices)

    def _take_over(self, motion: MeasuredMotion) -> None:
        angle = motion.wheel_angle_rad
        self._ramps = _Ramps(
            wheel_angle_rad=self._ramps.wheel_angle_rad if angle is None else angle,
            speed_mps=max(0.0, (motion.velocity_mps or 0.0) * _direction(motion)),
        )
        self.phase = Phase.DRIVING

    def _drive(self, intent: Intent, motion: MeasuredMotion, dt_s: float, now: float) -> Command:
        p, ramps = self._parameters, self._ramps
        wanted_rad = intent.steer * self.wheel_angle_limit_rad(motion)
        ramps.wheel_angle_rad = approach(
            ramps.wheel_angle_rad, wanted_rad, p.steer_rate_radps * dt_s
        )
        ramps.throttle = _pedal(ramps.throttle, intent.throttle, p.pedal_rate_ps * dt_s)
        ramps.brake = _pedal(ramps.brake, intent.brake, p.pedal_rate_ps * dt_s)
        if ramps.brake > 0.0:
            ramps.throttle = 0.0  # both feet down means brake
        if self.level is ControlLevel.HIGH_LEVEL:
            return self._high_level(intent, motion, dt_s, now)
        if self.level is ControlLevel.VEHICLE:
            return VehicleCommand(now, self._accel_mps2(motion), ramps.wheel_angle_rad)
        return RawCommand(
            now,
            round(ramps.throttle * p.raw_throttle_full * abs(_direction(motion))),
            round(ramps.brake * p.raw_brake_full),
            round(ramps.wheel_angle_rad / p.wheel_angle_max_rad * p.raw_steer_full),
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
        """The largest commanded speed: the gear's, and not far ahead of a car that lags."""
        p, direction = self._parameters, _direction(motion)
        if direction == 0:
            return 0.0
        limit = p.speed_max_mps if direction > 0 else p.reverse_speed_max_mps
        if motion.velocity_mps is None:
            return limit
        return min(limit, max(0.0, motion.velocity_mps * direction) + p.speed_lead_mps)

    def _accel_mps2(self, motion: MeasuredMotion) -> float:
        """Acceleration for the pedals, along the body's x axis: throttle in reverse is negative."""
        p, ramps, direction = self._parameters, self._ramps, _direction(motion)
        speed = (motion.velocity_mps or 0.0) * direction
        limit = p.speed_max_mps if direction >= 0 else p.reverse_speed_max_mps
        push = min(ramps.throttle * p.accel_max_mps2, max(0.0, limit - speed))
        drag = ramps.brake * p.brake_max_mps2
        if ramps.throttle == 0.0 and ramps.brake == 0.0:
            drag = p.coast_mps2
        if motion.velocity_mps is not None:
            drag = min(drag, max(0.0, speed) * 2.0)  # a brake stops a car, it does not push it back
        return (push - drag) * direction

    def wheel_angle_limit_rad(self, motion: MeasuredMotion) -> float:
        """Largest wheel angle at the car's speed; with no odometry, as at the highest speed."""
        p = self._parameters
        speed = p.speed_max_mps if motion.velocity_mps is None else abs(motion.velocity_mps)
        if speed < 0.1:
            return p.wheel_angle_max_rad
        comfortable = math.atan(p.wheelbase_m * p.lateral_accel_max_mps2 / speed**2)
        return min(p.wheel_angle_max_rad, comfortable)

    def _begin_stop(self, motion: MeasuredMotion, now: float) -> None:
        assert self._command is not None, "driving has sent a command"
        self._command = begin_stop(self._command, motion)
        self._stop_began_at = now
        self._standing_since = None
        self.phase = Phase.STOPPING

    def _step_stop(self, motion: MeasuredMotion, dt_s: float, now: float) -> Notice | None:
        assert self._command is not None, "a stop goes on from the last command"
        elapsed_s = now - self._stop_began_at
        self._command = step_stop(
            self._command, motion, self._stop, dt_s=dt_s, elapsed_s=elapsed_s, now=now
        )
        if not motion.standing:
            self._standing_since = None
        elif self._standing_since is None:
            self._standing_since = now
        return self._released(motion, now)

    def _released(self, motion: MeasuredMotion, now: float) -> Notice | None:
        """End the stop when the car stands, or when commands do not reach it anyway."""
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
    """Sign of the motion that throttle causes; forwards while the gear is unknown."""
    return 1 if motion.gear is None else drive_direction(motion.gear)


def _pedal(value: float, wanted: float, step: float) -> float:
    """Pressing is ramped; releasing is not, since letting go must act at once."""
    return min(wanted, value + step)
