"""panda's safety hook, compiled from the headers of the opendbc wheel, as one call for a batch."""

from __future__ import annotations

import ctypes
import struct
import subprocess
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

import opendbc
from vdsim_can.frame import Frame

_EVENT = struct.Struct("<IIBBBB64s")
_EXTENDED = 1 << 31
STOCK = "stock"
REFUSED, ACTUATES, ALLOWED = 1, 2, 4
"""Bits of the verdict on a frame that was sent; ALLOWED: the hook lets somebody drive."""


class Kind(IntEnum):
    """What happens on the bus."""

    RECEIVED = 0
    SENT = 1
    OFFERED = 2
    """A frame that leaves no trace; its verdict is how often it passes, one after the other."""
    SECOND = 3
    STARTED = 4
    """The device starts again, as after its power was off."""


class Safety(NamedTuple):
    """Of one car: the mode and parameter of the hook, and the hook's number of each bus.

    `stock`: messages of ours that the maker's camera sends on the bus STOCK, where nobody of us is.
    """

    mode: int
    parameter: int
    buses: dict[str, int]
    stock: tuple[str, ...] = ()


def compiled(source: Path, folder: Path) -> Path:
    """Compile our lines of C against the headers of the wheel."""
    library = folder / "safety_hook.so"
    include = Path(opendbc.__file__).parent.parent
    options = ("-O2", "-shared", "-fPIC", "-std=gnu11", "-Wall", "-Wno-unused-function")
    command = ["gcc", *options, "-I", str(include), str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    return library


class Hook:
    """Events are gathered, and judged in one call. The library keeps one state: one hook a time."""

    def __init__(self, library: Path, safety: Safety) -> None:
        self._run = ctypes.CDLL(str(library)).run
        self.safety = safety
        self._events = bytearray()
        self.start()

    def start(self) -> None:
        """Begin with a device whose power was off."""
        self.add(Kind.STARTED, 0.0)

    def add(
        self, kind: Kind, now: float, bus: str = "", frame: Frame | None = None, repeat: int = 1
    ) -> int:
        """Add an event; return its number in the batch."""
        number = len(self._events) // _EVENT.size
        time_us = round(1e6 * now) & 0xFFFFFFFF
        if frame is None:
            self._events += _EVENT.pack(time_us, 0, kind, 0, 0, repeat, b"")
            return number
        can_id = frame.can_id | (_EXTENDED if frame.extended else 0)
        place = 2 if bus == STOCK else self.safety.buses.get(bus, 7)
        self._events += _EVENT.pack(
            time_us, can_id, kind, place, len(frame.data), repeat, frame.data
        )
        return number

    def judged(self) -> bytes:
        """Return a verdict for each event of the batch, and begin the next one."""
        count = len(self._events) // _EVENT.size
        verdicts = (ctypes.c_uint8 * count)()
        events = (ctypes.c_char * len(self._events)).from_buffer(self._events)
        safety = self.safety
        done = self._run(events, count, safety.mode, safety.parameter, verdicts)
        del events
        if done != count:
            raise ValueError(f"the hook knows no mode {safety.mode}")
        self._events = bytearray()
        return bytes(verdicts)
