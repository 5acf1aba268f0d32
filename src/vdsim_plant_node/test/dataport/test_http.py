"""The data port over HTTP, with a real server behind it."""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from vdsim_plant_node_kit.dataport import LivePort, live_port
from vdsim_plant_node_kit.runtime import PlainClient

TOKEN = "correct-horse-battery"
WHEELS = ("Fx", "Fy", "Fz", "kappa", "alpha", "mu", "grip", "spin", "susp")


@pytest.fixture(scope="module")
def port() -> Iterator[LivePort]:
    with live_port() as opened:
        yield opened


@pytest.fixture(autouse=True)
def _rested(request: pytest.FixtureRequest) -> None:
    """Each test that shares the server begins with a car at its start and the time running.

    And with no stream of the test before it: the server notices that a listener has gone when it
    writes to it next, and only so many streams are open at a time.
    """
    if "port" in request.fixturenames:
        shared: LivePort = request.getfixturevalue("port")
        shared.post_when_allowed("/api/pause", {"paused": False})
        shared.post_when_allowed("/api/reset", {})
        shared.wait_until_no_stream_is_open()


def test_io_drives_and_answers_with_the_state(port: LivePort) -> None:
    # [VS-1.6.1]
    state = port.drive_until(lambda s: s["vx"] > 1.0, throttle=0.6, steer=0.05)
    assert (state["applied"], state["driver"], state["running"]) == (True, "io", True)
    assert state["vehicle"] == 0
    assert state["command"] == {
        "steer": 0.05, "throttle": 0.6, "brake": 0.0, "gear": 1, "handbrake": False,
    }  # fmt: skip
    assert 0.0 <= state["io_age"] < 1.0
    for name in ("t", "x", "y", "z", "yaw", "roll", "pitch", "vy", "r", "ax", "ay", "rack_torque"):
        assert isinstance(state[name], float), name
    for name in WHEELS:
        assert len(state[name]) == 4, name


def test_io_has_the_same_fail_safe_as_cmd(port: LivePort) -> None:
    port.drive_until(lambda s: s["vx"] > 1.0, throttle=0.6, steer=0.05)
    state = port.watch_until(lambda s: s["driver"] == "failsafe" and s["brake"] > 0.0)
    assert state["command"]["throttle"] == 0.0
    assert state["command"]["brake"] == 0.3
    assert state["command"]["steer"] == 0.05, "held"
    assert state["io_age"] >= 0.1
    assert port.drive_until(lambda s: s["driver"] == "io", throttle=0.2)["applied"]


def test_fields_left_out_keep_their_value_only_while_io_drives(port: LivePort) -> None:
    port.drive_until(lambda s: s["driver"] == "io", throttle=0.4, gear="D", brake=0.0)
    kept = port.post("/api/io", {"steer": 0.1}).json
    if kept["driver"] == "io":  # on a stalled machine the fail-safe may have been faster
        assert kept["applied"]
    port.watch_until(lambda s: s["driver"] == "failsafe")
    port.post("/api/io", {"steer": 0.02})
    after = port.live.server.vehicles[0].session.output().commanded
    assert after.throttle == 0.0, "a pedal from before the fail-safe does not come back"


def test_a_question_does_not_drive(port: LivePort) -> None:
    before = port.live.snapshot().vehicles[0].status.commands
    answer = port.post("/api/io", {"vehicle": 0}).json
    assert "applied" not in answer
    assert answer["driver"] == "waiting"
    assert port.live.snapshot().vehicles[0].status.commands == before


@pytest.mark.parametrize("path", ["/api/io", "/api/state"])
def test_the_state_is_there_without_a_command(port: LivePort, path: str) -> None:
    before = port.live.snapshot().vehicles[0].status.commands
    answer = port.get(path)
    assert answer.status == 200
    assert set(answer.json) == set(port.post("/api/io", {"vehicle": 0}).json)
    assert port.live.snapshot().vehicles[0].status.commands == before
    assert port.get(f"{path}?vehicle=9").json["vehicles"] == [0]


