"""The rows of a car file about signals and messages: frozen values.

`line` is where the file states a row, for messages to people.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from vdsim_can.car.fields import COMMAND_FIELDS, REPORT_FIELDS
from vdsim_can.integrity.rules import Checksum, Counter

__all__ = [
    "COMMAND_FIELDS",
    "MEASURED",
    "REPORT_FIELDS",
    "Control",
    "FaultRow",
    "FieldRow",
    "MessageRow",
    "OutOfRange",
    "OverrideRow",
    "SignalName",
]

MEASURED = "measured"
"""As `FieldRow.neutral`: the value that the car reports for the same field."""


class SignalName(NamedTuple):
    """A signal of a message; the message's row says on which bus it is."""

    message: str
    signal: str

    def __str__(self) -> str:
        return f"{self.message}.{self.signal}"


class OutOfRange(str, Enum):
    """What the encoder does with a value that the signal cannot carry."""

    SATURATE = "saturate"
    REFUSE = "refuse"
    """The command is not sent, and the reason is reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """A field of the interface and the signal that carries it, in either direction.

    For a number: field = physical value of the signal * `scale` + `offset`. For named values
    `enum` pairs (member, raw), the first pair of a member or raw value being the one that counts
    when there are several. `dead_band`: a field closer to 0 than this is 0. `unavailable`: raw
    values that mean that the car does not know. `neutral`: what a command carries while nobody
    drives through us; a number in the field's unit, a member's name, or MEASURED.
    """

    field: str
    signal: SignalName
    scale: float = 1.0
    offset: float = 0.0
    enum: tuple[tuple[str, int], ...] = ()
    dead_band: float = 0.0
    out_of_range: OutOfRange = OutOfRange.SATURATE
    whole_range: bool = False
    """The signal may carry whatever fits in its bits: the range of the DBC is not believed."""
    least: float = -math.inf
    most: float = math.inf
    """A value below or above is sent as this one, and the limiter refuses whatever is beyond."""
    unavailable: frozenset[int] = frozenset()
    neutral: float | str = 0.0
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRow:
    """A message that we send or receive.

    `phase_ms`: when in its cycle it is sent. `jitter_ms`: how far from its cycle a frame may come
    before it is reported. `stale_ms`: after this time without a frame that passed every check its
    signals are unknown; 0 for a message that we send. `max_rejects`: the car is let go at the frame
    with which so many in a row were rejected, and when the message is stale; 0: only a stale one
    counts, and the interface goes on with a stop of its own. `fixed`: raw values of signals that no
    command carries. `when_silent`: raw values with which frames go on while the stack is silent;
    None: the frames stop, so that the car's own watchdog acts.
    """

    message: str
    bus: str
    cycle_ms: float
    phase_ms: float = 0.0
    jitter_ms: float = 0.0
    stale_ms: float = 0.0
    max_rejects: int = 0
    counter: Counter | None = None
    checksum: Checksum | None = None
    fixed: tuple[tuple[str, int], ...] = ()
    when_silent: tuple[tuple[str, int], ...] | None = None
    line: int = 0


class Control(str, Enum):
    """The control that a driver uses, as DriverActivity names it."""

    PEDAL = "pedal"
    ACCELERATOR = "accelerator"
    WHEEL = "wheel"
    GEAR_LEVER = "gear_lever"
    SWITCH = "switch"


@dataclass(frozen=True, slots=True, kw_only=True)
class OverrideRow:
    """A driver takes over: the signal's magnitude is above `threshold` for `for_ms`.

    It has ended when it is below `threshold - hysteresis`. Physical values of the signal.
    """

    control: Control
    signal: SignalName
    threshold: float
    hysteresis: float = 0.0
    for_ms: float = 0.0
    text: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRow:
    """The signal has one of the raw values `when`: the car cannot be driven, for this reason.

    `latched`: it stays until autonomy has been switched off and the signal has another value.
    """

    signal: SignalName
    when: frozenset[int]
    text: str
    latched: bool = False
    line: int = 0
