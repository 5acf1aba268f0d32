"""One sensor's readings on their way to its topic: due or not, usable or not, all of it counted."""

from collections import Counter, deque
from collections.abc import Mapping
from typing import Any, NamedTuple

from vdsim_interface.sensors.declaration import Sensor
from vdsim_interface.sensors.message_form import FieldError, MayBe, MessageForm
from vdsim_interface.sensors.packet_rate import packet_rate_hz
from vdsim_interface.values import VehicleReport

SILENT_PERIODS = 5.0
SILENT_S = 2.0


class FeedState(NamedTuple):
    """What /diagnostics shows: whether all is well, one line, the figures."""

    is_good: bool
    text: str
    values: Mapping[str, object]


class SensorFeed:
    """The readings of one sensor. Times are those of the node's clock [s]."""

    def __init__(self, sensor: Sensor, kind: type) -> None:
        self.sensor = sensor
        self._form = MessageForm(kind)
        self._may_be = MayBe(sensor.may_be_nan, sensor.may_be_infinite)
        self._spacing_s = 1.0 / sensor.rate_hz if sensor.rate_hz else 0.0
        self._due_s: float | None = None
        self._published_s: deque[float] = deque(maxlen=2000)
        self._reading_s: float | None = None
        self._published_n = 0
        self._discarded: Counter[str] = Counter()
        self._problem = ""
        self.has_header = self._form.has_header

    def take(self, report: VehicleReport, now: float) -> Any | None:
        """Return the message of a reading that is due; None when there is nothing to publish."""
        if not self._is_due(now):
            return None
        message = self._message(report, now)
        if message is None:
            return None
        self._published_n += 1
        self._published_s.append(now)
        if self._spacing_s:
            late = self._due_s is None or not now - self._due_s < self._spacing_s
            self._due_s = now + self._spacing_s if late else (self._due_s or now) + self._spacing_s
        return message

    def probe(self, report: VehicleReport, now: float) -> None:
        """Try a reading that nobody subscribes to, for `state`."""
        self._message(report, now)

    def state(self, now: float, *, subscribers_n: int) -> FeedState:
        """Return what /diagnostics shows."""
        rate_hz = packet_rate_hz(self._published_s, now)
        age_s = None if self._reading_s is None else max(0.0, now - self._reading_s)
        values: dict[str, object] = {
            "topic": self.sensor.topic_name,
            "rate_hz": rate_hz,
            "age_s": "never" if age_s is None else age_s,
            "published": self._published_n,
            "subscribers": subscribers_n,
        }
        values |= {f"discarded_{reason}": n for reason, n in sorted(self._discarded.items())}
        if self._problem:
            return FeedState(False, self._problem, values)
        if age_s is None:
            return FeedState(True, "no reading yet", values)
        if age_s > max(SILENT_S, SILENT_PERIODS * self._spacing_s):
            return FeedState(False, f"silent for {age_s:.1f} s", values)
        text = f"{rate_hz:g} Hz" if subscribers_n else "nobody subscribes"
        return FeedState(True, text, values)

    def _is_due(self, now: float) -> bool:
        """Whether the rate allows a reading now; a clock that jumped back does not hold it up."""
        due_s = self._due_s
        if due_s is None or now >= due_s - 1e-9:
            return True
        if due_s - now > 2.0 * self._spacing_s:
            self._due_s = None
            return True
        return False

    def _message(self, report: VehicleReport, now: float) -> Any | None:
        """Read and fill; what cannot be used is counted by its reason and never raises."""
        try:
            fields = self.sensor.read(report)
            if fields is None:
                return None
            message = self._form.filled(fields, self._may_be)
        except FieldError as error:
            self._discard(error.reason, str(error))
            return None
        except Exception as error:  # whatever a platform's function raises
            self._discard("raised", f"{type(error).__name__}: {error}"[:200])
            return None
        self._reading_s, self._problem = now, ""
        return message

    def _discard(self, reason: str, text: str) -> None:
        self._discarded[reason] += 1
        self._problem = f"discarded: {text}"
