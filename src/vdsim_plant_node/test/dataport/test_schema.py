"""What is taken as JSON, and the words with which the rest is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant_node.dataport import schema
from vdsim_plant_node.settings.server_settings import Endpoint

BASE = PedalInput(0.1, 0.2, 0.3, -1, True)


def targets_request(document: Any) -> schema.TargetsRequest:
    return schema.targets_request(document, loopback_only=True)


def test_a_command_keeps_what_it_does_not_name() -> None:
    assert schema.io_request({"throttle": 1}).over(BASE) == PedalInput(0.1, 1.0, 0.3, -1, True)
    whole = {"steer": -0.2, "throttle": 0, "brake": 1.0, "gear": "N", "handbrake": False}
    assert schema.io_request(whole).over(BASE) == PedalInput(-0.2, 0.0, 1.0, 0, False)


def test_a_question_commands_nothing() -> None:
    assert not schema.io_request({}).commands
    assert not schema.io_request({"vehicle": 3}).commands
    assert schema.io_request({"throttle": 0}).commands
    assert schema.io_request({"handbrake": False}).commands


@pytest.mark.parametrize(
    ("check", "document", "message"),
    [
        (schema.io_request, {"throttle": 1.5}, "throttle=1.5: must be a number within 0..1"),
        (schema.io_request, {"throttle": -0.1}, "throttle=-0.1: must be a number within 0..1"),
        (schema.io_request, {"brake": "full"}, "brake='full': must be a number within 0..1"),
        (schema.io_request, {"brake": True}, "brake=True: must be a number within 0..1"),
        (schema.io_request, {"throttle": 10**400}, "throttle=1000"),
        (schema.io_request, {"steer": 2}, "steer=2: must be a number within -1.5708..1.5708 rad"),
        (schema.io_request, {"gear": 2}, "gear=2: must be 1, 0, -1, or D, N, R"),
        (schema.io_request, {"gear": "P"}, "gear='P': must be 1, 0, -1, or D, N, R"),
        (schema.io_request, {"gear": True}, "gear=True: must be"),
        (schema.io_request, {"gear": [1]}, "gear=[1]: must be"),
        (schema.io_request, {"handbrake": 1}, "handbrake=1: must be true or false"),
        (schema.io_request, {"vehicle": 1.5}, "vehicle=1.5: must be the number of a vehicle"),
        (schema.io_request, {"vehicle": "car"}, "vehicle='car': must be the number"),
        (schema.io_request, {"speed": 3}, "speed: unknown field; known are vehicle, steer"),
        (schema.pause_request, {}, "paused: is missing: must be true or false"),
        (schema.pause_request, {"paused": "yes"}, "paused='yes': must be true or false"),
        (schema.reset_request, {"vx": 500}, "vx=500: must be a number within -120..120"),
        (schema.reset_request, {"speed": 5}, "speed: unknown field; known are vehicle, x"),
        (targets_request, {"rate": 0.5}, "rate=0.5: must be a number within 1..200 Hz"),
        (targets_request, {"rate": 201}, "rate=201: must be a number within 1..200 Hz"),
        (targets_request, {"targets": "me"}, "targets='me': must be a list of at most 16"),
        (targets_request, {"targets": [{}] * 17}, "targets="),
        (targets_request, {"targets": [{"ip": "127.0.0.1"}]}, "targets[0]="),
        (
            targets_request,
            {"targets": [{"ip": "10.0.0.1", "port": 9}]},
            "targets[0].ip='10.0.0.1': must be a loopback address",
        ),
        (
            targets_request,
            {"targets": [{"ip": 5, "port": 9}]},
            "targets[0].ip=5: must be an IPv4 address",
        ),
        (
            targets_request,
            {"targets": [{"ip": "127.0.0.1", "port": 0}]},
            "targets[0].port=0: must be a whole number within 1..65535",
        ),
    ],
)
def test_the_reason_names_field_value_and_what_is_allowed(
    check: Any, document: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError) as caught:
        check(document)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "body", [b"{", b"[1]", b'"x"', b"\xff\xfe", b'{"throttle": NaN}', b"[" * 20_000, b"1" * 5000]
)
def test_what_is_no_json_object_is_refused(body: bytes) -> None:
    with pytest.raises(ParameterError, match=r"body: (is not JSON|must be a JSON object)"):
        schema.parse_body(body)


def test_an_empty_body_is_an_empty_object() -> None:
    assert schema.parse_body(b" \n") == {}


def test_a_reset_names_a_vehicle_and_a_state_or_neither() -> None:
    assert schema.reset_request({}) == schema.ResetRequest(None, None)
    assert schema.reset_request({"vehicle": 2, "x": 1, "r": 0.5}) == schema.ResetRequest(
        2, InitialState(x_m=1.0, yaw_rate_radps=0.5)
    )


def test_targets_are_taken_once_each() -> None:
    twice = [{"ip": "127.0.0.1", "port": 9000}] * 2
    assert targets_request({"targets": twice}).targets == (Endpoint("127.0.0.1", 9000),)
    assert targets_request({"targets": []}).targets == ()
    assert targets_request({}).targets is None


@pytest.mark.parametrize("rate", ["0", "61", "fast", "nan", "inf"])
def test_a_stream_has_a_rate_within_limits(rate: str) -> None:
    with pytest.raises(ParameterError, match=r"rate='.*': must be within 1\.\.60 Hz"):
        schema.stream_rate(rate)
    assert schema.stream_rate(None) == 30.0
    assert schema.stream_rate("60") == 60.0


def test_a_stream_has_named_events_unnamed_ones_or_both() -> None:
    assert schema.stream_events(None) == {"named", "unnamed"}
    assert schema.stream_events("named") == {"named"}
    assert schema.stream_events("unnamed") == {"unnamed"}
    with pytest.raises(ParameterError, match="events='state': must be one of named, unnamed, or"):
        schema.stream_events("state")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
FIELDS = st.sampled_from(["vehicle", "steer", "throttle", "brake", "gear", "handbrake", "rate"])


@given(st.dictionaries(FIELDS | st.text(max_size=5), JSON, max_size=5))
def test_whatever_comes_is_a_command_within_range_or_one_line(document: dict[str, Any]) -> None:
    pedals = PedalInput()
    refused = ""
    try:
        request = schema.io_request(schema.parse_body(json.dumps(document).encode()))
        pedals = request.over(pedals)
    except ParameterError as error:
        refused = str(error)
    assert "\n" not in refused
    assert 0.0 <= pedals.throttle <= 1.0
    assert 0.0 <= pedals.brake <= 1.0
    assert abs(pedals.steer_rad) < 1.6
    assert pedals.gear in (-1, 0, 1)
