"""Another car over HTTP: what can be chosen, who may start it, and what attackers get."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant_node.dataport import restarts
from vdsim_plant_node.live import sessions
from vdsim_plant_node.settings import choices
from vdsim_plant_node.settings.options import server_settings
from vdsim_plant_node_kit.dataport import Answer, LivePort, live_port
from vdsim_plant_node_kit.runtime import PlainClient


@pytest.fixture
def port() -> Iterator[LivePort]:
    with live_port() as opened:
        yield opened


def settings_of(port: LivePort, vehicle: int = 0) -> dict[str, Any]:
    answer = port.get(f"/api/settings?vehicle={vehicle}").json
    assert answer["vehicle"] == vehicle
    return {each["name"]: each["value"] for each in answer["settings"]}


def test_what_can_be_chosen_is_described(port: LivePort) -> None:
    described = port.get("/api/settings").json["settings"]
    assert [each["name"] for each in described] == list(choices.CHOSEN)
    assert all(each["text"] and "default" in each for each in described)
    tyre = next(each for each in described if each["name"] == "tyre")
    assert (tyre["kind"], tyre["value"]) == ("choice", "vehicle")
    assert "mf96" in tyre["choices"]


def test_a_start_changes_the_car_and_its_road(port: LivePort) -> None:
    wanted = {
        **{"vehicle": "compact_fwd", "tyre": "mf96", "level": "l1", "x0": 5.0, "vx0": 3.0},
        "ground": {"base_mu": 0.4, "split": {"mu_left": 0.2, "mu_right": 0.5}, "slope_x": 0.05},
    }
    answer = port.post("/api/start", wanted)
    assert answer.status == 200, answer.body
    assert answer.json["restarts"] == 1
    assert {**settings_of(port), **wanted} == settings_of(port)
    description = port.get("/api/vehicles").json["vehicles"][0]
    assert (description["name"], description["level"]) == ("compact_fwd", "l1")
    road = port.get("/api/road").json
    assert (road["base_mu"], road["split"]["left"]) == (0.4, 0.2)
    assert road["plane"]["gx"] == pytest.approx(0.05, rel=0.01)
    state = port.post("/api/io", {}).json
    assert state["x"] >= 5.0
    assert state["driver"] == "waiting"
    assert "restarted as compact_fwd (l1), tyre mf96" in port.live.lines[-1]


def test_a_check_changes_nothing_and_gives_the_file(port: LivePort, tmp_path: Path) -> None:
    answer = port.post("/api/settings", {"mu": 0.3, "vehicle": "sport_rwd"}).json
    assert settings_of(port)["mu"] is None
    assert answer["settings"]["mu"] == 0.3
    file = tmp_path / "car.yaml"
    file.write_text(answer["yaml"])
    (taken,) = server_settings({"config": str(file)}).vehicles
    assert (taken.vehicle, taken.mu) == ("sport_rwd", 0.3)
    assert port.post("/api/start", {"yaml": answer["yaml"]}).status == 200
    assert settings_of(port) == answer["settings"]
    now = port.get("/api/settings.yaml")
    assert now.headers["Content-Type"].startswith("application/yaml")
    assert now.headers["Content-Disposition"] == 'attachment; filename="vdsim_vehicle_0.yaml"'
    assert yaml.safe_load(now.body) == yaml.safe_load(answer["yaml"])


WRONG = [
    {"mu": 3.0},
    {"tyre": "mf97"},
    {"level": "l9"},
    {"vx0": 500.0},
    {"ground": {"split": {"mu_left": 0.2}}},
    {"ground": {"x_patches": [[9, 1, 0.5]]}},
    {"actuator": "truck"},
]


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("path", ["/api/start", "/api/settings"])
def test_a_wrong_value_has_the_words_of_the_command_line(
    port: LivePort, wrong: dict[str, Any], path: str
) -> None:
    answer = port.post(path, wrong)
    with pytest.raises(ParameterError) as caught:
        sessions.build_session(server_settings(wrong).vehicles[0], substep_s=5e-4)
    assert (answer.status, answer.error) == (400, str(caught.value))
    assert answer.json["field"].partition(".")[0] == next(iter(wrong))
    assert settings_of(port) == choices.current(server_settings({}).vehicles[0])


@pytest.mark.parametrize(
    ("body", "error", "field"),
    [
        ({"mue": 1}, "mue: unknown field; did you mean mu?", "mue"),
        ({"http_token": "x"}, "http_token: is fixed when the plant starts", "http_token"),
        ({"vehicle": "/etc/passwd"}, "vehicle='/etc/passwd': a file is named when", "vehicle"),
        ({"ground": {"grid": {"csv": "/etc/passwd"}}}, "ground.grid.csv: belongs", "ground"),
        ({"ground": {"grid": {"values": [[10**400]], "cell_m": 1}}}, "ground.grid.values", ""),
        ({"ground": "~nobody-of-this-name"}, "ground='~nobody-of-this-name': must be", "ground"),
        ({"mu": 1e-300}, "mu=1e-300: must be >= 1e-06 and <= 1.2", "mu"),
        ({"ground": {"base_mu": 1e-300}}, "ground.base_mu=1e-300: must be >= 1e-06", "ground"),
        ({"yaml": 5}, "yaml: must be the text of a settings file", "yaml"),
        ({"yaml": "mu: 1", "mu": 2}, "yaml: must be the text of a settings file", "yaml"),
        ({"yaml": "mu: [1"}, "settings: line", ""),
        ({"yaml": "- 1"}, "settings: must be a group of keys", "settings"),
        ({"yaml": "mu: 1e999"}, "mu=inf: must be", "mu"),
        ({"yaml": "a: &a [*a]"}, "settings: line", ""),
        ({"ground": {"base_mu": 10**400}}, "ground.base_mu=1000", "ground.base_mu"),
        ({"ground": {"x_patches": "all"}}, "ground.x_patches='all': must be a list", "ground"),
        ({"seed": 10**400}, "seed=1000", "seed"),
        ([], "body: must be a JSON object", "body"),
    ],
)  # fmt: skip
def test_what_is_no_setting_is_refused(
    port: LivePort, body: object, error: str, field: str
) -> None:
    answer = port.post("/api/settings", body)
    assert answer.status == 400, answer.body
    assert answer.error.startswith(error)
    assert answer.json["field"].startswith(field)


def test_foreign_pages_vehicles_and_methods_are_refused(port: LivePort) -> None:
    assert port.post("/api/start", {}, Origin="http://evil.example").status == 403
    assert port.post("/api/start", {}, Sec_Fetch_Site="cross-site").status == 403
    assert port.post("/api/start", {}, Host="evil.example").status == 403
    assert port.post("/api/start?vehicle=9", {}).json["vehicles"] == [0]
    assert port.get("/api/start").error == "GET /api/start: must be one of POST"
    assert port.request("POST", "/api/start", b" " * 20_000).status == 413
    assert port.live.server.vehicles[0].restarts == 0


def test_with_a_token_a_start_needs_it() -> None:
    with live_port(token="t" * 20) as port:
        assert port.post("/api/start", {}).status == 401
        assert port.get("/api/settings").status == 401
        assert port.post("/api/start", {}, Authorization=f"Bearer {'t' * 20}").status == 200


def test_nobody_restarts_a_car_that_cmd_drives() -> None:
    client = PlainClient()
    with live_port(cmd_timeout=60.0, state_port=client.port) as port:
        client.server_port = port.live.port
        client.drive(lambda f: f.vx_mps > 0.2, throttle=0.5, brake=0.0)
        answer = port.post("/api/start", {"mu": 0.3})
        assert answer.status == 409
        assert answer.error == (
            "CMD packets drive vehicle 0; they have priority while they are fresh "
            "(stop or deactivate their sender first)"
        )
        assert settings_of(port)["mu"] is None
    client.close()


def test_cmd_that_comes_while_the_car_is_built_keeps_the_old_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The question is asked again in the moment of the swap."""
    client = PlainClient()
    building, may_go_on = threading.Event(), threading.Event()
    build = restarts.prepare_car

    def slow(*arguments: Any, **named: Any) -> Any:
        building.set()
        assert may_go_on.wait(180.0)
        return build(*arguments, **named)

    monkeypatch.setattr(restarts, "prepare_car", slow)
    with live_port(cmd_timeout=60.0, state_port=client.port) as port:
        client.server_port = port.live.port
        answers: list[Answer] = []
        asking = threading.Thread(
            target=lambda: answers.append(port.post("/api/start", {"mu": 0.3}))
        )
        asking.start()
        assert building.wait(180.0)
        client.drive(lambda f: f.vx_mps > 0.2, throttle=0.5, brake=0.0)
        before = port.live.snapshot().vehicles[0].output.tick
        may_go_on.set()
        asking.join(180.0)
        assert answers[0].status == 409
        assert port.live.snapshot().vehicles[0].output.tick > before, "not reset"
        assert settings_of(port)["mu"] is None
    client.close()


