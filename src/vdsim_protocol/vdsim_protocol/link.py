"""Link quality: every outcome of a `vds1.Receiver` goes in, one snapshot comes out."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vdsim_protocol.clock import ClockEstimate, ClockEstimator
from vdsim_protocol.vds1.packet import Reason, Reject
from vdsim_protocol.vds1.receiver import Accepted

RATE_WINDOW_S = 1.0
LOSS_WINDOW_S = 10
MAX_ARRIVALS = 4096
JITTER_GAIN = 1.0 / 16.0


@dataclass(frozen=True)
class LinkSnapshot:
    """The state of a link at one moment. None before the first packet."""

    accepted: int
    lost: int
    """Sequence numbers that were skipped and have not arrived late."""
    loss_ratio: float
    """lost / (accepted + lost), of the last ten seconds."""
    reordered: int
    duplicates: int
    sessions: int
    rejected: Mapping[Reason, int]
    rate_hz: float
    """Accepted packets per second over the last second."""
    age_s: float | None
    """Since the last accepted packet."""
    jitter_s: float
    """Interarrival jitter after RFC 3550, of this session."""
    clock: ClockEstimate | None
    other_vehicles: int = 0
    """STATE of vehicles that the receiver does not serve; neither rejected nor lost."""


@dataclass
class _Second:
    """What one second of a link brought."""

    number: int
    accepted: int = 0
    skipped: int = 0


class _RecentLoss:
    """The share of packets lost in the last `LOSS_WINDOW_S` seconds."""

    def __init__(self) -> None:
        self._seconds: deque[_Second] = deque(maxlen=LOSS_WINDOW_S)
        self._now = _Second(-1)

    def add(self, accepted: int, skipped: int, now: float) -> None:
        """Count what one packet brought; a late one takes back a loss."""
        number = int(now)
        second = self._now
        if second.number != number:
            self._now = second = _Second(number)
            self._seconds.append(second)
        second.accepted += accepted
        second.skipped += skipped

    def ratio(self, now: float) -> float:
        """The share at `now` [s]; 0 when nothing arrived."""
        first = now - LOSS_WINDOW_S
        recent = [second for second in self._seconds if second.number > first]
        lost = max(0, sum(second.skipped for second in recent))
        expected = lost + sum(second.accepted for second in recent)
        return lost / expected if expected else 0.0


class LinkStatistics:
    """Counts and estimates of one receiving direction."""

    def __init__(self) -> None:
        self._accepted = 0
        self._skipped = 0
        self._recent = _RecentLoss()
        self._sessions = 0
        self._rejected = dict.fromkeys(Reason, 0)
        self._other_vehicles = 0
        self._arrivals: deque[float] = deque(maxlen=MAX_ARRIVALS)
        self._transit_s: float | None = None
        self._jitter_s = 0.0
        self._clock = ClockEstimator()

    def observe(self, outcome: Accepted[Any] | Reject, now: float) -> None:
        """Count the receiver's outcome for a datagram that arrived at `now` [s]."""
        if isinstance(outcome, Reject):
            if outcome.is_other_vehicle:
                self._other_vehicles += 1
                return
            self._rejected[outcome.reason] += 1
            if outcome.reason is Reason.REORDERED:
                self._recent.add(0, -1, now)
            return
        if outcome.new_session:
            self._sessions += 1
            self._transit_s = None
            self._jitter_s = 0.0
            self._clock.reset()
        self._accepted += 1
        self._skipped += outcome.skipped
        self._recent.add(1, outcome.skipped, now)
        self._add_timing(outcome.packet.timestamp_s, now)

    def snapshot(self, now: float) -> LinkSnapshot:
        """All figures at `now` [s]."""
        reordered = self._rejected[Reason.REORDERED]
        lost = self._skipped - reordered
        return LinkSnapshot(
            accepted=self._accepted,
            lost=lost,
            loss_ratio=self._recent.ratio(now),
            reordered=reordered,
            duplicates=self._rejected[Reason.DUPLICATE],
            sessions=self._sessions,
            rejected=dict(self._rejected),
            rate_hz=self._rate_hz(now),
            age_s=now - self._arrivals[-1] if self._arrivals else None,
            jitter_s=self._jitter_s,
            clock=self._clock.estimate(now),
            other_vehicles=self._other_vehicles,
        )

    def _add_timing(self, stamp_s: float, now: float) -> None:
        while self._arrivals and now - self._arrivals[0] > RATE_WINDOW_S:
            self._arrivals.popleft()
        self._arrivals.append(now)
        transit_s = now - stamp_s
        if self._transit_s is not None:
            change_s = abs(transit_s - self._transit_s)
            self._jitter_s += (change_s - self._jitter_s) * JITTER_GAIN
        self._transit_s = transit_s
        self._clock.add(stamp_s, now)

    def _rate_hz(self, now: float) -> float:
        recent = [arrival for arrival in self._arrivals if now - arrival <= RATE_WINDOW_S]
        if len(recent) < 2 or now <= recent[0]:
            return 0.0
        return (len(recent) - 1) / (now - recent[0])
