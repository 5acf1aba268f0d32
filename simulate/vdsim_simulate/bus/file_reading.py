"""What the interface's frames say, read by the car file of a scene, for the oracles.

Signals, counters and checksums come from the rows of the file, by the code that the car's ECUs use;
the frames of vdsim_dbw are read by hand (reading.py), which shows that the code is right.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from vdsim_can.car import MEASURED, CarFile, SignalName
from vdsim_can.fields.decoding import FieldDecoder
from vdsim_can.fields.encoding import Value
from vdsim_can.fields.handshake_settings import settings_of
from vdsim_can.frame import Frame, unpacked
from vdsim_can.integrity import count_after
from vdsim_can.traffic.wire_message import WireMessage
from vdsim_interface.platforms.pedal_map import PedalMap
from vdsim_interface.values import Gear, drive_direction, travel_direction

from vdsim_simulate.record import BusFrame, Record, Sent

ANGLE = "front_wheel_angle_rad"
Settings = Mapping[SignalName, int]


class FileReading:
    """Reads the frames of each period, and puts together what they command."""

    def __init__(self, car: CarFile, pedal_map: PedalMap) -> None:
        self._pedal_map = pedal_map
        wires = [WireMessage(car, row) for row in car.send.values()]
        self._wires = {(wire.message.can_id, wire.message.extended): wire for wire in wires}
        self._decoders: dict[str, list[FieldDecoder]] = {wire.name: [] for wire in wires}
        for row in car.commands:
            self._decoders[row.signal.message].append(FieldDecoder(car, row))
        neutral = next(row.neutral for row in car.commands if row.field == ANGLE)
        self._is_measured = neutral == MEASURED
        steps = car.handshake
        every = [settings_of(steps, index) for index in range(len(steps))]
        self._enabled: Settings = every[-1] if every else {}
        others = [each for each in every if each != self._enabled]
        self._before: Settings = others[-1] if others else {}
        self._off: Settings = every[0] if every else {}
        self._values: dict[str, Value] = {}
        self._enabling: dict[str, bool] = {}

    def read(self, datagrams: tuple[bytes, ...], time_s: float, record: Record) -> None:
        """Write down what they say. A command is what all messages of ours say together."""
        for data in datagrams:
            record.frames.append(self._frame(data, time_s, record))
        if datagrams and all(self._enabling.values()):
            record.packets.append(self._command(time_s))

    def _frame(self, data: bytes, time_s: float, record: Record) -> BusFrame:
        frame = unpacked(data)
        assert isinstance(frame, Frame), frame
        wire = self._wires[frame.can_id, frame.extended]
        raws = wire.unpack(frame.data)
        for decoder in self._decoders[wire.name]:
            value = decoder.value(raws.get(decoder.signal))
            if value is not None:
                self._values[decoder.row.field] = value
        enables = self._says(self._enabled, wire.name, raws)
        if enables is not None:
            self._enabling[wire.name] = enables
        rule = wire.row.counter
        count = 0 if rule is None else int(raws[rule.signal])
        fields = {decoder.row.field for decoder in self._decoders[wire.name]}
        steers = ANGLE in fields and (self._is_measured or enables is not False)
        speed_mps = record.car[-1].vx_mps if record.car else 0.0
        throttle, brake = self._pedals(speed_mps, fields)
        return BusFrame(
            time_s=time_s,
            message=wire.name,
            counter=count,
            is_protected=wire.checksum_fits(frame.data),
            enables=enables,
            clears=enables is not None and _has(self._before, wire.name, raws),
            steer_rad=float(self._values[ANGLE]) if steers else math.nan,
            throttle=throttle,
            brake=brake,
            next_counter=0 if rule is None else count_after(rule, count),
            first_counter=0 if rule is None else rule.start,
        )

    def _says(self, settings: Settings, message: str, raws: Mapping[str, float]) -> bool | None:
        """Whether a frame has these settings; None where those of the first row are the same."""
        if all(self._off[n] == raw for n, raw in settings.items() if n.message == message):
            return None
        return _has(settings, message, raws)

    def _pedals(self, speed_mps: float, fields: set[str]) -> tuple[float, float]:
        """Return the pedals that a frame asks for, of an acceleration as the car's own ECU does."""
        values = self._values
        if "long_accel_mps2" in fields:
            asked = travel_direction(self._gear, speed_mps) * float(values["long_accel_mps2"])
            pedal = self._pedal_map.pedal(asked, speed_mps) if asked else 0.0
            # Who asks to slow down does not drive, where the car by itself would slow down more.
            values["throttle"] = max(pedal, 0.0) if asked > 0.0 else 0.0
            values["brake"] = max(-pedal, 0.0)
        elif not fields & {"throttle", "brake"}:
            return 0.0, 0.0
        return float(values.get("throttle", 0.0)), float(values.get("brake", 0.0))

    @property
    def _gear(self) -> Gear:
        return Gear[str(self._values.get("gear", Gear.DRIVE.name))]

    def _command(self, time_s: float) -> Sent:
        values = self._values
        return Sent(
            time_s,
            float(values.get(ANGLE, 0.0)),
            float(values.get("throttle", 0.0)),
            float(values.get("brake", 0.0)),
            drive_direction(self._gear),
            values.get("hand_brake") == "ON",
        )


def _has(settings: Settings, message: str, raws: Mapping[str, float]) -> bool:
    """Whether a frame of a message has these settings."""
    return all(raws.get(n.signal) == raw for n, raw in settings.items() if n.message == message)
