"""What the interface reports to people: notices of events, reasons of changes, its status."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from vdsim_interface.values.enums import Mode
from vdsim_interface.values.vehicle import NOTHING_PARKED, Parked


class Severity(IntEnum):
    """The level at which a shell logs a notice."""

    INFO = 0
    WARN = 1
    ERROR = 2


class NoticeKind(str):
    """The name of a kind of notice, as users see it, with all that derives from the kind.

    `severity`: at which level it is logged. `why`: the reason that a change of this kind gives.
    `is_refusal`: it refuses a request of the stack. `every_time`: each one is logged, without
    throttling.

    A safety rule declares its kind in its row; all others are in notice_kinds.py.
    """

    severity: Severity
    why: str
    is_refusal: bool
    every_time: bool

    def __new__(
        cls,
        name: str,
        severity: Severity = Severity.WARN,
        why: str = "",
        *,
        is_refusal: bool = False,
        every_time: bool = False,
    ) -> "NoticeKind":
        """Create the kind; it compares and hashes like its name."""
        kind = super().__new__(cls, name)
        kind.severity = severity
        kind.why = why
        kind.is_refusal = is_refusal
        kind.every_time = every_time
        return kind


@dataclass(frozen=True, slots=True)
class Notice:
    """Something happened; `text` is one sentence for a person."""

    kind: NoticeKind
    text: str

    @property
    def severity(self) -> Severity:
        """The level at which it is logged."""
        return self.kind.severity


@dataclass(frozen=True, slots=True)
class Change:
    """A rule changed one channel of the command on its way to the vehicle."""

    kind: NoticeKind
    channel: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class ChangeModeResult:
    """Answer to a request to engage or disengage."""

    success: bool
    reason: str
    mode: Mode


class Session(NamedTuple):
    """What outlives a crash: who drove last (a `LastDriver` by its value), and counts by kind.

    `parked`: the vehicle side's part, what it has set at rest and will release. `wheels_rad`: the
    wheel angles that were asked for last, front and rear: what a stop holds until a report comes.
    """

    last_driver: str
    counts: Mapping[str, int]
    parked: Parked = NOTHING_PARKED
    wheels_rad: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class SafetyStatus:
    """State of the safety stage; ages in s (infinite: never received).

    `doubt`: which reports of the vehicle contradict each other; empty for none.
    """

    mode: Mode
    mode_reason: str
    last_disengage_reason: str
    active: tuple[NoticeKind, ...]
    counts: tuple[tuple[NoticeKind, int], ...]
    command_age_s: float
    report_age_s: float
    parameters_hash: str = ""
    doubt: str = ""
