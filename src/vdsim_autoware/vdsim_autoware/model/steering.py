"""Steering command -> angle of the front wheels, in the ways of Autoware's models.

Each takes the command of a period and returns the angle that the car is to have at its end.
Positive is left. `steer_bias` is what a measured angle is more than the true one: the models steer
by what they measure, so that the true angle is off by it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from vdsim_autoware.model.command_map import CommandMap
from vdsim_autoware.model.lags import LEAST_LAG_S, Delayed, clip, toward
from vdsim_autoware.model.parameters import MechanicalParameters, SimulatorParameters
from vdsim_autoware.model.types import Model, Steer

SMALLEST_RATIO = 1e-5
_MECHANICAL_STEP_S = 0.002
_REST_RADPS = 1e-4


class Steering(Protocol):
    """One way."""

    def step(self, command: float, speed_mps: float, now: float, dt: float) -> float:
        """One period; returns the angle of the front wheels [rad]."""

    def command_of(self, angle_rad: float, speed_mps: float) -> float:
        """Return the command that holds an angle: for the status."""

    def steer_from(self, angle_rad: float) -> None:
        """Go on from an angle that another source has steered to."""

    def reset(self) -> None:
        """Straight on, at rest."""


class LaggedSteering:
    """Dead time, lag, rate limit and dead band; `wanted_angle`: command -> angle [rad]."""

    def __init__(
        self,
        parameters: SimulatorParameters,
        limit_rad: float,
        *,
        is_ideal: bool = False,
        wanted_angle: Callable[[float, float, float], float] | None = None,
        command_of: Callable[[float, float], float] | None = None,
    ) -> None:
        self._parameters = parameters
        self._limit_rad = limit_rad
        self._is_ideal = is_ideal
        self._wanted_angle = wanted_angle
        self._command_of = command_of
        self._delay = Delayed(0.0 if is_ideal else parameters.steer_time_delay)
        self._angle_rad = 0.0

    def step(self, command: float, speed_mps: float, now: float, dt: float) -> float:
        """One period."""
        p = self._parameters
        command = self._delay.step(command, now)
        measured_rad = self._angle_rad + p.steer_bias
        if self._wanted_angle is not None:
            wanted_rad = self._wanted_angle(command, speed_mps, self._angle_rad)
        else:
            wanted_rad = clip(command, self._limit_rad)
        if self._is_ideal:
            self._angle_rad = wanted_rad
            return self._angle_rad
        wanted_rad *= p.debug_steer_scaling_factor
        # Inside the dead band nothing moves; from outside the angle goes to the nearer edge.
        band = p.steer_dead_band
        target_rad = min(max(measured_rad, wanted_rad - band), wanted_rad + band)
        moved = toward(measured_rad, target_rad, max(p.steer_time_constant, LEAST_LAG_S), dt)
        change = clip(moved - measured_rad, p.steer_rate_lim * dt)
        self._angle_rad = clip(self._angle_rad + change, self._limit_rad)
        return self._angle_rad

    def command_of(self, angle_rad: float, speed_mps: float) -> float:
        """Return the command that holds an angle."""
        return angle_rad if self._command_of is None else self._command_of(angle_rad, speed_mps)

    def steer_from(self, angle_rad: float) -> None:
        """Go on from an angle that another source has steered to."""
        self._angle_rad = angle_rad

    def reset(self) -> None:
        """Straight on."""
        self._delay.reset()
        self._angle_rad = 0.0


class RateMapSteering:
    """The command, such as the voltage of a servo, is a rate of the angle by the map."""

    def __init__(
        self, parameters: SimulatorParameters, limit_rad: float, rates: CommandMap
    ) -> None:
        self._parameters = parameters
        self._limit_rad = limit_rad
        self._rates = rates
        self._delay = Delayed(parameters.steer_time_delay)
        self._angle_rad = 0.0

    def step(self, command: float, speed_mps: float, now: float, dt: float) -> float:
        """One period."""
        p = self._parameters
        rate = self._rates.value(self._delay.step(command, now), speed_mps)
        rate = clip(rate / max(p.steer_time_constant, LEAST_LAG_S), p.steer_rate_lim)
        self._angle_rad = clip(self._angle_rad + rate * dt, self._limit_rad)
        return self._angle_rad

    def command_of(self, angle_rad: float, speed_mps: float) -> float:
        """Return the command that holds every angle."""
        return self._rates.command(0.0, speed_mps)

    def steer_from(self, angle_rad: float) -> None:
        """Go on from an angle that another source has steered to."""
        self._angle_rad = angle_rad

    def reset(self) -> None:
        """Straight on."""
        self._delay.reset()
        self._angle_rad = 0.0


class VariableRatio:
    """Angle of the steering wheel <-> angle of the front wheels: the ratio varies with both."""

    def __init__(self, parameters: SimulatorParameters) -> None:
        self._a = parameters.vgr_coef_a
        self._b = parameters.vgr_coef_b
        self._c = parameters.vgr_coef_c

    def hand_wheel(self, angle_rad: float, speed_mps: float) -> float:
        """Return the angle of the steering wheel at an angle of the front wheels [rad]."""
        at_centre = self._a + self._b * speed_mps * speed_mps
        return at_centre * angle_rad / (1.0 + self._c * abs(angle_rad))

    def wanted(self, hand_wheel_rad: float, speed_mps: float, angle_rad: float) -> float:
        """Return the angle of the front wheels that a command means, with the present ratio."""
        present = self.hand_wheel(angle_rad, speed_mps)
        ratio = self._a + self._b * speed_mps * speed_mps - self._c * abs(present)
        return hand_wheel_rad / max(ratio, SMALLEST_RATIO)


class MechanicalSteering:
    """A controller turns the wheels through power assistance against inertia and friction.

    The wanted angle is limited in size and rate; feed-forward and PID make a torque of it; a
    polynomial of torque and speed is the assistance; after a dead time the torque accelerates the
    wheels against damping, stiffness and friction. A small torque against the rotation does not
    begin to turn them back.
    """

    def __init__(
        self, parameters: SimulatorParameters, limit_rad: float, ratio: VariableRatio
    ) -> None:
        self._p: MechanicalParameters = parameters.mechanical_params
        self._limit_rad = limit_rad
        self._ratio = ratio
        self._delay = Delayed(parameters.steer_time_delay)
        self._torque_delay = Delayed(self._p.torque_delay_time)
        self._angle_rad = self._rate_radps = self._wanted_rad = 0.0
        self._integral = self._error = 0.0
        self._is_held = False

    def step(self, command: float, speed_mps: float, now: float, dt: float) -> float:
        """One period, in steps that are short enough for the controller."""
        wanted_rad = self._ratio.wanted(self._delay.step(command, now), speed_mps, self._angle_rad)
        steps_n = max(1, round(dt / _MECHANICAL_STEP_S))
        for index in range(steps_n):
            self._turn(wanted_rad, speed_mps, now + index * dt / steps_n, dt / steps_n)
        return self._angle_rad

    def _turn(self, wanted_rad: float, speed_mps: float, now: float, dt: float) -> None:
        p = self._p
        wanted_rad = clip(wanted_rad, p.angle_limit)
        self._wanted_rad += clip(wanted_rad - self._wanted_rad, p.rate_limit * dt)
        torque = self._torque_delay.step(self._torque(speed_mps, dt), now)
        direction = 1.0 if self._rate_radps >= 0.0 else -1.0
        is_small = abs(torque) < p.dead_zone_threshold
        self._is_held = is_small and (self._is_held or torque * direction < 0.0)
        if self._is_held:
            self._rate_radps = 0.0
            return
        driving = torque - p.damping * self._rate_radps - p.stiffness * self._angle_rad
        if abs(self._rate_radps) < _REST_RADPS and abs(driving) <= p.friction:
            self._rate_radps = 0.0  # friction holds what stands
            return
        sense = (
            direction if abs(self._rate_radps) >= _REST_RADPS else (1.0 if driving > 0 else -1.0)
        )
        change = (driving - p.friction * sense) / p.inertia * dt
        self._rate_radps = clip(self._rate_radps + change, p.rate_limit)
        self._angle_rad += self._rate_radps * dt
        most_rad = min(p.angle_limit, self._limit_rad)
        if abs(self._angle_rad) > most_rad:
            self._angle_rad, self._rate_radps = clip(self._angle_rad, most_rad), 0.0

    def _torque(self, speed_mps: float, dt: float) -> float:
        p, speed = self._p, abs(speed_mps)
        error = self._wanted_rad - self._angle_rad
        self._integral += error * dt
        rate = (error - self._error) / dt
        self._error = error
        t = p.ff_gain * self._wanted_rad + p.kp * error + p.ki * self._integral + p.kd * rate
        t = clip(t, 1e3)
        assisted = ((p.poly_a * t + p.poly_b) * t + p.poly_c) * t + p.poly_g * t * speed
        assisted += ((p.poly_d * speed + p.poly_e) * speed + p.poly_f) * speed + p.poly_h
        return clip(assisted, p.steering_torque_limit)

    def command_of(self, angle_rad: float, speed_mps: float) -> float:
        """Return the angle of the steering wheel at an angle of the front wheels."""
        return self._ratio.hand_wheel(angle_rad, speed_mps)

    def steer_from(self, angle_rad: float) -> None:
        """Go on from an angle that another source has steered to."""
        self._angle_rad, self._rate_radps, self._wanted_rad = angle_rad, 0.0, angle_rad

    def reset(self) -> None:
        """Straight on, at rest."""
        self._delay.reset()
        self._torque_delay.reset()
        self._angle_rad = self._rate_radps = self._wanted_rad = 0.0
        self._integral = self._error = 0.0
        self._is_held = False


def make_steering(
    parameters: SimulatorParameters, model: Model, limit_rad: float, rates: CommandMap | None
) -> Steering:
    """Return the steering of a model; `rates` where it needs that map."""
    if model.steer is Steer.RATE_MAP:
        assert rates is not None, "the parameters name the map"
        return RateMapSteering(parameters, limit_rad, rates)
    if model.steer is Steer.ANGLE:
        return LaggedSteering(parameters, limit_rad, is_ideal=model.is_ideal)
    ratio = VariableRatio(parameters)
    if model.steer is Steer.MECHANICAL:
        return MechanicalSteering(parameters, limit_rad, ratio)
    return LaggedSteering(
        parameters, limit_rad, wanted_angle=ratio.wanted, command_of=ratio.hand_wheel
    )
