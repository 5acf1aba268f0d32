"""The frames between guard and shell: one table, a record each.

    frame = magic "VG", version, kind, counter, time of sending, payload, CRC-32 of all before

The counter rises by one with each frame of a connection. Times are seconds of the machine's
monotonic clock, which both processes read. The payload is the record of the kind (packing.py).
"""

import math
import struct
import zlib
from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple

from vdsim_interface.guard.packing import shape, unpacked
from vdsim_interface.guard.shapes import LARGEST, MalformedError
from vdsim_interface.pipeline.output import GateRecord
from vdsim_interface.values import (
    AuxiliaryCommand,
    CabinState,
    Change,
    Command,
    Gear,
    Mode,
    Notice,
    RawCommand,
    RequestContext,
    SafeCommand,
    SafetyStatus,
    Session,
    StateCommand,
    Stop,
    VehicleCommand,
    VehicleReport,
    WireCommand,
)
from vdsim_interface.values.records import record

VERSION = 7
_MAGIC = b"VG"
_HEADER = struct.Struct("<2sBBId")
_CRC = struct.Struct("<I")
LARGEST_DATAGRAM = 0x8000
"""Size limit of the vehicle's packet beside its report in a frame [bytes]."""
_COUNTERS = 1 << 32
_MOST_AHEAD = 1 << 31

Value = bool | int | float | str | tuple[float, ...]


# ---- shell -> guard ------------------------------------------------------------------------------


class Activate(NamedTuple):
    """Use these parameters, open the vehicle's sockets, begin to send. Answered.

    `interface`, `platform_values`: every value by its full name; hosts are addresses.
    `lock_memory`, `fifo_priority`: scheduling of the guard. `session`: who drove and what the rules
    did when the guard's predecessor ended, as the shell knows it; None: nothing is known.
    """

    platform: str
    platform_path: str
    interface: Mapping[str, Value]
    platform_values: Mapping[str, Value]
    lock_memory: bool = False
    fifo_priority: int = 0
    session: Session | None = None


class Configure(NamedTuple):
    """Use changed parameters that may change while active. Answered."""

    interface: Mapping[str, Value]


class Deactivate(NamedTuple):
    """Send the last, safe command, and close the vehicle's sockets. Answered."""


class ChangeMode(NamedTuple):
    """Engage or disengage. Answered."""

    engage: bool


class AskHealth(NamedTuple):
    """Send Health; for about 1 Hz. Not answered otherwise."""


class CommandReceived(NamedTuple):
    """A command of the stack that is not part of a Front: of another level, or early."""

    command: Command


class Front(NamedTuple):
    """One period of the stages before the safety side; sent every period, with or without command.

    `received`: the stack's command, if one arrived since the last frame. `controlled`, `filtered`:
    the outputs of controller and filter. `raw`: the command at raw level. `traced`: somebody reads
    the trace, which shows what the last gate judged.
    """

    received: Command | None
    controlled: VehicleCommand | None
    filtered: VehicleCommand | None
    raw: RawCommand | None
    traced: bool = False


class StateReceived(NamedTuple):
    """A request of a VehicleStateCommand, as the shell's intake has read it."""

    request: StateCommand


class CabinReceived(NamedTuple):
    """The state of doors, belts and load."""

    cabin: CabinState


class OverrideReceived(NamedTuple):
    """The driver's switch."""

    active: bool


class EmergencyReceived(NamedTuple):
    """The emergency stop that is latched; None: it is released."""

    stop: Stop | None


class InputPublishers(NamedTuple):
    """How many publishers cabin state and driver switch have."""

    cabin_n: int
    switch_n: int


class AuxiliaryReceived(NamedTuple):
    """Additional platform-specific control values."""

    command: AuxiliaryCommand


# ---- guard -> shell ------------------------------------------------------------------------------


class Answer(NamedTuple):
    """The answer to a frame. `request`: its counter. `text`: the reason of a refusal."""

    request: int
    success: bool
    text: str
    mode: Mode


class Report(NamedTuple):
    """An accepted report of the vehicle.

    `datagram`: the packet that it came from; empty for none, and for one above LARGEST_DATAGRAM.
    """

    report: VehicleReport
    datagram: bytes


class Output(NamedTuple):
    """One tick of the guard, after its datagrams were sent.

    `safe`: as sent, with hand brake and PARK of ours; `gear`: the one to drive in, for the stages
    before. `sequence`, `changes`, `wire`: of the encoded command. `link_fresh`: whether the report
    is. `judged`: by the last gate, while somebody reads the trace.
    """

    stamp_s: float
    safe: SafeCommand
    gear: Gear
    sequence: int | None
    changes: tuple[Change, ...]
    wire: WireCommand | None
    link_fresh: bool
    periods_n: int
    notices: tuple[Notice, ...]
    judged: GateRecord | None = None


