"""What a sensor is: one record in a platform's SPEC. The interface publishes it; no node knows it.

VehicleReport ──read──▶ fields by name ──SensorFeed──▶ message ──▶ topic sensors/<name>
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from vdsim_interface.values import Source, VehicleReport

Fields = Mapping[str, Any]
"""Message fields by name: numbers, texts, sequences, and mappings for nested messages."""

BODY_FRAME = ""
"""`Sensor.frame`: that of the vehicle's body (ISO 8855)."""
WORLD_FRAME = "@world"
"""`Sensor.frame`: that of positions (ENU)."""
ANY_FIELD = frozenset({"*"})
"""`Sensor.may_be_nan`: every field."""
QOS_NAMES = ("sensor", "reliable", "latched")
"""`sensor`: best effort, latest only. `reliable`: the last ten. `latched`: reaches late
subscribers."""
RATE_MAX_HZ = 1000.0
STANDARD_NAMES = ("gnss", "wheel_speeds", "battery")
"""Sensors of the interface itself, from VehicleReport.sensors and .body."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_TOPIC = re.compile(r"[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)*")
_MESSAGE = re.compile(r"[a-z][a-z0-9_]*/msg/[A-Z][A-Za-z0-9]*")
_SOURCES = (Source.VEHICLE, Source.MODELLED)


class SensorError(ValueError):
    """A declaration that cannot be used: one line that names platform, sensor and the rule."""


@dataclass(frozen=True)
class Sensor:
    """A sensor of a platform.

    `message`: the ROS type, as text. `read`: a pure function from a report to the fields of that
    message; None when the report has no reading. Header stamp (time of receipt) and frame are
    filled in by the interface. `rate_hz`: the highest rate; 0 publishes a reading of every report.
    `qos`: one of QOS_NAMES. `topic`: by default sensors/<name>. `may_be_nan`, `may_be_infinite`:
    message fields for which these values have a meaning; anywhere else such a reading is discarded
    and counted. `source`: MODELLED for what the platform computes. `since`: first version of the
    wire that carries it.
    """

    name: str
    message: str
    read: Callable[[VehicleReport], Fields | None]
    frame: str = BODY_FRAME
    rate_hz: float = 0.0
    qos: str = "sensor"
    topic: str = ""
    may_be_nan: frozenset[str] = frozenset()
    may_be_infinite: frozenset[str] = frozenset()
    source: Source = Source.VEHICLE
    since: int = 0

    @property
    def topic_name(self) -> str:
        """The relative name of the topic."""
        return self.topic or f"sensors/{self.name}"

    def source_at(self, version: int) -> Source:
        """Where its values come from, with this version of the wire."""
        return self.source if version >= self.since else Source.ABSENT


def check_sensors(platform: str, sensors: Iterable[Any]) -> None:
    """Check the sensors of a platform; raises SensorError."""
    names: set[str] = set(STANDARD_NAMES)
    topics: set[str] = {f"sensors/{name}" for name in STANDARD_NAMES}
    for sensor in sensors:
        if not isinstance(sensor, Sensor):
            raise SensorError(f"platform {platform}: sensors={sensor!r}: must be of type Sensor")
        broken = _broken(sensor)
        if not broken and sensor.name in names:
            broken = "name", "must differ from those of other sensors"
        if not broken and sensor.topic_name in topics:
            broken = "topic_name", "must differ from those of other sensors"
        if broken:
            raise refusal(platform, sensor, *broken)
        names.add(sensor.name)
        topics.add(sensor.topic_name)


def refusal(platform: str, sensor: Sensor, field: str, rule: str) -> SensorError:
    """Return the error of one field of a declaration."""
    value = getattr(sensor, field)
    name = field.removesuffix("_name")
    return SensorError(f"platform {platform}: sensor {sensor.name}: {name}={value}: {rule}")


def _broken(sensor: Sensor) -> tuple[str, str] | None:
    """Return the first field that cannot be used, with what is allowed."""
    rate = sensor.rate_hz
    is_number = isinstance(rate, int | float) and not isinstance(rate, bool)
    sets = (sensor.may_be_nan, sensor.may_be_infinite)
    rules: tuple[tuple[str, bool, str], ...] = (
        ("name", _fits(_NAME, sensor.name), "must be lower-case letters, digits and _"),
        (
            "message",
            _fits(_MESSAGE, sensor.message),
            "must be a message type such as sensor_msgs/msg/Range",
        ),
        ("read", callable(sensor.read), "must be a function from a VehicleReport to fields"),
        ("frame", isinstance(sensor.frame, str), "must be the name of a frame"),
        (
            "rate_hz",
            is_number and math.isfinite(rate) and 0.0 <= rate <= RATE_MAX_HZ,
            f"must be >= 0 and <= {RATE_MAX_HZ:g}",
        ),
        ("qos", sensor.qos in QOS_NAMES, f"must be one of {', '.join(QOS_NAMES)}"),
        (
            "topic",
            sensor.topic == "" or _fits(_TOPIC, sensor.topic),
            "must be a relative name of lower-case letters, digits, _ and /",
        ),
        ("may_be_nan", _is_names(sets[0]), "must be a frozenset of field names"),
        ("may_be_infinite", _is_names(sets[1]), "must be a frozenset of field names"),
        ("source", sensor.source in _SOURCES, "must be Source.VEHICLE or Source.MODELLED"),
        ("since", isinstance(sensor.since, int) and sensor.since >= 0, "must be >= 0"),
    )
    return next(((field, rule) for field, holds, rule in rules if not holds), None)


def _fits(pattern: re.Pattern[str], text: object) -> bool:
    return isinstance(text, str) and pattern.fullmatch(text) is not None


def _is_names(names: object) -> bool:
    return isinstance(names, frozenset) and all(isinstance(name, str) for name in names)
