"""Plain values become messages; one that does not fit is an error, never a broken message."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import (
    Joy,
    JoyFeedback,
    LaserEcho,
    MultiEchoLaserScan,
    NavSatFix,
    PointCloud2,
    Range,
    RegionOfInterest,
)
from vdsim_interface.sensors.message_form import FieldError, MayBe, MessageForm, message_type

from vdsim_msgs.msg import TyreStates

NONE = MayBe(frozenset(), frozenset())
ANYTHING = MayBe({"*"}, {"*"})
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=5),
        st.binary(max_size=5),
        st.complex_numbers(),
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


def test_numbers_texts_arrays_and_nested_messages() -> None:
    fix = MessageForm(NavSatFix).filled(
        {
            "status": {"status": -1, "service": 1},
            "latitude": 37.5,
            "longitude": 127,
            "position_covariance": tuple(range(9)),
        },
        NONE,
    )
    assert (fix.status.status, fix.latitude, fix.longitude) == (-1, 37.5, 127.0)
    assert list(fix.position_covariance) == list(range(9))
    cloud = MessageForm(PointCloud2).filled(
        {
            "fields": [{"name": "x", "offset": 0, "datatype": 7, "count": 1}],
            "data": b"\x01\x02",
            "is_dense": True,
        },
        NONE,
    )
    assert cloud.fields[0].name == "x"
    assert list(cloud.data) == [1, 2]
    echoes = {"ranges": [{"echoes": (1.0, 2.0)}, {"echoes": ()}]}
    scan = MessageForm(MultiEchoLaserScan).filled(echoes, NONE)
    assert list(scan.ranges[0].echoes) == [1.0, 2.0]
    for message in (fix, cloud, scan):
        assert deserialize_message(serialize_message(message), type(message)) == message


@pytest.mark.parametrize(
    ("kind", "fields", "reason", "text"),
    [
        (Range, {"range": math.nan}, "not_finite", "range=nan: must be finite"),
        (Range, {"range": math.inf}, "not_finite", "range=inf: must be finite"),
        (Range, {"range": 1e39}, "not_finite", "range=inf: must be finite"),
        (Range, {"range": 10**400}, "not_finite", "range=inf: must be finite"),
        (Range, {"range": "far"}, "wrong_type", "range=far: must be a number"),
        (Range, {"range": True}, "wrong_type", "range=True: must be a number"),
        (Range, {"range": None}, "wrong_type", "range=NoneType: must be a number"),
        (Range, {"radiation_type": 256}, "wrong_type", "must be a whole number of 0 to 255"),
        (Range, {"radiation_type": 1.0}, "wrong_type", "must be a whole number of 0 to 255"),
        (Range, {"distance": 1.0}, "no_such_field", "distance: must be one of radiation_type, "),
        (Range, {"header": {}}, "no_such_field", "header: must be one of"),
        (Range, [1.0], "wrong_type", "the reading: must be fields by name"),
        (RegionOfInterest, {"do_rectify": 1}, "wrong_type", "do_rectify=1: must be true or false"),
        (TyreStates, {"slip_ratio": (0.0,) * 3}, "wrong_type", "slip_ratio: must have 4 values"),
        (TyreStates, {"slip_ratio": 1.0}, "wrong_type", "slip_ratio=1.0: must be a sequence"),
        (TyreStates, {"slip_ratio": "1234"}, "wrong_type", "slip_ratio=1234: must be a sequence"),
        (NavSatFix, {"status": {"status": 200}}, "wrong_type", "status.status=200: must be"),
        (NavSatFix, {"status": 1}, "wrong_type", "status.: must be fields by name"),
        (PointCloud2, {"fields": [{"name": 3}]}, "wrong_type", "fields.name=3: must be a text"),
        (LaserEcho, {"echoes": [0.0, math.nan]}, "not_finite", "echoes=nan: must be finite"),
    ],
)
def test_what_does_not_fit_has_a_reason(kind: type, fields: Any, reason: str, text: str) -> None:
    with pytest.raises(FieldError) as refused:
        MessageForm(kind).filled(fields, NONE)
    assert refused.value.reason == reason
    assert text in str(refused.value)
    assert "\n" not in str(refused.value)


def test_named_fields_may_be_nan_or_infinite_and_no_others() -> None:
    form = MessageForm(Range)
    assert math.isnan(form.filled({"range": math.nan}, MayBe({"range"}, ())).range)
    assert form.filled({"range": -math.inf}, MayBe((), {"range"})).range == -math.inf
    for value, may_be in ((math.inf, MayBe({"range"}, ())), (math.nan, MayBe((), {"range"}))):
        with pytest.raises(FieldError):
            form.filled({"range": value}, may_be)


@pytest.mark.parametrize("kind", [Range, NavSatFix, PointCloud2, MultiEchoLaserScan, Joy])
def test_whatever_is_given_is_a_message_that_can_be_sent_or_the_error(kind: type) -> None:
    form = MessageForm(kind)
    names = [name for name in kind.get_fields_and_field_types() if name != "header"]  # type: ignore[attr-defined]

    @given(st.dictionaries(st.sampled_from(names), VALUES))
    def holds(fields: dict[str, Any]) -> None:
        try:
            message = form.filled(fields, ANYTHING)
        except FieldError:
            return
        serialize_message(message)

    holds()


def test_types_are_found_by_name() -> None:
    assert message_type("sensor_msgs/msg/Range") is Range
    assert message_type("sensor_msgs/msg/JoyFeedback") is JoyFeedback
    for name in ("no_such_msgs/msg/Range", "sensor_msgs/msg/Rang", "sensor_msgs/msg/os"):
        with pytest.raises(ValueError, match="must be a message type"):
            message_type(name)