def test_cmd_wins_over_io_while_it_is_fresh() -> None:
    client = PlainClient()
    with live_port(cmd_timeout=1.0, state_port=client.port) as port:
        client.server_port = port.live.port
        client.drive(lambda f: f.vx_mps > 0.2, throttle=0.5, brake=0.0)

        def is_refused(answer: Any) -> bool:
            client.send(throttle=0.5, brake=0.0)
            return answer["applied"] is False

        refused = port.drive_until(is_refused, brake=1.0)
        assert (
            refused["reason"]
            == "CMD packets drive vehicle 0; they have priority while they are fresh"
        )
        assert refused["driver"] == "udp"
        assert refused["command"]["brake"] == 0.0
        taken = port.drive_until(lambda s: s["applied"], brake=1.0)
        assert "reason" not in taken
        port.watch_until(lambda s: s["command"]["brake"] == 1.0)

        def is_driven_by_cmd(state: Any) -> bool:
            client.send(throttle=0.5, brake=0.0)
            return bool(state["driver"] == "udp")

        assert port.watch_until(is_driven_by_cmd)["command"]["brake"] == 0.0
    client.close()


@pytest.mark.parametrize(
    ("path", "content", "status", "message"),
    [
        ("/api/io", {"throttle": 2}, 400, "throttle=2: must be a number within 0..1"),
        ("/api/io", {"pedal": 1}, 400, "pedal: unknown field; known are vehicle, steer"),
        ("/api/io", [], 400, "body: must be a JSON object"),
        ("/api/io", {"vehicle": 9}, 404, "vehicle=9: must be one of 0"),
        ("/api/io", {"vehicle": -1}, 404, "vehicle=-1: must be one of 0"),
        ("/api/io/targets", {"vehicle": 9}, 404, "vehicle=9: must be one of 0"),
        ("/api/io/targets", {"rate": 999}, 400, "rate=999: must be a number within 1..200 Hz"),
        ("/api/reset", {"vehicle": 9}, 404, "vehicle=9: must be one of 0"),
        ("/api/reset", {"vx": 1e9}, 400, "vx=1000000000.0: must be a number within -120..120"),
        ("/api/pause", {}, 400, "paused: is missing: must be true or false"),
        ("/api/vehicles", {}, 405, "POST /api/vehicles: must be one of GET"),
        ("/api/nothing", {}, 404, "/api/nothing: no such resource"),
    ],
)
def test_bad_input_gets_a_reason(
    port: LivePort, path: str, content: object, status: int, message: str
) -> None:
    answer = port.post(path, content)
    assert answer.status == status
    assert answer.error.startswith(message)


def test_an_unknown_vehicle_is_told_which_there_are(port: LivePort) -> None:
    assert port.post("/api/io", {"vehicle": 9}).json["vehicles"] == [0]
    assert port.get("/api/stream?vehicle=9").status == 404
    assert port.get("/api/road?vehicle=9").json["vehicles"] == [0]


def test_a_long_body_is_refused(port: LivePort) -> None:
    answer = port.request("POST", "/api/io", b" " * 20_000)
    assert (answer.status, answer.error) == (413, "body: has more than 16384 bytes")


def test_foreign_pages_and_names_are_refused(port: LivePort) -> None:
    assert port.get("/api/vehicles", Host="evil.example").status == 403
    assert port.post("/api/reset", {}, Origin="http://evil.example").status == 403
    assert port.post("/api/io", {"throttle": 1}, Sec_Fetch_Site="cross-site").status == 403
    assert port.live.snapshot().vehicles[0].status.commands == 0 or (
        port.post("/api/io", {}).json["driver"] == "waiting"
    )


