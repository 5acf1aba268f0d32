"""One message with its row of the car file: raw values <-> frames with counter and checksum."""

from __future__ import annotations

from collections.abc import Mapping

from vdsim_can.car import CarFile, MessageRow, SignalName
from vdsim_can.dbc import codec_of
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
        rule, counter = row.checksum, row.counter
        self._sum = "" if rule is None else rule.signal
        self._compute = None if rule is None else checksum_of(rule, message, counter)
        self._count = "" if counter is None else counter.signal

    def unpack(self, data: bytes) -> Mapping[str, float]:
        """Return the raw values of a frame, whose length is that of the message."""
        return self._codec.unpack(data) or {}

    def checksum_fits(self, data: bytes) -> bool:
        """Whether a frame of the right length carries its checksum; true for a message without."""
        if self._compute is None:
            return True
        raws = self._codec.unpack(data) or {}
        count = int(raws.get(self._count, 0)) if self._count else 0
        return self._compute(data, count) == raws.get(self._sum)

    def frame(self, raws: Mapping[str, float], count: int) -> Frame:
        """Return the frame of raw values, with this value of its counter."""
        values = dict(raws)
        if self._count:
            values[self._count] = count
        if self._compute is None:
            data = self._codec.pack(values)
        else:
            values[self._sum] = 0
            values[self._sum] = self._compute(self._codec.pack(values), count)
            data = self._codec.pack(values)
        return Frame(self.message.can_id, data, self.message.extended, self.is_fd)

    def physical(self, name: SignalName, raw: float) -> float:
        """Return the physical value of a signal's raw one."""
        return self._signals[name.signal].physical(raw)
