"""A sensor that cannot be used is refused in one line: platform, sensor, field, what is allowed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from vdsim_interface.extras.fake import SPEC
from vdsim_interface.ros.topics import SENSOR_QOS_BY_NAME
from vdsim_interface.sensors.declaration import QOS_NAMES, Sensor, SensorError, check_sensors
from vdsim_interface.values import Source

GOOD = Sensor("rear_range", "sensor_msgs/msg/Range", lambda report: None)


def test_a_good_one_is_kept() -> None:
    spec = replace(SPEC, sensors=(GOOD,))
    assert spec.sensors[0].topic_name == "sensors/rear_range"
    assert replace(GOOD, topic="parking/rear").topic_name == "parking/rear"


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"name": "Rear Range"}, "name=Rear Range: must be lower-case letters, digits and _"),
        ({"name": "gnss"}, "name=gnss: must differ from those of other sensors"),
        ({"message": "Range"}, "message=Range: must be a message type such as sensor_msgs/msg/"),
        ({"message": "sensor_msgs/Range"}, "message=sensor_msgs/Range: must be a message type"),
        ({"read": None}, "read=None: must be a function from a VehicleReport to fields"),
        ({"frame": None}, "frame=None: must be the name of a frame"),
        ({"rate_hz": -1.0}, "rate_hz=-1.0: must be >= 0 and <= 1000"),
        ({"rate_hz": math.nan}, "rate_hz=nan: must be >= 0 and <= 1000"),
        ({"rate_hz": "10"}, "rate_hz=10: must be >= 0 and <= 1000"),
        ({"rate_hz": True}, "rate_hz=True: must be >= 0 and <= 1000"),
        ({"qos": "fast"}, "qos=fast: must be one of sensor, reliable, latched"),
        ({"topic": "/radar"}, "topic=/radar: must be a relative name"),
        ({"topic": "sensors/gnss"}, "topic=sensors/gnss: must differ from those of other"),
        ({"may_be_nan": {"range"}}, "may_be_nan={'range'}: must be a frozenset of field names"),
        ({"source": Source.ABSENT}, "must be Source.VEHICLE or Source.MODELLED"),
        ({"since": -1}, "since=-1: must be >= 0"),
    ],
)
def test_a_bad_one_is_one_line(changed: dict[str, Any], line: str) -> None:
    bad = replace(GOOD, **changed)
    with pytest.raises(SensorError) as refused:
        replace(SPEC, sensors=(bad,))
    text = str(refused.value)
    assert text.startswith(f"platform fake: sensor {bad.name}: ")
    assert line in text
    assert "\n" not in text


def test_two_of_one_name_or_topic_are_refused() -> None:
    with pytest.raises(SensorError, match="name=rear_range: must differ"):
        check_sensors("mine", (GOOD, GOOD))
    other = replace(GOOD, name="other", topic=GOOD.topic_name)
    with pytest.raises(SensorError, match="sensor other: topic=sensors/rear_range: must differ"):
        check_sensors("mine", (GOOD, other))


def test_something_else_than_a_sensor_is_refused() -> None:
    with pytest.raises(SensorError, match="platform mine: sensors='gnss': must be of type Sensor"):
        check_sensors("mine", ("gnss",))


def test_the_named_profiles_exist() -> None:
    assert tuple(SENSOR_QOS_BY_NAME) == QOS_NAMES