def test_the_page_and_the_ticks_go_on_while_a_car_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    building, may_go_on = threading.Event(), threading.Event()

    def stuck(*_: Any, **__: Any) -> Any:
        building.set()
        assert may_go_on.wait(180.0)
        raise ParameterError("tyre", "is flat")

    monkeypatch.setattr(restarts, "prepare_car", stuck)
    with live_port() as port:
        answers: list[Answer] = []
        askers = [
            threading.Thread(target=lambda: answers.append(port.post("/api/start", {})))
            for _ in range(restarts.MOST_WAITING + 2)
        ]
        for asker in askers:
            asker.start()
        assert building.wait(180.0)
        tick = port.post("/api/io", {}).json["tick"]
        port.watch_until(lambda state: state["tick"] > tick + 20)
        end = time.monotonic() + 180.0
        while len(answers) < 2 and time.monotonic() < end:
            time.sleep(0.01)
        assert [answer.status for answer in answers] == [429, 429]
        assert "cars are being built" in answers[0].error
        assert answers[0].headers["Retry-After"] == "1"
        may_go_on.set()
        for asker in askers:
            asker.join(180.0)
        assert sorted(answer.status for answer in answers) == [400] * 4 + [429] * 2


def test_starts_at_the_same_time_keep_what_the_other_has_chosen(port: LivePort) -> None:
    wishes = [{"mu": 0.3}, {"tyre": "mf96"}, {"vx0": 2.0}]
    askers = [threading.Thread(target=port.post, args=("/api/start", wish)) for wish in wishes]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join(180.0)
    now = settings_of(port)
    assert (now["mu"], now["tyre"], now["vx0"]) == (0.3, "mf96", 2.0)