class Status(NamedTuple):
    """State of the safety side, why commands do not pass, and what must outlive a crash.

    `context`: what the shell's reader of state messages must know; the guard always sends one.
    """

    status: SafetyStatus
    blocked: str
    rejected: str
    session: Session
    context: RequestContext | None


class Health(NamedTuple):
    """In answer to AskHealth: figures of the vehicle's link, and of the shell's."""

    statistics: Mapping[str, float]
    shell: Mapping[str, float]


class Ending(NamedTuple):
    """The guard ends in order; what follows is no failure."""


Payload = (
    Activate
    | Configure
    | Deactivate
    | ChangeMode
    | AskHealth
    | CommandReceived
    | Front
    | StateReceived
    | CabinReceived
    | OverrideReceived
    | AuxiliaryReceived
    | InputPublishers
    | EmergencyReceived
    | Answer
    | Report
    | Output
    | Status
    | Health
    | Ending
)

TO_GUARD: dict[int, type] = {
    1: Activate,
    2: Configure,
    3: Deactivate,
    4: ChangeMode,
    5: AskHealth,
    6: CommandReceived,
    7: Front,
    8: StateReceived,
    9: CabinReceived,
    10: OverrideReceived,
    11: AuxiliaryReceived,
    12: InputPublishers,
    13: EmergencyReceived,
}
TO_SHELL: dict[int, type] = {
    65: Answer,
    66: Report,
    67: Output,
    68: Status,
    69: Health,
    70: Ending,
}
_WRITERS = {
    kind: (number, shape(kind).write)
    for table in (TO_GUARD, TO_SHELL)
    for number, kind in table.items()
}


class RejectReason(str, Enum):
    """Why a frame is not used."""

    LENGTH = "length"
    MAGIC = "magic"
    VERSION = "version"
    CRC = "crc"
    KIND = "kind"
    COUNTER = "counter"
    TIME = "time"
    CONTENT = "content"


class Reject(NamedTuple):
    """A frame that is not used."""

    reason: RejectReason
    detail: str

    def __str__(self) -> str:
        return f"{self.reason.value}: {self.detail}"


class Frame(NamedTuple):
    """A frame that passed every check."""

    counter: int
    sent_s: float
    payload: Any


class FrameWriter:
    """Numbers the frames of one connection."""

    def __init__(self) -> None:
        self._counter = 0

    def write(self, payload: Payload, now: float) -> tuple[int, bytes]:
        """Return the counter and the bytes of a frame."""
        self._counter = counter = (self._counter + 1) % _COUNTERS
        number, write = _WRITERS[type(payload)]
        data = bytearray(_HEADER.pack(_MAGIC, VERSION, number, counter, now))
        write(payload, data)
        data += _CRC.pack(zlib.crc32(data))
        return counter, bytes(data)


class FrameReader:
    """Checks the frames of one connection; never raises, whatever arrives.

    `rejected`: how many were rejected, by reason. `lost_n`: how many are missing in between.
    """

    def __init__(self, kinds: Mapping[int, type]) -> None:
        self._kinds = kinds
        self._last = 0
        self.rejected: dict[RejectReason, int] = {}
        self.lost_n = 0

    def read(self, data: bytes, now: float) -> Frame | Reject:
        """Return the frame, or why it is rejected."""
        outcome = self._check(data, now)
        if isinstance(outcome, Reject):
            self.rejected[outcome.reason] = self.rejected.get(outcome.reason, 0) + 1
        return outcome

    def _check(self, data: bytes, now: float) -> Frame | Reject:
        if not _HEADER.size + _CRC.size <= len(data) <= LARGEST:
            return Reject(RejectReason.LENGTH, f"{len(data)} bytes")
        magic, version, number, counter, sent_s = _HEADER.unpack_from(data)
        if magic != _MAGIC:
            return Reject(RejectReason.MAGIC, magic.hex())
        if version != VERSION:
            return Reject(RejectReason.VERSION, f"{version}, this process has {VERSION}")
        (checksum,) = _CRC.unpack_from(data, len(data) - _CRC.size)
        if checksum != zlib.crc32(data[: -_CRC.size]):
            return Reject(RejectReason.CRC, "the checksum does not match")
        kind = self._kinds.get(number)
        if kind is None:
            return Reject(RejectReason.KIND, str(number))
        ahead = (counter - self._last) % _COUNTERS
        if not 0 < ahead < _MOST_AHEAD:
            return Reject(RejectReason.COUNTER, f"{counter} after {self._last}")
        if not (math.isfinite(sent_s) and sent_s <= now):
            return Reject(RejectReason.TIME, f"{sent_s} at {now}")
        try:
            payload = unpacked(kind, data[_HEADER.size : -_CRC.size])
        except MalformedError as error:
            return Reject(RejectReason.CONTENT, str(error))
        self._last = counter
        self.lost_n += ahead - 1
        return record(Frame, (counter, sent_s, payload))
