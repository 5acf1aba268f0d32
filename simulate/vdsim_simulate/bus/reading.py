"""What the interface's frames say, read from their bytes by hand, for the oracles.

This reads the three messages of vdsim_dbw.dbc and nothing of `vdsim_can`: bits by their numbers,
the checksum bit by bit. A test compares it with cantools.
"""

from __future__ import annotations

import math

from vdsim_simulate.record import BusFrame, Record, Sent

STEER, PEDALS, BODY = "DBW_STEER_CMD", "DBW_PEDAL_CMD", "DBW_BODY_CMD"
MESSAGES = {0x200: (STEER, 0x11), 0x201: (PEDALS, 0x12), 0x202: (BODY, 0x13)}
"""By id: the name, and the Data-ID that enters the checksum."""
COUNTS_N = 15
DIRECTIONS = {1: -1, 3: 1, 4: 1}
"""Of the gears; the others do not drive."""
_POLYNOMIAL = 0x2F


def crc_of(data: bytes) -> int:
    """AUTOSAR's CRC-8H2F, bit by bit."""
    crc = 0xFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = ((crc << 1) ^ _POLYNOMIAL if crc & 0x80 else crc << 1) & 0xFF
    return crc ^ 0xFF


def _signed(raw: int) -> int:
    return raw - 0x10000 if raw & 0x8000 else raw


def frame_of(data: bytes, time_s: float) -> tuple[BusFrame, int, bool]:
    """Return a frame, the gear and the hand brake that it asks for."""
    can_id, length, body = int.from_bytes(data[:4], "little"), data[4], data[8:16]
    assert can_id in MESSAGES, f"0x{can_id:X} is not a message of the interface"
    assert length == 8, length
    name, data_id = MESSAGES[can_id]
    bits = int.from_bytes(body, "little")
    is_steer, is_pedals = name == STEER, name == PEDALS
    frame = BusFrame(
        time_s=time_s,
        message=name,
        counter=bits >> 8 & 0xF,
        is_protected=body[0] == crc_of(body[1:] + bytes((data_id,))),
        enables=bool(bits >> 12 & 1) if is_steer or is_pedals else None,
        clears=bool(bits >> 13 & 1) and (is_steer or is_pedals),
        steer_rad=math.radians(0.002 * _signed(bits >> 16 & 0xFFFF)) if is_steer else math.nan,
        throttle=1e-4 * (bits >> 16 & 0xFFFF) if is_pedals else 0.0,
        brake=1e-4 * (bits >> 32 & 0xFFFF) if is_pedals else 0.0,
        next_counter=((bits >> 8 & 0xF) + 1) % COUNTS_N,
    )
    return frame, DIRECTIONS.get(bits >> 12 & 7, 0), bool(bits >> 15 & 1)


class BusReading:
    """Reads the frames of each period, and puts together what they command."""

    def __init__(self) -> None:
        self._steer_rad, self._gear, self._hand_brake = 0.0, 0, False

    def read(self, datagrams: tuple[bytes, ...], time_s: float, record: Record) -> None:
        """Write down what they say. Steering and pedals have one cycle: a command is both."""
        pedals = None
        for data in datagrams:
            frame, gear, hand_brake = frame_of(data, time_s)
            record.frames.append(frame)
            if frame.message == STEER:
                self._steer_rad = frame.steer_rad
            elif frame.message == PEDALS:
                pedals = frame
            else:
                self._gear, self._hand_brake = gear, hand_brake
        if pedals is not None and pedals.enables:
            record.packets.append(
                Sent(
                    time_s,
                    self._steer_rad,
                    pedals.throttle,
                    pedals.brake,
                    self._gear,
                    self._hand_brake,
                )
            )
