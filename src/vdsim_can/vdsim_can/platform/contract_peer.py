"""The car of the file at the other end of the bus, for the contract suite."""

from vdsim_interface.platforms.peer import PeerMotion, ReceivedCommand
from vdsim_interface.platforms.spec import Address, Datagram
from vdsim_interface.values import Gear, drive_direction

from vdsim_can.ecu.ecus import Ecus
from vdsim_can.fields.encoding import Value
from vdsim_can.frame import packed, unpacked
from vdsim_can.platform.loading import car_named
from vdsim_can.platform.parameters import SHIPPED
from vdsim_can.platform.vehicle_reports import NEEDED

PERIOD_S = 0.01
SOURCE: Address = ("can0", 0)
SECURED: dict[str, Value] = {"doors_closed": "ON", "belts_fastened": "ON", "load_secured": "ON"}


class Peer:
    """The ECUs of the shipped car; the motion is the suite's."""

    def __init__(self) -> None:
        car = car_named(SHIPPED)
        self._ecus = Ecus(car, PERIOD_S)
        speed = next(row.signal for row in car.reports if row.field == NEEDED[0])
        self._speed_id = car.message(speed.message).can_id
        self._gear = Gear.DRIVE.name

    def report(self, motion: PeerMotion, now: float) -> tuple[tuple[Datagram, Address], ...]:
        """Report a motion: every message of the car, that of the speed last."""
        truth: dict[str, Value] = {
            "velocity_mps": motion.velocity_mps,
            "front_wheel_angle_rad": motion.front_wheel_angle_rad,
            "accel_x_mps2": motion.accel_mps2,
            "long_accel_mps2": motion.accel_mps2,
            "yaw_rate_radps": 0.0,
            "throttle": 0.0,
            "brake": 0.0,
            "gear": self._gear,
            "hand_brake": "OFF",
            "fuel_percent": 80.0,
            "vehicle_time_s": now,
            **{
                f"wheel_{name}_radps": motion.velocity_mps / 0.36
                for name in ("fl", "fr", "rl", "rr")
            },
            **SECURED,
        }
        frames = self._ecus.step(truth, now, every=True)
        frames.sort(key=lambda sent: sent[1].can_id == self._speed_id)
        return tuple((Datagram(bus, packed(frame)), SOURCE) for bus, frame in frames)

    def receive(self, datagrams: tuple[Datagram, ...], now: float) -> ReceivedCommand | None:
        """Take the frames; return the command in effect."""
        for bus, data in datagrams:
            frame = unpacked(data)
            if not isinstance(frame, str):
                self._ecus.receive(bus, frame, now)
        command = self._ecus.command(now)
        if command is None:
            return None
        gear = Gear[str(command["gear"])]
        self._gear = gear.name
        return ReceivedCommand(
            float(command["front_wheel_angle_rad"]),
            drive_direction(gear) if float(command["throttle"]) > 0.0 else 0,
            float(command["brake"]) > 0.0 or gear is Gear.PARK,
            command["hand_brake"] == "ON",
        )
