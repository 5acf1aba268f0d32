"""One message with its row of the car file: raw values <-> frames with counter and checksum."""

from __future__ import annotations

from collections.abc import Mapping

from vdsim_can.car import CarFile, MessageRow, SignalName
from vdsim_can.dbc import codec_of
from vdsim_can.dbc.network import Signal
from vdsim_can.frame import Frame
from vdsim_can.integrity.compute import checksum_of


class WireMessage:
    """A message. `key`: bus, id and whether the id is extended."""

    def __init__(self, car: CarFile, row: MessageRow) -> None:
        self.row, self.name = row, row.message
        self.message = message = car.message(row.message)
        self.key = (row.bus, message.can_id, message.extended)
        self.is_fd = message.fd
        self.is_multiplexed = any(signal.selector for signal in message.signals)
        self._codec = codec_of(message)
        self._signals = {signal.name: signal for signal in message.signals}
        self._lines = {signal.name: (signal.scale, signal.offset) for signal in message.signals}
        rule, counter = row.checksum, row.counter
        self._sum = "" if rule is None else rule.signal
        self._compute = None if rule is None else checksum_of(rule, message, counter)
        self._sum_byte = whole_byte(self._signals.get(self._sum))
        self._count = "" if counter is None else counter.signal

    def unpack(self, data: bytes) -> Mapping[str, float]:
        """Return the raw values of a frame, whose length is that of the message."""
        return self._codec.unpack(data) or {}

    def read(self, data: bytes) -> Mapping[str, float] | None:
        """Return the raw values of such a frame; None when its checksum is wrong."""
        raws = self._codec.unpack(data) or {}
        if self._compute is not None:
            count = int(raws.get(self._count, 0)) if self._count else 0
            if self._compute(data, count) != raws.get(self._sum):
                return None
        return raws

    def checksum_fits(self, data: bytes) -> bool:
        """Whether a frame of the right length carries its checksum; true for a message without."""
        return self.read(data) is not None

    def frame(self, raws: Mapping[str, float], count: int) -> Frame:
        """Return the frame of raw values that fit, with this value of its counter."""
        values = dict(raws)
        if self._count:
            values[self._count] = count
        if self._compute is not None:
            values[self._sum] = 0
        data = self._codec.pack_fitting(values)
        if self._compute is not None:
            found = self._compute(data, count)
            if self._sum_byte is None:
                values[self._sum] = found
                data = self._codec.pack_fitting(values)
            else:
                data = data[: self._sum_byte] + bytes((found,)) + data[self._sum_byte + 1 :]
        message = self.message
        return Frame(message.can_id, data, message.extended, self.is_fd)

    def physical(self, name: SignalName, raw: float) -> float:
        """Return the physical value of a signal's raw one."""
        scale, offset = self._lines[name[1]]
        return raw * scale + offset


def whole_byte(signal: Signal | None) -> int | None:
    """Return the byte of the frame that a signal is, nothing more and nothing less; else None."""
    if signal is None or signal.length != 8 or signal.bits()[-1] % 8:
        return None
    return signal.bits()[-1] // 8 if signal.bits()[0] // 8 == signal.bits()[-1] // 8 else None
