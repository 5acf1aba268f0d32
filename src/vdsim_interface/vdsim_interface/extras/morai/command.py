"""PlatformCommand -> Ego Ctrl Cmd and Turn Signal Lamp Control, in each command type."""

import math

from vdsim_interface.extras.morai.parameters import CMD_TYPES, MoraiParameters
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.platforms.pedal_map import PedalMap
from vdsim_interface.platforms.raw import Pedals, raw_pedals
from vdsim_interface.values import (
    AccelMeaning,
    Blinker,
    Gear,
    PlatformCommand,
    RawCommand,
    travel_direction,
)
from vdsim_interface.values.speeds import NO_DRIVE_MPS
from vdsim_protocol import morai

DRIVE = AccelMeaning.DRIVE
MPS_TO_KPH = 3.6
MORAI_GEARS: dict[Gear, morai.Gear] = {
    Gear.DRIVE: morai.Gear.DRIVE,
    Gear.REVERSE: morai.Gear.REVERSE,
    Gear.PARK: morai.Gear.PARKING,
    Gear.LOW: morai.Gear.LOW,
    Gear.NEUTRAL: morai.Gear.NEUTRAL,
}
LAMPS: dict[Blinker, morai.LampControl] = {
    Blinker.OFF: morai.LampControl(morai.TurnSignal.OFF, morai.EmergencySignal.OFF),
    Blinker.LEFT: morai.LampControl(morai.TurnSignal.LEFT, morai.EmergencySignal.OFF),
    Blinker.RIGHT: morai.LampControl(morai.TurnSignal.RIGHT, morai.EmergencySignal.OFF),
    Blinker.HAZARD: morai.LampControl(morai.TurnSignal.OFF, morai.EmergencySignal.ON),
}


class CommandMaker:
    """Builds Ego Ctrl Cmd; speeds and accelerations in the direction of the gear."""

    def __init__(
        self, parameters: MoraiParameters, geometry: VehicleGeometry, pedal_map: PedalMap
    ) -> None:
        self._parameters = parameters
        self._geometry = geometry
        self._pedal_map = pedal_map

    def make(self, command: PlatformCommand, speed_mps: float) -> morai.EgoCtrlCmd:
        """Return the message for a command, at the reported speed [m/s]."""
        if command.raw is not None:
            pedals = self.raw_pedals(command.raw)
            brake = max(pedals.brake, float(command.body.hand_brake))
            return self._pedals(command, pedals.front_rad, pedals.throttle, brake)
        gear, vehicle = command.body.gear, command.vehicle
        sense = travel_direction(gear, speed_mps)
        drive_mps2, front_rad = sense * vehicle.long_accel_mps2, vehicle.front_wheel_angle_rad
        if command.body.hand_brake:
            return self._pedals(command, front_rad, 0.0, 1.0)
        if command.no_drive and drive_mps2 >= 0.0:
            # A speed or an acceleration of 0 would be held with throttle on a hill.
            return self._pedals(command, front_rad, 0.0, 0.0)
        kind = CMD_TYPES[self._parameters.cmd_type]
        brakes = command.no_drive or (drive_mps2 < 0.0 and command.meaning is not DRIVE)
        if brakes and sense * speed_mps < NO_DRIVE_MPS:
            kind = morai.CmdType.PEDALS  # an acceleration does not say how hard to hold
        if kind is morai.CmdType.PEDALS:
            pedal = self._pedal_map.pedal(drive_mps2, speed_mps)
            if command.no_drive:
                pedal = min(pedal, 0.0)
            return self._pedals(command, front_rad, max(pedal, 0.0), max(-pedal, 0.0))
        release = self._parameters.as_release
        target_mps = sense * speed_mps + drive_mps2 * self._parameters.velocity_lead_s
        if kind is morai.CmdType.VELOCITY and (
            command.no_drive or drive_mps2 < -release.decel_most_mps2 or target_mps < 0.0
        ):
            kind = morai.CmdType.ACCELERATION  # a velocity command would not brake as hard
        velocity = kind is morai.CmdType.VELOCITY
        return morai.EgoCtrlCmd(
            ctrl_mode=morai.CtrlMode.AUTO,
            gear=MORAI_GEARS[gear],
            cmd_type=kind,
            velocity_kph=max(target_mps, 0.0) * MPS_TO_KPH if velocity else 0.0,
            acceleration_mps2=0.0 if velocity else drive_mps2,
            steering=self._steering(front_rad),
        )

    def reachable_mps2(self, command: PlatformCommand, speed_mps: float) -> float:
        """Return the acceleration of a motion command within the limits of its command type."""
        accel = command.vehicle.long_accel_mps2
        if CMD_TYPES[self._parameters.cmd_type] is not morai.CmdType.VELOCITY:
            return accel
        sense = travel_direction(command.body.gear, speed_mps)
        return sense * min(sense * accel, self._parameters.as_release.accel_most_mps2)

    def raw_pedals(self, command: RawCommand) -> Pedals:
        """Limit a raw command to the ranges of both the vehicle and the steering command."""
        steer_max_rad = math.radians(self._parameters.steer_max_deg)
        front_max_rad = min(self._geometry.front_wheel_angle_max_rad, steer_max_rad)
        return raw_pedals(command, self._parameters, front_max_rad, 0.0)

    def effort_mps2(self, message: morai.EgoCtrlCmd, speed_mps: float) -> float:
        """Return the acceleration [m/s2] that a message's pedals give, in the travel direction."""
        return self._pedal_map.effort(message.accel, message.brake, speed_mps)

    def angle_rad(self, message: morai.EgoCtrlCmd) -> float:
        """Return the front wheel angle [rad] that a message commands."""
        p = self._parameters
        return p.steer_sign * message.steering * math.radians(p.steer_max_deg)

    def _pedals(
        self, command: PlatformCommand, front_rad: float, throttle: float, brake: float
    ) -> morai.EgoCtrlCmd:
        return morai.EgoCtrlCmd(
            ctrl_mode=morai.CtrlMode.AUTO,
            gear=MORAI_GEARS[command.body.gear],
            cmd_type=morai.CmdType.PEDALS,
            accel=throttle,
            brake=brake,
            steering=self._steering(front_rad),
        )

    def _steering(self, front_rad: float) -> float:
        p = self._parameters
        share = p.steer_sign * front_rad / math.radians(p.steer_max_deg)
        return min(max(share, -1.0), 1.0)
