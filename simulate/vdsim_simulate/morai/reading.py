"""What Ego Ctrl Cmd says, for the oracles: an acceleration as the pedals that a map gives for it.

The bytes are read at the places that the simulator's manual names, without the product's codec.
"""

from __future__ import annotations

import math
import struct

from vdsim_interface.platforms.pedal_map import PedalMap

from vdsim_protocol import morai
from vdsim_simulate.record import Record, Sent
from vdsim_simulate.scene import Scene

COMMAND_HEAD = b"#MoraiCtrlCmd$"
_FIELDS = struct.Struct("<3B5f")
_FIELDS_AT = 30
_PARKING, _REVERSE, _NEUTRAL = 1, 2, 3
_PEDALS = 1
_MOST_STEER_RAD = math.radians(36.25)
"""The wheels' angle for a steering command of 1, as the emulator is started."""
_DIRECTIONS = {_PARKING: 0, _REVERSE: -1, _NEUTRAL: 0}


_STATUS_HEAD, _MODE_AT, _KEYBOARD = b"#MoraiInfo$", {94: 27, 132: 27}, 1
_MODE_AFTER_TIME_AT = 35
_LENGTH = struct.Struct("<i")


def says_keyboard(status: bytes) -> bool:
    """Whether an Ego Vehicle Status says that the simulator is on its keyboard."""
    [length] = _LENGTH.unpack_from(status, len(_STATUS_HEAD))
    return status[_MODE_AT.get(length, _MODE_AFTER_TIME_AT)] == _KEYBOARD


class MoraiReading:
    """Reads the commands that leave the interface."""

    def __init__(self, scene: Scene, pedal_map: PedalMap) -> None:
        self._pedal_map = pedal_map
        left = morai.RELEASES[scene.release].steer_positive == "left"
        self._steer_rad = _MOST_STEER_RAD if left else -_MOST_STEER_RAD

    def read(self, datagrams: tuple[bytes, ...], time_s: float, record: Record) -> None:
        """Write down what they say; lamps are no command."""
        speed_mps = record.car[-1].vx_mps if record.car else 0.0
        for data in datagrams:
            if data.startswith(COMMAND_HEAD):
                record.packets.append(self._command(data, time_s, speed_mps))

    def _command(self, data: bytes, time_s: float, speed_mps: float) -> Sent:
        fields = _FIELDS.unpack_from(data, _FIELDS_AT)
        _, gear, kind, _, accel_mps2, throttle, brake, steering = fields
        if kind != _PEDALS:
            pedal = self._pedal_map.pedal(accel_mps2, abs(speed_mps)) if accel_mps2 else 0.0
            throttle = max(pedal, 0.0) if accel_mps2 > 0.0 else 0.0
            brake = max(-pedal, 0.0)
        return Sent(
            time_s,
            self._steer_rad * steering,
            throttle,
            brake,
            _DIRECTIONS.get(gear, 1),
            gear == _PARKING,
        )
