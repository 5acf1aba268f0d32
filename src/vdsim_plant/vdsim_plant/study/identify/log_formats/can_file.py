"""Reads CAN logs: frames of `candump -l`, signals by a DBC; pure Python.

A line of the log is `(seconds) bus id#data`, as in `(12.05) can0 025#0B9A0F`. Of the DBC the lines
`BO_` and `SG_` are read: both byte orders, signs, factors, offsets, and plain multiplexing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.parameters.input_file import read_text
from vdsim_plant.study.identify.log_formats.mcap_file import on_one_time
from vdsim_plant.study.identify.log_formats.named_sources import Source

Array = NDArray[np.float64]
LARGEST_BYTES = 1 << 30
_FRAME = re.compile(r"\((\d+(?:\.\d+)?)\)\s+\S+\s+([0-9A-Fa-f]+)#([0-9A-Fa-f]*)\s*(?:[RT]\s*)?$")
_MESSAGE = re.compile(r"\s*BO_\s+(\d+)\s+(\w+)\s*:")
_SIGNAL = re.compile(
    r"\s*SG_\s+(\w+)\s*(M|m\d+M?)?\s*:\s*(\d+)\|(\d+)@([01])([+-])\s*\(([^,]+),([^)]+)\)"
)
EXTENDED = 1 << 31


@dataclass(frozen=True, kw_only=True)
class Signal:
    """One signal of a message, as a DBC has it."""

    name: str
    start: int
    length: int
    little_endian: bool
    signed: bool
    factor: float
    offset: float
    multiplexed: int | None = None
    """The value of the message's multiplexer with which it is there."""
    multiplexer: bool = False

    def raw(self, data: bytes) -> int | None:
        """Return the number in a frame; None where the frame is too short for it."""
        if self.little_endian:
            if self.start + self.length > 8 * len(data):
                return None
            value = int.from_bytes(data, "little") >> self.start
        else:
            # The start is the most significant bit; bits of a byte count from its lowest.
            first = 8 * (self.start // 8) + 7 - self.start % 8
            shift = 8 * len(data) - first - self.length
            if shift < 0:
                return None
            value = int.from_bytes(data, "big") >> shift
        value &= (1 << self.length) - 1
        if self.signed and value >> (self.length - 1):
            value -= 1 << self.length
        return value

    def value(self, data: bytes) -> float | None:
        """Return the physical value."""
        number = self.raw(data)
        return None if number is None else number * self.factor + self.offset


@dataclass(frozen=True)
class Message:
    """A message of a DBC; `number` as in the file, with its flag for extended identifiers."""

    name: str
    number: int
    signals: Mapping[str, Signal]

    @property
    def multiplexer(self) -> Signal | None:
        """The signal that says which others are there."""
        return next((s for s in self.signals.values() if s.multiplexer), None)

    def value(self, signal: Signal, data: bytes) -> float | None:
        """Return a signal's value in a frame; None where it is not there."""
        if signal.multiplexed is not None:
            chooser = self.multiplexer
            if chooser is None or chooser.raw(data) != signal.multiplexed:
                return None
        return signal.value(data)


def messages_of(dbc: str) -> dict[str, Message]:
    """Return the messages of a DBC by name."""
    found: dict[str, Message] = {}
    signals: dict[str, Signal] = {}
    for line in dbc.splitlines():
        head = _MESSAGE.match(line)
        if head is not None:
            signals = {}
            found[head[2]] = Message(head[2], int(head[1]), signals)
            continue
        part = _SIGNAL.match(line)
        if part is not None:
            name, chosen = part[1], part[2] or ""
            factor, offset = (_number(name, text) for text in (part[7], part[8]))
            signals[name] = Signal(
                name=name,
                start=int(part[3]),
                length=int(part[4]),
                little_endian=part[5] == "1",
                signed=part[6] == "-",
                factor=factor,
                offset=offset,
                multiplexed=int(chosen[1:].rstrip("M")) if chosen.startswith("m") else None,
                multiplexer=chosen.endswith("M"),
            )
    return found


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParameterError(name[:60], f"={text[:40]!r}: must be a number") from None


def frames_of(lines: Iterable[str]) -> list[tuple[float, int, bytes]]:
    """Return (time [s], number as in a DBC, data) of each frame; other lines do not count."""
    found = []
    for line in lines:
        part = _FRAME.match(line)
        if part is None or len(part[3]) % 2:
            continue
        number = int(part[2], 16) | (EXTENDED if len(part[2]) > 3 else 0)
        found.append((float(part[1]), number, bytes.fromhex(part[3])))
    return found


def read_can(
    path: Path, dbc: Path, sources: Mapping[str, Source]
) -> tuple[Array, dict[str, Array]]:
    """Return (time, channels) of a CAN log; a source's name is `MESSAGE.SIGNAL`."""
    messages = messages_of(read_text(dbc, largest_bytes=LARGEST_BYTES))
    wanted: dict[int, list[tuple[str, Message, Signal, float]]] = {}
    for channel, source in sources.items():
        name, _, signal = source.name.partition(".")
        message = messages.get(name)
        if message is None or signal not in message.signals:
            raise ParameterError(
                channel, f"={source.name}: must be MESSAGE.SIGNAL of {dbc.name}", source=path.name
            )
        item = (channel, message, message.signals[signal], source.factor)
        wanted.setdefault(message.number, []).append(item)
    if not wanted:
        raise ParameterError(
            "field", "must name the channels: CHANNEL=MESSAGE.SIGNAL", source=path.name
        )
    samples: dict[str, list[tuple[float, float]]] = {}
    for time_s, number, data in frames_of(
        read_text(path, largest_bytes=LARGEST_BYTES).splitlines()
    ):
        for channel, message, signal_of, factor in wanted.get(number, ()):
            value = message.value(signal_of, data)
            if value is not None:
                samples.setdefault(channel, []).append((time_s, value * factor))
    silent = [channel for channel in sources if channel not in samples]
    if silent:
        raise ParameterError(
            silent[0], f"={sources[silent[0]].name}: no frame of the log has it", source=path.name
        )
    return on_one_time(samples)