def test_answers_cannot_be_framed_cached_or_sniffed(port: LivePort) -> None:
    headers = port.get("/").headers
    policy = headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    here = f"127.0.0.1:{port.number}"
    assert policy.endswith(f"; connect-src 'self' ws://{here} wss://{here}")
    odd = port.get("/", Host="127.0.0.1;sandbox").headers["Content-Security-Policy"]
    assert "sandbox" not in odd
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert port.get("/api/vehicles").headers["Cache-Control"] == "no-store"


def test_a_flood_is_slowed_down_and_the_plant_goes_on(port: LivePort) -> None:
    statuses = set()
    end = time.monotonic() + 60.0
    connection = http.client.HTTPConnection("127.0.0.1", port.number, timeout=60.0)
    while 429 not in statuses and time.monotonic() < end:
        # What is answered without the plant is fast enough to exceed the limit.
        connection.request("GET", "/assets/none")
        answer = connection.getresponse()
        answer.read()
        statuses.add(answer.status)
    connection.close()
    assert statuses <= {404, 429}
    before = port.live.snapshot().ticks
    assert port.live.wait_for(lambda s: s.ticks > before + 20)


def test_the_page_and_its_parts_are_there(port: LivePort) -> None:
    # [VS-1.6.3]
    page = port.get("/")
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    names = [part.partition('"')[0] for part in page.body.decode().split("/assets/")[1:]]
    assert {"style.css", "main.js", "icon.svg"} <= set(names)
    for name in names:
        asset = port.get(f"/assets/{name}")
        assert asset.status == 200, name
        again = port.get(f"/assets/{name}", If_None_Match=asset.headers["ETag"])
        assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize("name", ["..%2fapp.py", "%2e%2e/app.py", "nothing.js", "__init__.py"])
def test_nothing_else_is_served(port: LivePort, name: str) -> None:
    assert port.get(f"/assets/{name}").status == 404


def test_reset_and_pause(port: LivePort) -> None:
    port.drive_until(lambda s: s["x"] > 0.2, throttle=0.6)
    assert port.post("/api/pause", {"paused": True}).json == {"paused": True}
    first = port.post("/api/io", {}).json
    assert first["running"] is False
    time.sleep(0.05)
    assert port.post("/api/io", {}).json["tick"] == first["tick"]
    answer = port.post("/api/reset", {"vehicle": 0, "x": 5.0, "vx": 10.0}).json
    assert (answer["x"], answer["vx"], answer["tick"]) == (5.0, 10.0, 0)
    port.post("/api/pause", {"paused": False})
    port.watch_until(lambda s: s["x"] > 5.5)


def test_metrics_are_prometheus_text(port: LivePort) -> None:
    port.drive_until(lambda s: s["driver"] == "io", throttle=0.1)
    answer = port.get("/metrics")
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    values = {}
    for line in answer.body.decode().splitlines():
        if not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            values[name] = float(value)
    assert values["vdsim_ticks_total"] > 0
    assert values['vdsim_commands_total{vehicle="0",model="ioniq5_awd"}'] > 0
    assert sum(v for k, v in values.items() if k.startswith("vdsim_driver{")) == 1.0
    assert values["vdsim_http_requests_total"] > 0
    cmd_port = port.live.port
    assert values[f'vdsim_cmd_rejected_total{{port="{cmd_port}",reason="crc"}}'] == 0.0


def test_rejects_show_up_by_reason(port: LivePort) -> None:
    client = PlainClient(port.live.port)
    for _ in range(3):
        client.send_bytes(b"nonsense")
    client.close()
    port.live.wait_for(lambda s: s.ports[0].counters.rejected_total >= 3)
    with port.stream("?rate=20") as events:
        link = next(content for name, content in events if name == "link")
    assert link["port"]["reasons"]["length"] >= 3
    assert f'port="{port.live.port}",reason="length"}} 3' in port.get("/metrics").body.decode()


