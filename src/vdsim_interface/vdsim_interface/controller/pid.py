"""Speed PID in the direction of travel: feed-forward, anti-windup, derivative on measurement."""

import math

from vdsim_interface.controller.parameters import ControllerParameters

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
