"""First stage of the pipeline: HighLevelCommand -> VehicleCommand.

The speed never crosses zero: a target of the other sign first stops the car, pauses, and then
requests the other gear by the sign of the acceleration (the safety stage shifts). At standstill
with a zero target the output is zero: the safety stage holds the brake, on any slope.

`SpeedPid` works in the direction of travel: feed-forward, anti-windup, derivative on measurement.
`wheel_angles` come from the curvature by the bicycle model with both axles steerable.
"""

import math

from vdsim_interface.controller.parameters import ControllerParameters
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.values import (
    Gear,
    HighLevelCommand,
    Mode,
    Odometry,
    VehicleCommand,
    drive_direction,
    make_vehicle_command,
)
from vdsim_interface.values.speeds import CREEPS_OFF_MPS, FINAL_MPS

CONSTANT_REFERENCE_MPS2 = 0.5
"""A reference with a smaller slope counts as constant: the integral is active."""

STOP_LEAD_MPS = 0.25
"""Largest lead in a stop: a reference that stands long before the car asks for no brake."""


class SpeedPid:
    """Track a ramped reference speed ([VI-4.1]); all speeds are signed along the body's x axis.

    The reference starts from the measured speed at `reset`, so the start is bumpless. It is a ramp,
    smoothed by one pole: a target that jitters by a few cm/s would otherwise be fed forward as full
    throttle and full brake alternately. The integral is frozen while the reference moves, and
    while the output is saturated and the error increases it (anti-windup). The lead of the
    reference over the measured speed is limited.
    """

    def __init__(self, parameters: ControllerParameters, period_s: float) -> None:
        self._period_s = period_s
        self.configure(parameters)
        self.reset(0.0)

    def configure(self, parameters: ControllerParameters) -> None:
        """Apply other gains and bounds without a jump of the state."""
        self._parameters = parameters
        angle_rad = 2.0 * math.pi * parameters.derivative_cutoff_hz * self._period_s
        self._derivative_share = angle_rad / (1.0 + angle_rad)
        self._smoothing_share = self._period_s / (self._period_s + parameters.reference_smoothing_s)

    def reset(self, speed_mps: float) -> None:
        """Reset the state to the measured speed."""
        self._ramp_mps = speed_mps
        self._reference_mps = speed_mps
        self._reference_slope_mps2 = 0.0
        self._integral_mps2 = 0.0
        self._last_speed_mps = speed_mps
        self._slope_mps2 = 0.0

    def step(self, target_mps: float, speed_mps: float) -> float:
        """Return the acceleration [m/s2] for one period."""
        p, dt = self._parameters, self._period_s
        reference_slope = self._advance(target_mps, speed_mps)
        self._slope_mps2 += self._derivative_share * (
            (speed_mps - self._last_speed_mps) / dt - self._slope_mps2
        )
        moves, self._last_speed_mps = speed_mps != self._last_speed_mps, speed_mps
        error = self._reference_mps - speed_mps
        free = p.feed_forward * reference_slope + p.kp_1ps * error - p.kd * self._slope_mps2
        forward = target_mps > 0.0 or (target_mps == 0.0 and speed_mps >= 0.0)
        high = p.output_max_mps2 if forward else p.output_brake_max_mps2
        low = -p.output_brake_max_mps2 if forward else -p.output_max_mps2
        integral = self._integral_mps2 + p.ki_1ps2 * error * dt
        if abs(integral) > p.integral_max_mps2:
            integral = math.copysign(p.integral_max_mps2, integral)
        total = free + integral
        saturated = (total > high and error > 0.0) or (total < low and error < 0.0)
        # A speed that stays the same to the bit is that of a paused simulator or of a held car:
        # there is nothing to integrate.
        if moves and abs(reference_slope) < CONSTANT_REFERENCE_MPS2 and not saturated:
            self._integral_mps2 = integral
        output = free + self._integral_mps2
        return output if low <= output <= high else min(max(output, low), high)

    def _advance(self, target_mps: float, speed_mps: float) -> float:
        """Advance the reference towards the target; return its slope [m/s2]."""
        p, dt, before = self._parameters, self._period_s, self._ramp_mps
        slowing = abs(target_mps) < abs(before) or target_mps * before < 0.0
        largest = (p.decel_max_mps2 if slowing else p.accel_max_mps2) * dt
        step = target_mps - before
        if abs(step) > largest:
            step = math.copysign(largest, step)
        # The slope excludes the limit of the lead: when the car rolls away, a reference that is
        # moved along with it must not command more acceleration.
        slope = self._reference_slope_mps2
        slope += self._smoothing_share * (step / dt - slope)
        # One pole over a ramp lags behind it by the time constant times the slope.
        lag = p.reference_smoothing_s * slope
        middle, lead = speed_mps + lag, p.reference_lead_max_mps
        if target_mps == 0.0 and lead > STOP_LEAD_MPS:
            lead = STOP_LEAD_MPS
        ramp = before + step
        ramp = middle - lead if ramp < middle - lead else ramp
        self._ramp_mps = ramp = middle + lead if ramp > middle + lead else ramp
        self._reference_mps = ramp - lag
        self._reference_slope_mps2 = slope
        return slope


