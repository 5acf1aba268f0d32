"""A command of Autoware -> the command that the car follows, with the model's delays and maps.

The longitudinal part stays as it is commanded until its dead time is over; a lag of first order
follows. Speed and acceleration count in the direction of travel, as Autoware's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from vdsim_autoware.adapter import Control
from vdsim_autoware.adapter.actuation import Actuation
from vdsim_autoware.model.command_map import CommandMap
from vdsim_autoware.model.lags import LEAST_LAG_S, Delayed, clip, toward
from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_autoware.model.steering import make_steering
from vdsim_autoware.model.types import Drive, Model

STANDSTILL_MPS = 0.01
SPEED_LIMIT_GAIN_1PS = 10.0
"""Above `vel_lim` the car slows down by this times the excess."""
Maps = Mapping[str, CommandMap]
"""The maps by the parameter that names their file."""


class Pedals(NamedTuple):
    """What actuation_status reports, in the units of actuation_cmd."""

    accel: float
    brake: float
    steer: float


class CommandDynamics:
    """The delays of one source of commands."""

    def __init__(
        self, parameters: SimulatorParameters, model: Model, limit_rad: float, maps: Maps
    ) -> None:
        self._parameters = p = parameters
        self._model = model
        self._maps = maps
        self._steering = make_steering(p, model, limit_rad, maps.get("steer_map_path"))
        self._velocity_delay = Delayed(0.0 if model.is_ideal else p.vel_time_delay)
        self._accel_delay = Delayed(0.0 if model.is_ideal else self._accel_delay_s())
        self._brake_delay = Delayed(p.brake_time_delay)
        self._accel_mps2 = 0.0

    def _accel_delay_s(self) -> float:
        p = self._parameters
        return p.accel_time_delay if self._model.drive is Drive.PEDALS else p.acc_time_delay

    def step(
        self, command: Control | Actuation, speed_mps: float, now: float, dt: float
    ) -> Control:
        """One period; `speed_mps`: of the car, along its body's x axis."""
        travel_mps = abs(speed_mps)
        if isinstance(command, Actuation):
            accel_mps2, velocity_mps = self._by_pedals(command, travel_mps, now, dt), 0.0
        else:
            accel_mps2 = self._by_acceleration(command.acceleration_mps2, travel_mps, now, dt)
            velocity_mps = self._velocity_delay.step(command.velocity_mps, now)
            velocity_mps = clip(velocity_mps, self._parameters.vel_lim)
        if accel_mps2 < 0.0 and travel_mps < STANDSTILL_MPS:
            self._accel_mps2 = 0.0  # a car that stands has no deceleration to recover from
        excess_mps = travel_mps - self._parameters.vel_lim
        return Control(
            received_s=command.received_s,
            steering_rad=self._steering.step(command.steering_rad, speed_mps, now, dt),
            velocity_mps=velocity_mps,
            acceleration_mps2=min(accel_mps2, -SPEED_LIMIT_GAIN_1PS * excess_mps),
            is_defined_acceleration=True,
        )

    def _by_acceleration(self, wanted: float, travel_mps: float, now: float, dt: float) -> float:
        p = self._parameters
        wanted = self._accel_delay.step(wanted, now)
        if self._model.is_ideal:
            return clip(wanted, p.vel_rate_lim)
        if self._model.has_map:
            wanted = self._maps["acceleration_map_path"].value(wanted, travel_mps)
        else:
            wanted = clip(wanted, p.vel_rate_lim) * p.debug_acc_scaling_factor
        return self._lagged(wanted, p.acc_time_constant, dt)

    def _by_pedals(self, command: Actuation, travel_mps: float, now: float, dt: float) -> float:
        p = self._parameters
        accel = self._accel_delay.step(command.accel, now)
        brake = self._brake_delay.step(command.brake, now)
        if accel > 0.0 and p.convert_accel_cmd:
            wanted = self._maps["accel_map_path"].value(accel, travel_mps)
        elif accel <= 0.0 and brake > 0.0 and p.convert_brake_cmd:
            wanted = self._maps["brake_map_path"].value(brake, travel_mps)
        else:
            wanted = accel
        lag_s = p.accel_time_constant if accel > 0.0 else p.brake_time_constant
        return self._lagged(clip(wanted, p.vel_rate_lim), lag_s, dt)

    def _lagged(self, wanted: float, lag_s: float, dt: float) -> float:
        self._accel_mps2 = toward(self._accel_mps2, wanted, max(lag_s, LEAST_LAG_S), dt)
        return self._accel_mps2

    def pedals(self, accel_mps2: float, speed_mps: float, angle_rad: float) -> Pedals | None:
        """Return the pedals that would cause a motion; None for models without pedals."""
        if self._model.drive is not Drive.PEDALS:
            return None
        p, travel_mps = self._parameters, abs(speed_mps)
        accel = brake = 0.0
        if p.convert_accel_cmd:
            accels = self._maps["accel_map_path"]
            if accel_mps2 >= accels.value(accels.commands[0], travel_mps):
                accel = accels.command(accel_mps2, travel_mps)
        if p.convert_brake_cmd:
            brake = self._maps["brake_map_path"].command(accel_mps2, travel_mps)
        return Pedals(accel, brake, self._steering.command_of(angle_rad, speed_mps))

    def steer_from(self, angle_rad: float) -> None:
        """Go on from an angle that another source has steered to."""
        self._steering.steer_from(angle_rad)

    def reset(self) -> None:
        """Reset: no command is delayed, the wheels are straight."""
        for delay in (self._velocity_delay, self._accel_delay, self._brake_delay):
            delay.reset()
        self._accel_mps2 = 0.0
        self._steering.reset()
