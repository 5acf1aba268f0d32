"""What each message from the simulator does: how many came, how many were dropped, and why."""

import math
from collections import Counter
from dataclasses import dataclass, field

from vdsim_interface.values import NoticeKind

SILENT_S = 2.0
"""A message that came before and not for this time is named."""
_KINDS: dict[tuple[str, str], NoticeKind] = {}


def reject_kind(endpoint: str, reason: str) -> NoticeKind:
    """The kind of a drop, for each message and reason: each is logged by itself."""
    key = endpoint, reason
    if key not in _KINDS:
        _KINDS[key] = NoticeKind(f"link_reject {endpoint} {reason}")
    return _KINDS[key]


@dataclass(frozen=True)
class HealthLine:
    """One line of diagnostics."""

    name: str
    warns: bool
    text: str
    values: dict[str, float]


@dataclass
class EndpointHealth:
    """One message. `rejected`: by reason."""

    received_n: int = 0
    latest_s: float = -math.inf
    rejected: Counter[str] = field(default_factory=Counter)
    last_reject: str = ""
    _shown_n: int = 0
    _rejected_shown_n: int = 0

    def on_received(self, now: float) -> None:
        """A message was used."""
        self.received_n += 1
        self.latest_s = now

    def on_rejected(self, reason: str, text: str) -> None:
        """A datagram was dropped."""
        self.rejected[reason] += 1
        self.last_reject = text

    def line(self, name: str, now: float, period_s: float) -> HealthLine:
        """The line for the time since the last one."""
        dropped_n = self.rejected.total() - self._rejected_shown_n
        rate_hz = (self.received_n - self._shown_n) / period_s
        self._shown_n, self._rejected_shown_n = self.received_n, self.rejected.total()
        values = {"received": float(self.received_n), "rate_hz": rate_hz}
        values |= {f"rejected_{reason}": float(n) for reason, n in self.rejected.items()}
        if dropped_n:
            text = f"{dropped_n} dropped, the last: {self.last_reject}"
        elif not self.received_n:
            return HealthLine(name, False, "nothing received yet", values)
        elif now - self.latest_s > SILENT_S:
            text = f"silent for {now - self.latest_s:.1f} s"
        else:
            return HealthLine(name, False, "arrives", values)
        return HealthLine(name, True, text, values)