def wheel_angles(
    curvature_1pm: float, velocity_mps: float, geometry: VehicleGeometry, rear_share: float
) -> tuple[float, float]:
    """Return (front, rear) wheel angle in rad for a curvature in 1/m, both positive to the left
    ([VI-4.2]).

    tan(front) - tan(rear) = wheelbase * curvature; the rear axle takes `rear_share` of it, in the
    opposite sense. The understeer gradient adds front angle in proportion to lateral acceleration.
    """
    bend = geometry.wheelbase_m * curvature_1pm
    extra = geometry.understeer_gradient_rad_s2pm * velocity_mps * velocity_mps * curvature_1pm
    front = math.atan((1.0 - rear_share) * bend) + extra
    if abs(front) > geometry.front_wheel_angle_max_rad:
        front = math.copysign(geometry.front_wheel_angle_max_rad, front)
    if not rear_share:
        return front, 0.0
    rear_max = geometry.rear_wheel_angle_max_rad
    return front, min(max(-math.atan(rear_share * bend), -rear_max), rear_max)


AUTONOMOUS = Mode.AUTONOMOUS


class VelocityController:
    """PID velocity controller with curvature steering. One `step` is one period."""

    def __init__(
        self,
        parameters: ControllerParameters,
        geometry: VehicleGeometry,
        period_s: float,
        command_timeout_s: float,
    ) -> None:
        self._geometry = geometry
        self._period_s = period_s
        self._command_timeout_s = command_timeout_s
        self._parameters = parameters
        self._pid = SpeedPid(parameters, period_s)
        self._speed_mps = 0.0
        self._gear = Gear.PARK
        self._mode = Mode.MANUAL
        self._idle = True
        self._pause_s = 0.0

    def configure(self, parameters: ControllerParameters, geometry: VehicleGeometry) -> None:
        """Apply new parameters without a jump of the state."""
        self._parameters = parameters
        self._pid.configure(parameters)
        self._geometry = geometry

    def on_odometry(self, odometry: Odometry) -> None:
        """Receive the measured motion."""
        if odometry.is_finite():
            self._speed_mps = odometry.velocity_mps

    def on_state(self, gear: Gear, mode: Mode) -> None:
        """Receive the engaged gear and the mode; the PID resets when AUTONOMOUS starts."""
        if gear is not self._gear:
            self._gear, self._pause_s = gear, 0.0
        self._mode = mode

    def step(self, command: HighLevelCommand | None, now: float) -> VehicleCommand | None:
        """Return the command for the next stage, None without a fresh input command."""
        if command is None or now - command.stamp_s > self._command_timeout_s:
            self._idle, self._pause_s = True, 0.0
            return None
        p = self._parameters
        # A car that is to be much faster needs no angle for that yet; one that brakes turns in.
        pace = min(abs(command.velocity_mps), abs(self._speed_mps))
        front, rear = wheel_angles(command.curvature_1pm, pace, self._geometry, p.rear_steer_share)
        return make_vehicle_command(command.stamp_s, self._acceleration(command), front, rear)

    def _acceleration(self, command: HighLevelCommand) -> float:
        p, speed = self._parameters, self._speed_mps
        if self._idle or self._mode is not AUTONOMOUS:
            self._pid.reset(speed)
            self._idle = False
        target = command.velocity_mps
        at_rest = abs(speed) < p.standstill_speed_mps
        if target == 0.0 and at_rest:
            return self._rest()
        if not at_rest and target * speed < 0.0:
            target = 0.0
        if target == 0.0:
            return self._slow_down(speed)
        direction = 1 if target > 0.0 else -1
        if at_rest and drive_direction(self._gear) != direction:
            return self._request_gear(direction)
        self._pause_s = 0.0
        asked = self._pid.step(target, speed)
        # At rest another sign would ask for the other direction.
        return max(direction * asked, 0.0) * direction if abs(speed) <= CREEPS_OFF_MPS else asked

    def _rest(self) -> float:
        self._pid.reset(self._speed_mps)
        self._pause_s += self._period_s
        return 0.0

    def _slow_down(self, speed: float) -> float:
        """Brake to standstill; near it with at least the final deceleration, without creeping."""
        self._pause_s = 0.0
        p = self._parameters
        output = self._pid.step(0.0, speed)
        if abs(speed) < FINAL_MPS:
            least = p.final_decel_mps2
            output = min(output, -least) if speed > 0.0 else max(output, least)
        return output

    def _request_gear(self, direction: int) -> float:
        """Wait at standstill for the pause, then request the gear by the acceleration's sign.

        The pause restarts with every gear change: after an explicitly requested gear the safety
        stage needs it, or it interprets the acceleration as a brake.
        """
        rest, p = self._rest(), self._parameters
        return direction * p.launch_accel_mps2 if self._pause_s > p.direction_pause_s else rest