def test_the_stream_tells_state_and_link_at_its_rate(port: LivePort) -> None:
    start = time.monotonic()
    with port.stream("?rate=50") as events:
        seen = [next(events) for _ in range(60)]
    elapsed = time.monotonic() - start
    states = [content for name, content in seen if name == "state"]
    links = [content for name, content in seen if name == "link"]
    assert len(states) / elapsed < 60.0
    ticks = [state["tick"] for state in states]
    assert ticks == sorted(ticks)
    assert ticks[-1] > ticks[0]
    assert states[0]["driver"] == "waiting"
    assert len(links) >= 1
    assert links[0]["port"]["port"] == port.live.port


def test_a_listener_to_unnamed_events_gets_each_state_once(port: LivePort) -> None:
    """As the page of another program does with EventSource.onmessage, which has no named ones."""
    ticks: dict[str, list[int]] = {"": [], "state": [], "link": []}
    with port.stream() as events:
        while len(ticks[""]) < 8:
            name, content = next(events)
            ticks[name].append(content.get("tick", 0))
    assert ticks[""] == ticks["state"], "the same states, whichever kind is listened to"
    with port.stream("?events=unnamed") as events:
        assert {name for name, _ in (next(events) for _ in range(20))} == {""}
    with port.stream("?events=named") as events:
        assert {name for name, _ in (next(events) for _ in range(20))} <= {"state", "link"}
    assert port.get("/api/stream?events=all").status == 400


def test_manual_drives_as_io_does_and_answers_ok(port: LivePort) -> None:
    command = {"steer": 0.05, "throttle": 0.6, "brake": 0.0}

    def drives(state: Any) -> bool:
        answer = port.post("/api/manual", command)
        assert (answer.status, answer.json) == (200, {"ok": True})
        return bool(state["driver"] == "io" and state["vx"] > 1.0 and state["steer"] > 0.0)

    port.watch_until(drives)
    assert port.post("/api/manual", {"throttle": 2}).status == 400
    assert port.post("/api/manual", {"vehicle": 9, "throttle": 0.1}).status == 404


def test_manual_says_why_it_does_not_drive() -> None:
    client = PlainClient()
    with live_port(cmd_timeout=60.0, state_port=client.port) as port:
        client.server_port = port.live.port
        client.drive(lambda f: f.vx_mps > 0.0, throttle=0.5, brake=0.0)
        answer = port.post("/api/manual", {"brake": 1.0}).json
        assert answer["ok"] is False
        assert answer["reason"].startswith("CMD packets drive vehicle 0")
    client.close()


def test_the_stream_goes_on_while_time_stands(port: LivePort) -> None:
    port.post("/api/pause", {"paused": True})
    with port.stream("?rate=20") as events:
        states = [content for name, content in (next(events) for _ in range(8)) if name == "state"]
    assert not states[-1]["running"]
    assert states[0]["tick"] == states[-1]["tick"]


def test_a_limited_number_of_streams_is_open(port: LivePort) -> None:
    with ExitStack() as opened:
        for _ in range(16):
            next(opened.enter_context(port.stream("?rate=1")))
        answer = port.get("/api/stream")
        assert answer.status == 429
        assert answer.error.startswith("streams: 16 are open")
    port.wait_until_no_stream_is_open()


def test_telemetry_fans_out(port: LivePort) -> None:
    # [VS-1.6.2]
    receivers = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
    for receiver in receivers:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(60.0)
    targets = [{"ip": "127.0.0.1", "port": r.getsockname()[1]} for r in receivers]
    settings = port.post("/api/io/targets", {"enabled": True, "rate": 100, "targets": targets})
    assert settings.json["targets"] == targets
    for receiver in receivers:
        found = [json.loads(receiver.recv(4096)) for _ in range(5)]
        times = [each["t"] for each in found]
        assert times == sorted(set(times)), "never the same tick twice"
        assert set(found[0]) == {
            *("veh", "t", "x", "y", "z", "yaw", "roll", "pitch", "vx", "vy", "r", "ax", "ay"),
            *("steer", "Fz", "cmd"),
        }
        assert found[0]["cmd"]["brake"] == 0.3
    port.post("/api/io/targets", {"send_state": False})
    end = time.monotonic() + 60.0
    while set(json.loads(receivers[0].recv(4096))) != {"veh", "t", "cmd"}:
        assert time.monotonic() < end
    assert port.post("/api/io/targets", {"enabled": False, "send_state": True}).status == 200
    assert port.get("/api/io/targets?vehicle=0").json["enabled"] is False
    whole = port.get("/api/io/targets").json
    assert whole["sent"] > 10
    assert whole["failed"] == 0
    for receiver in receivers:
        receiver.close()


