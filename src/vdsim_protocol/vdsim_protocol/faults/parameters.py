"""The faults of one direction of a link, checked on construction; also read from a mapping."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vdsim_protocol.shown import shown

_LARGEST = math.nextafter(math.inf, 0.0)
"""The largest finite number; an integer may exceed it."""


def _check(name: str, value: float, low: float, high: float = math.inf) -> None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and low <= value <= min(high, _LARGEST):
        return
    allowed = f">= {low:g}" if high == math.inf else f"in {low:g}..{high:g}"
    raise ValueError(f"{name}={shown(value)}: must be {allowed}")


@dataclass(frozen=True)
class BurstLoss:
    """Gilbert-Elliott: a good and a bad state, each with its own loss, stepped once a packet."""

    enter: float
    """Probability of going from good to bad."""
    leave: float
    """Probability of going from bad to good; 1 / leave is the mean length of a burst."""
    loss_in_bad: float = 1.0
    loss_in_good: float = 0.0

    def __post_init__(self) -> None:
        for name in ("enter", "leave", "loss_in_bad", "loss_in_good"):
            _check(f"burst.{name}", getattr(self, name), 0.0, 1.0)


@dataclass(frozen=True)
class Blackout:
    """An interval in which nothing passes, relative to the time at which the faults were set."""

    start_s: float
    duration_s: float
    every_s: float = 0.0
    """Repetition period; 0 means once."""

    def __post_init__(self) -> None:
        for name in ("start_s", "duration_s", "every_s"):
            _check(f"blackout.{name}", getattr(self, name), 0.0)

    def covers(self, elapsed_s: float) -> bool:
        """Whether nothing passes at this time after the faults were set."""
        since_start_s = elapsed_s - self.start_s
        if self.every_s > 0.0 and since_start_s >= 0.0:
            since_start_s %= self.every_s
        return 0.0 <= since_start_s < self.duration_s


@dataclass(frozen=True)
class LinkFaults:
    """The faults of one direction. The default is a perfect link."""

    loss: float = 0.0
    """Probability that a packet is lost, independently of the others."""
    burst: BurstLoss | None = None
    delay_s: float = 0.0
    jitter_s: float = 0.0
    """Extra delay, uniform in 0..jitter_s. Packets keep their order."""
    reorder: float = 0.0
    """Probability that a packet is held back for reorder_delay_s while others pass it."""
    reorder_delay_s: float = 0.03
    duplicate: float = 0.0
    """Probability that a packet arrives twice."""
    bit_flip: float = 0.0
    """Probability that one bit of a packet is inverted."""
    truncate: float = 0.0
    """Probability that a packet loses its end."""
    blackouts: tuple[Blackout, ...] = field(default=())
    clock_skew_ppm: float = 0.0
    """How much faster the sender's clock appears to run; VDS1 time stamps are rewritten."""

    def __post_init__(self) -> None:
        for name in ("loss", "reorder", "duplicate", "bit_flip", "truncate"):
            _check(name, getattr(self, name), 0.0, 1.0)
        for name in ("delay_s", "jitter_s", "reorder_delay_s"):
            _check(name, getattr(self, name), 0.0)
        _check("clock_skew_ppm", self.clock_skew_ppm, -1e6, 1e6)


PERFECT_LINK = LinkFaults()


def _known(mapping: Any, table: type, where: str) -> dict[str, Any]:
    if not isinstance(mapping, Mapping):
        raise ValueError(f"{where}={shown(mapping)}: must be a mapping")
    names = [item.name for item in dataclasses.fields(table)]
    for key in mapping:
        if key not in names:
            raise ValueError(f"{where}.{key}: unknown, must be one of {', '.join(names)}")
    return dict(mapping)


def _make(table: type, values: dict[str, Any], where: str, part: str = "") -> Any:
    try:
        return table(**values)
    except ValueError as error:
        raise ValueError(f"{where}.{error}") from None
    except TypeError:
        required = [
            item.name for item in dataclasses.fields(table) if item.default is dataclasses.MISSING
        ]
        raise ValueError(f"{where}{part}={shown(values)}: needs {', '.join(required)}") from None


def faults_from_mapping(mapping: Any, where: str = "faults") -> LinkFaults:
    """The faults that a YAML or JSON mapping describes. Unknown keys are refused."""
    values = _known(mapping, LinkFaults, where)
    if values.get("burst") is not None:
        burst = _known(values["burst"], BurstLoss, f"{where}.burst")
        values["burst"] = _make(BurstLoss, burst, where, ".burst")
    blackouts = values.get("blackouts", ())
    if not isinstance(blackouts, (list, tuple)):
        raise ValueError(f"{where}.blackouts={shown(blackouts)}: must be a list")
    values["blackouts"] = tuple(
        _make(Blackout, _known(item, Blackout, f"{where}.blackouts"), where, ".blackouts")
        for item in blackouts
    )
    faults: LinkFaults = _make(LinkFaults, values, where)
    return faults
