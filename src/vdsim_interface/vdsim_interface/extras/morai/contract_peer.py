"""The simulator's side of the wire, as far as the contract suite needs it."""

import math

from vdsim_interface.extras.morai.platform import CONTROL
from vdsim_interface.platforms.peer import PeerMotion, ReceivedCommand
from vdsim_interface.platforms.wire import Address, Datagram
from vdsim_protocol import morai

SOURCE: Address = ("127.0.0.1", 9092)
STEER_MAX_RAD = math.radians(36.25)
DIRECTION = {morai.Gear.DRIVE: 1, morai.Gear.LOW: 1, morai.Gear.REVERSE: -1}


def status(motion: PeerMotion, ctrl_mode: int = morai.CtrlMode.AUTO) -> morai.EgoVehicleStatus:
    """Return the Ego Vehicle Status of a motion."""
    speed_kph = 3.6 * motion.velocity_mps
    return morai.EgoVehicleStatus(
        ctrl_mode=ctrl_mode,
        gear=morai.Gear.REVERSE if motion.velocity_mps < 0.0 else morai.Gear.DRIVE,
        signed_velocity_kph=speed_kph,
        map_data_id=1,
        accel=0.0,
        brake=0.0,
        size_x_m=4.6,
        size_y_m=1.9,
        size_z_m=1.6,
        overhang_m=0.8,
        wheelbase_m=3.0,
        rear_overhang_m=0.8,
        pos_x_m=motion.x_m,
        pos_y_m=motion.y_m,
        pos_z_m=0.0,
        roll_deg=0.0,
        pitch_deg=0.0,
        heading_deg=math.degrees(motion.yaw_rad) - 360.0,
        velocity_x_kph=speed_kph,
        velocity_y_kph=0.0,
        velocity_z_kph=0.0,
        accel_x_mps2=motion.accel_mps2,
        accel_y_mps2=0.0,
        accel_z_mps2=0.0,
        steer_deg=math.degrees(motion.front_wheel_angle_rad),
    )


class Peer:
    """Sends Ego Vehicle Status, decodes Ego Ctrl Cmd."""

    def report(self, motion: PeerMotion, now: float) -> tuple[tuple[Datagram, Address], ...]:
        """Report a motion."""
        return ((Datagram(CONTROL, morai.encode(status(motion))), SOURCE),)

    def receive(self, datagrams: tuple[Datagram, ...], now: float) -> ReceivedCommand | None:
        """Decode a command of any type."""
        decoded: ReceivedCommand | None = None
        for datagram in datagrams:
            packet = morai.decode(datagram.data)
            assert isinstance(packet, morai.Packet), packet
            command = packet.body
            if not isinstance(command, morai.EgoCtrlCmd):
                continue
            pedals = command.cmd_type == morai.CmdType.PEDALS
            push = command.accel if pedals else command.acceleration_mps2
            brake = command.brake if pedals else -command.acceleration_mps2
            decoded = ReceivedCommand(
                front_wheel_angle_rad=command.steering * STEER_MAX_RAD,
                push=DIRECTION.get(morai.Gear(command.gear), 0) * (push > 0.0),
                brakes=brake > 0.0,
                hand_brake=command.gear == morai.Gear.PARKING,
            )
        return decoded