def test_several_vehicles(tmp_path: Path) -> None:
    # [VS-1.7.2]
    fleet = tmp_path / "fleet.yaml"
    other = "{vehicle_id: 7, vehicle: compact_fwd, origin: {x_m: 9}}"
    fleet.write_text(f"vehicles:\n  - {{vehicle_id: 1}}\n  - {other}\n")
    with live_port(vehicles=str(fleet)) as port:
        described = port.get("/api/vehicles").json["vehicles"]
        assert [(each["vehicle"], each["name"]) for each in described] == [
            (1, "ioniq5_awd"),
            (7, "compact_fwd"),
        ]
        state = port.drive_until(lambda s: s["vx"] > 0.5, vehicle=7, throttle=0.8)
        assert state["x"] > 9.0
        assert port.post("/api/io", {"vehicle": 1}).json["driver"] == "waiting"
        with port.stream("?vehicle=1&rate=20") as events:
            name, first = next(events)
        assert (name, first["vehicle"]) == ("state", 1)
        assert first["others"]["7"][0] > 9.0
        port.post("/api/reset", {"vehicle": 1})
        assert port.post("/api/io", {"vehicle": 7}).json["x"] > 9.0
        refused = port.post("/api/reset", {"x": 10.0, "vx": 12.0})
        assert (refused.status, refused.error) == (
            400,
            "vehicle: is missing: a pose is for one of several vehicles",
        )
        assert port.post("/api/reset", {}).status == 200


def test_a_car_that_cmd_drives_is_neither_moved_nor_stopped() -> None:
    client = PlainClient()
    try:
        with live_port(cmd_timeout=60.0) as port:
            client.server_port = port.live.port
            client.send(throttle=0.0, brake=1.0)
            port.live.wait_for(lambda s: s.vehicles[0].status.commands == 1)
            for path, body in (("/api/reset", {"x": 10.0}), ("/api/pause", {"paused": True})):
                answer = port.post(path, body)
                assert answer.status == 409
                assert answer.error.startswith("CMD packets drive vehicle 0; they have priority")
            assert port.post("/api/pause", {"paused": False}).status == 200
            assert port.post("/api/io", {}).json["x"] == pytest.approx(0.0, abs=0.1)
    finally:
        client.close()


def test_a_token_guards_everything() -> None:
    with live_port(TOKEN) as port:
        for path in ("/", "/api/vehicles", "/api/stream", "/metrics", "/assets/main.js"):
            assert port.get(path).status == 401, path
        assert port.post("/api/io", {"throttle": 1}).status == 401
        assert port.get("/api/vehicles", Authorization=f"Bearer {TOKEN}").status == 200
        moved = port.get(f"/?token={TOKEN}")
        assert (moved.status, moved.headers["Location"]) == (303, "/")
        cookie = moved.headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert port.get("/", Cookie=cookie.partition(";")[0]).status == 200
        far = {"targets": [{"ip": "192.0.2.1", "port": 9000}]}
        answer = port.post("/api/io/targets", far, Authorization=f"Bearer {TOKEN}")
        assert answer.status == 200


def test_in_lockstep_time_cannot_be_paused_here() -> None:
    with live_port(can_pause=False) as port:
        answer = port.post("/api/pause", {"paused": True})
        assert answer.status == 400
        assert answer.error.startswith("paused: cannot be set in lockstep")
        assert port.get("/api/vehicles").json["can_pause"] is False