def test_a_flood_of_starts_neither_stops_the_ticks_nor_the_fail_safe_of_another_car(
    tmp_path: Path,
) -> None:
    fleet = tmp_path / "fleet.yaml"
    fleet.write_text("vehicles:\n  - {vehicle_id: 1}\n  - {vehicle_id: 2}\n")
    points = [[x, (x * 7919) % 101] for x in range(600)]
    heavy = {"ground": {"polygons": [{"points_m": points, "mu": 0.5}]}}
    assert len(json.dumps(heavy)) < 16_384
    with live_port(vehicles=str(fleet), cmd_timeout=None) as port:
        stopping = threading.Event()
        statuses: set[int] = set()

        def flood() -> None:
            while not stopping.is_set():
                statuses.add(port.post("/api/start?vehicle=2", heavy).status)

        attackers = [threading.Thread(target=flood) for _ in range(6)]
        for attacker in attackers:
            attacker.start()
        try:
            port.drive_until(lambda s: s["vx"] > 2.0, vehicle=1, throttle=1.0)
            port.watch_until(lambda s: s["driver"] == "failsafe", vehicle=1)
            port.watch_until(lambda s: abs(s["vx"]) < 0.1, vehicle=1)
        finally:
            stopping.set()
            for attacker in attackers:
                attacker.join(180.0)
        assert statuses <= {200, 400, 429}
        assert 429 in statuses
        assert port.live.server.vehicle(1).restarts == 0


def test_a_broken_connection_does_not_make_room_for_more(port: LivePort) -> None:
    """Each start that a client gave up is still built, one after the other, and nothing is lost."""
    body = json.dumps({"tyre": "mf96"}).encode()
    head = f"POST /api/start HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n"
    for _ in range(12):
        with socket.create_connection(("127.0.0.1", port.number)) as connection:
            connection.sendall(head.encode() + body)
    end = time.monotonic() + 180.0
    answer = port.post("/api/start", {"tyre": "mf96", "mu": 0.5})
    while answer.status == 429 and time.monotonic() < end:
        time.sleep(0.2)
        answer = port.post("/api/start", {"tyre": "mf96", "mu": 0.5})
    assert answer.status == 200
    assert settings_of(port)["mu"] == 0.5
