"""The vehicle interface over HTTP: what a stream has of it, its stop and its requests."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from vdsim_plant_node_kit.dataport import LivePort, live_port
from vdsim_plant_node_kit.interfaces import OneInterface
from vdsim_plant_node_kit.pads import Pads
from vdsim_plant_node_kit.runtime import PlainClient


@pytest.fixture
def interface() -> OneInterface:
    return OneInterface()


@pytest.fixture
def port(interface: OneInterface) -> Iterator[LivePort]:
    with live_port(interface=interface, cmd_timeout=50.0) as opened:
        yield opened


def driven_by_packets(port: LivePort) -> None:
    client = PlainClient(port.live.port)
    client.send(throttle=0.0, brake=0.5)
    client.close()
    end = time.monotonic() + 60.0
    while port.get("/api/state").json["driver"] != "udp":
        assert time.monotonic() < end


def test_a_stream_says_what_the_interface_says(port: LivePort, interface: OneInterface) -> None:
    with port.stream("?events=named") as events:
        first = next(content for name, content in events if name == "interface")
        assert first["interface"]["why"]["cause"] == "drives"
        interface.is_present = False
        while next(each for name, each in events if name == "interface")["interface"] is not None:
            pass


def test_a_plant_without_an_interface_beside_it_streams_none() -> None:
    with live_port() as port, port.stream("?events=named") as events:
        names = {next(events)[0] for _ in range(20)}
    assert names == {"state", "link"}


def test_a_stop_reaches_the_interface_whoever_drives(
    port: LivePort, interface: OneInterface
) -> None:
    driven_by_packets(port)
    assert port.post("/api/stop", {"vehicle": 0}).json["ok"] is True
    assert interface.stops_n == 1
    with port.stream("?events=named") as events:
        view = next(each for name, each in events if name == "interface")["interface"]
    assert (view["stopped"], view["why"]["cause"]) == (True, "emergency_stop")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff\xfe", b'{"vehicle": 0, "why": 1}'])
def test_a_stop_acts_whatever_is_in_its_body(
    port: LivePort, interface: OneInterface, body: bytes
) -> None:
    assert port.request("POST", "/api/stop", body).json["ok"] is True
    assert interface.stops_n == 1


def test_a_flood_of_other_requests_takes_no_stop_away(
    port: LivePort, interface: OneInterface
) -> None:
    for _ in range(2000):
        if port.get("/api/state").status == 429:
            break
    assert port.post("/api/stop", {}).json["ok"] is True


def test_a_stop_from_a_foreign_page_is_refused(port: LivePort, interface: OneInterface) -> None:
    assert port.post("/api/stop", {}, Origin="http://evil.example").status == 403
    assert interface.stops_n == 0


def test_without_an_interface_a_stop_lets_go_and_the_fail_safe_brakes() -> None:
    with live_port(failsafe_brake=1.0) as port:
        port.drive_until(lambda state: state["vx"] > 2.0, throttle=1.0)
        answer = port.post("/api/stop", {}).json
        assert answer == {"ok": True, "reason": "the fail-safe brakes"}
        port.watch_until(lambda state: state["driver"] == "failsafe" and state["vx"] < 0.1)


def test_packets_of_an_unknown_sender_cannot_be_stopped_and_the_answer_says_so() -> None:
    with live_port(cmd_timeout=50.0) as port:
        driven_by_packets(port)
        answer = port.post("/api/stop", {}).json
    assert answer["ok"] is False
    assert "stop their sender" in answer["reason"]


def test_where_only_joy_is_heard_a_stop_is_its_button() -> None:
    pads = Pads()
    with live_port(joy=pads) as port:
        assert port.post("/api/stop", {}).json["ok"] is True
    assert pads.samples[0][1].buttons[1] == 1


@pytest.mark.parametrize("wanted", ["engage", "disengage", "give_back"])
def test_a_request_is_passed_on_and_answered(
    port: LivePort, interface: OneInterface, wanted: str
) -> None:
    interface.answer = (False, "a door is open")
    answer = port.post("/api/interface", {"request": wanted})
    assert (answer.status, answer.json) == (200, {"ok": False, "reason": "a door is open"})
    assert interface.requests == [wanted]


def test_a_wrong_request_reaches_nobody(port: LivePort, interface: OneInterface) -> None:
    answer = port.post("/api/interface", {"request": "drive"})
    assert (answer.status, answer.json["field"]) == (400, "request")
    assert port.post("/api/interface", {"request": "engage", "now": True}).status == 400
    assert port.post("/api/interface", {"request": "engage", "vehicle": 9}).status == 404
    assert interface.requests == []


def test_an_interface_that_does_not_answer_is_named(
    port: LivePort, interface: OneInterface
) -> None:
    interface.answer = None
    answer = port.post("/api/interface", {"request": "engage"})
    assert answer.status == 503
    assert "did not answer within 3 s" in answer.error


def test_without_an_interface_nothing_is_engaged() -> None:
    with live_port() as port:
        assert port.post("/api/interface", {"request": "engage"}).status == 409


def test_a_port_with_a_token_engages_and_stops_for_nobody_without_it() -> None:
    interface = OneInterface()
    token = "a-token-of-24-characters"
    with live_port(token, interface=interface) as port:
        for path in ("/api/stop", "/api/interface"):
            assert port.post(path, {"request": "engage"}).status == 401
        assert (interface.stops_n, interface.requests) == (0, [])
        bearer = {"Authorization": f"Bearer {token}"}
        assert port.post("/api/stop", {}, **bearer).status == 200
        assert port.post("/api/interface", {"request": "engage"}, **bearer).status == 200
    assert (interface.stops_n, interface.requests) == (1, ["engage"])


def test_reset_and_pause_work_while_a_known_interface_drives(
    port: LivePort, interface: OneInterface
) -> None:
    driven_by_packets(port)
    assert port.post("/api/pause", {"paused": True}).json == {"paused": True}
    assert port.post("/api/pause", {"paused": False}).json == {"paused": False}
    assert port.post("/api/reset", {"x": 12.0}).json["x"] == pytest.approx(12.0)


def test_reset_and_pause_are_refused_while_an_unknown_sender_drives(
    port: LivePort, interface: OneInterface
) -> None:
    interface.is_present = False
    driven_by_packets(port)
    for path, content in (("/api/reset", {}), ("/api/pause", {"paused": True})):
        answer = port.post(path, content)
        assert answer.status == 409
        assert "priority" in answer.error
