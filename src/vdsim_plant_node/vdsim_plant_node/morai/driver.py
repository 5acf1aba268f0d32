"""Ego Ctrl Cmd -> pedals: what the simulator's own driver does for each command type.

Speeds and accelerations count in the gear's direction. The acceleration is made by the car's
inverse model with a slow trim for what the model leaves out.
"""

from __future__ import annotations

import math

from vdsim_plant.motion import PedalInput, VehicleMotion
from vdsim_plant.parameters import VehicleParameters
from vdsim_plant.torque_map import wheel_torque_nm

from vdsim_protocol import morai

GEARS: dict[int, int] = {
    morai.Gear.DRIVE: 1,
    morai.Gear.LOW: 1,
    morai.Gear.MANUAL: 1,
    morai.Gear.REVERSE: -1,
}
"""Direction of the throttle; 0 in P and N."""
SILENCE_S = 0.5
"""Age at which a command counts as lost."""
UNATTENDED_BRAKE = 0.3
SPEED_GAIN_PER_S = 2.0
ACCEL_MOST_MPS2 = 4.0
DECEL_MOST_MPS2 = 8.0
TRIM_GAIN_PER_S = 0.8
TRIM_MOST_MPS2 = 0.6
STANDING_MPS = 0.1
HOLDING_BRAKE = 0.15


class Driver:
    """Holds the last command and drives by it. `steer_sign`, `reported_sign`: +1 where positive
    steering, and a positive wheel angle of the status, is left.
    """

    def __init__(
        self,
        vehicle: VehicleParameters,
        steer_max_deg: float,
        release: morai.Release = morai.RELEASES["21"],
        steer_positive: str = "left",
        reported_sign: float | None = None,
    ) -> None:
        """`reported_sign` None: as commanded."""
        self._vehicle = vehicle
        self._release = release
        self.steer_sign = 1.0 if steer_positive == "left" else -1.0
        self.reported_sign = self.steer_sign if reported_sign is None else reported_sign
        self._steer_max_rad = math.radians(steer_max_deg)
        radius = vehicle.wheels.radius_m
        turning = 2.0 * (vehicle.wheels.inertia_front_kgm2 + vehicle.wheels.inertia_rear_kgm2)
        self._mass_kg = vehicle.body.mass_kg + turning / radius**2
        self._command: morai.EgoCtrlCmd | None = None
        self._command_s = -math.inf
        self._trim_mps2 = 0.0
        self._steer_rad = 0.0
        self.gear: int = morai.Gear.PARKING
        self.ctrl_mode: int = morai.CtrlMode.KEYBOARD

    def take(self, command: morai.EgoCtrlCmd, now: float) -> None:
        """A command arrived."""
        self._command, self._command_s = command, now
        self.gear = command.gear
        if command.ctrl_mode != morai.CtrlMode.KEEP:
            self.ctrl_mode = command.ctrl_mode

    def put(self, gear: int, ctrl_mode: int) -> None:
        """The scene sets gear and mode; what was commanded before is forgotten."""
        self._command, self._trim_mps2, self._steer_rad = None, 0.0, 0.0
        self.gear, self.ctrl_mode = gear, ctrl_mode

    def pedals(self, motion: VehicleMotion, period_s: float, now: float) -> PedalInput:
        """What the car is driven with until the next period."""
        command = self._command
        direction = GEARS.get(self.gear, 0)
        parked = self.gear == morai.Gear.PARKING
        driven = self.ctrl_mode == morai.CtrlMode.AUTO and now - self._command_s <= SILENCE_S
        if command is None or not driven:
            self._trim_mps2 = 0.0
            return PedalInput(
                steer_rad=self._steer_rad,
                throttle=0.0,
                brake=UNATTENDED_BRAKE,
                gear=direction,
                handbrake=parked,
            )
        self._steer_rad = self.steer_sign * command.steering * self._steer_max_rad
        throttle, brake = self._longitudinal(command, motion, direction, period_s)
        return PedalInput(
            steer_rad=self._steer_rad,
            throttle=throttle,
            brake=brake,
            gear=direction,
            handbrake=parked,
        )

    def _longitudinal(
        self, command: morai.EgoCtrlCmd, motion: VehicleMotion, direction: int, period_s: float
    ) -> tuple[float, float]:
        if command.cmd_type == morai.CmdType.PEDALS:
            self._trim_mps2 = 0.0
            return command.accel, command.brake
        sense = direction or 1
        speed_mps, accel_mps2 = sense * motion.vx_mps, sense * motion.ax_mps2
        wanted = command.acceleration_mps2
        if command.cmd_type == morai.CmdType.VELOCITY:
            wanted = SPEED_GAIN_PER_S * (command.velocity_kph / 3.6 - speed_mps)
            limits = self._release
            wanted = min(max(wanted, -limits.decel_most_mps2), limits.accel_most_mps2)
        wanted = min(max(wanted, -DECEL_MOST_MPS2), ACCEL_MOST_MPS2)
        if wanted <= 0.0 and speed_mps < STANDING_MPS:
            self._trim_mps2 = 0.0
            return 0.0, HOLDING_BRAKE
        if direction == 0:
            return 0.0, self._brake(min(wanted, 0.0))
        trim = self._trim_mps2 + TRIM_GAIN_PER_S * (wanted - accel_mps2) * period_s
        self._trim_mps2 = min(max(trim, -TRIM_MOST_MPS2), TRIM_MOST_MPS2)
        return self._inverse(wanted + self._trim_mps2, speed_mps)

    def _inverse(self, accel_mps2: float, speed_mps: float) -> tuple[float, float]:
        """Throttle and brake for an acceleration on level ground."""
        aero = self._vehicle.aero
        drag_n = 0.5 * aero.air_density_kgpm3 * aero.drag_coefficient * aero.frontal_area_m2
        force_n = self._mass_kg * accel_mps2 + drag_n * speed_mps**2
        if force_n < 0.0:
            return 0.0, self._brake(force_n / self._mass_kg)
        available_nm = wheel_torque_nm(self._vehicle, abs(speed_mps))
        if available_nm <= 0.0:
            return 0.0, 0.0
        return min(force_n * self._vehicle.wheels.radius_m / available_nm, 1.0), 0.0

    def _brake(self, decel_mps2: float) -> float:
        """Brake pedal for a deceleration (negative)."""
        torque_nm = -decel_mps2 * self._mass_kg * self._vehicle.wheels.radius_m
        return min(torque_nm / self._vehicle.brakes.max_torque_nm, 1.0)
