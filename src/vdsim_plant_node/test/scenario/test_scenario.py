"""Scenarios: reading, checking, playing on virtual time, the same file every time."""

from __future__ import annotations

import itertools
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from vdsim_plant.parameters import ParameterError
from vdsim_plant_node.cli import replay
from vdsim_plant_node.runs.run_table import COLUMNS, read_run_tables
from vdsim_plant_node.scenario.player import ScenarioPlayer
from vdsim_plant_node.scenario.reader import load_scenario, with_seed

EXAMPLES = sorted((Path(__file__).resolve().parents[4] / "examples" / "scenarios").iterdir())

PLAIN = """
duration_s: 1.0
vehicle: {start: {vx_mps: 10.0}}
commands: [{t_s: 0.0, throttle: 0.2}, {t_s: 0.5, throttle: 0.0, brake: 0.5}]
"""


def scenario_file(folder: Path, text: str) -> Path:
    path = folder / "run.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_shipped_scenario_plays(path: Path) -> None:
    player = ScenarioPlayer(load_scenario(path))
    played = list(itertools.islice(player, 600))
    assert played[-1].output.time_s == pytest.approx(3.0)
    assert player.receiver.counters().accepted > 200


def test_commands_arrive_at_their_time(tmp_path: Path) -> None:
    played = list(ScenarioPlayer(load_scenario(scenario_file(tmp_path, PLAIN))))
    braked = [tick.output.time_s for tick in played if tick.output.realized.brake == 0.5]
    assert braked[0] == pytest.approx(0.505), "the tick that begins at 0.5 s"
    assert {tick.drive for tick in played} == {"commanded"}


def test_a_dark_link_brings_the_failsafe_and_back(tmp_path: Path) -> None:
    text = PLAIN + "link: {blackouts: [{start_s: 0.2, duration_s: 0.3}]}\n"
    played = list(ScenarioPlayer(load_scenario(scenario_file(tmp_path, text))))
    dark = [tick.output.time_s for tick in played if tick.drive == "failsafe"]
    assert dark[0] == pytest.approx(0.195 + 0.1, abs=0.011)
    assert dark[-1] == pytest.approx(0.5, abs=0.011)
    safe = next(tick for tick in played if tick.drive == "failsafe").output.realized
    assert (safe.throttle, safe.brake) == (0.0, 0.3)


def test_damaged_commands_are_dropped_and_counted(tmp_path: Path) -> None:
    text = PLAIN + "link: {bit_flip: 0.5, duplicate: 0.3}\nlink_seed: 4\n"
    player = ScenarioPlayer(load_scenario(scenario_file(tmp_path, text)))
    list(player)
    counters = player.receiver.counters()
    assert counters.accepted > 20
    assert counters.rejected_total > 20


def test_equal_scenarios_give_equal_runs_and_seeds_differ(tmp_path: Path) -> None:
    path = next(path for path in EXAMPLES if path.name == "lost_link.yaml")

    def end_of(seed: int) -> str:
        player = ScenarioPlayer(with_seed(load_scenario(path), seed))
        list(itertools.islice(player, 900))
        return player.vehicle.session.state_hash()

    assert end_of(1) == end_of(1)
    assert end_of(1) != end_of(2)


def test_the_road_of_the_scenario_is_driven_on(tmp_path: Path) -> None:
    text = PLAIN + "road: {base_mu: 0.5, x_patches: [[0.0, 5.0, 0.2]]}\n"
    played = list(ScenarioPlayer(load_scenario(scenario_file(tmp_path, text))))
    assert played[0].output.motion.wheel_mu[0] == 0.2
    assert played[-1].output.motion.wheel_mu[0] == 0.5


def test_files_beside_the_scenario_are_found(tmp_path: Path) -> None:
    (tmp_path / "wet.yaml").write_text("base_mu: 0.6\n")
    (tmp_path / "go.csv").write_text("t_s,throttle\n0,1\n")
    text = "duration_s: 0.1\nvehicle: {ground: wet.yaml}\ncommands_csv: go.csv\n"
    played = list(ScenarioPlayer(load_scenario(scenario_file(tmp_path, text))))
    assert played[-1].output.motion.wheel_mu[0] == 0.6
    assert played[-1].output.realized.throttle == 1.0


def test_options_win_over_the_file(tmp_path: Path) -> None:
    path = scenario_file(tmp_path, PLAIN)
    scenario = load_scenario(path, {"vehicle": "compact_fwd", "start": {"x_m": 3.0}})
    assert scenario.vehicle.vehicle == "compact_fwd"
    assert (scenario.vehicle.start.x_m, scenario.vehicle.start.vx_mps) == (3.0, 10.0)


def test_the_road_of_a_scenario_takes_polygons_as_vdsim_writes_them(tmp_path: Path) -> None:
    square = "{polygon: [[0, -5], [10, -5], [10, 5], [0, 5]], mu: 0.3}"
    text = PLAIN + f"road: {{base_mu: 0.8, friction_map_2d: [{square}]}}\n"
    played = list(ScenarioPlayer(load_scenario(scenario_file(tmp_path, text))))
    assert played[0].output.motion.wheel_mu[0] == 0.3
    assert played[-1].output.motion.wheel_mu[0] == 0.8


PATCHED = PLAIN + "road: {base_mu: 0.8, x_patches: [[0.0, 5.0, 0.2]]}\n"


@pytest.mark.parametrize(
    ("arguments", "first_mu", "last_mu"),
    [
        ({}, 0.2, 0.8),
        ({"mu": 0.5}, 0.2, 0.5),
        ({"ground": "flat"}, 0.9, 0.9),
        ({"ground": "flat", "mu": 0.4}, 0.4, 0.4),
        ({"ground": "split_mu"}, 0.15, 0.15),
    ],
)
def test_options_win_over_the_road(
    tmp_path: Path, arguments: dict[str, Any], first_mu: float, last_mu: float
) -> None:
    path = scenario_file(tmp_path, PATCHED)
    played = list(ScenarioPlayer(load_scenario(path, arguments)))
    assert played[0].output.motion.wheel_mu[0] == first_mu
    assert played[-1].output.motion.wheel_mu[0] == last_mu


def test_another_ground_replaces_the_scenarios_mu_as_well(tmp_path: Path) -> None:
    path = scenario_file(tmp_path, PLAIN.replace("vehicle: {", "vehicle: {mu: 0.5, "))
    assert next(iter(ScenarioPlayer(load_scenario(path)))).output.motion.wheel_mu[0] == 0.5
    split = ScenarioPlayer(load_scenario(path, {"ground": "split_mu"}))
    assert split.step().output.motion.wheel_mu[0] == 0.15


def test_a_wrong_mu_is_refused_beside_a_road_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay.main([str(scenario_file(tmp_path, PATCHED)), "--mu", "7"]) == 2
    assert "mu=7.0: must be > 0 and <= 1.2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("commands: [{t_s: 0}]", "run.yaml: duration_s: missing"),
        (
            "duration_s: 0\ncommands: [{t_s: 0}]",
            "run.yaml: duration_s=0: must be >= 1e-06 and <= 86400 s",
        ),
        ("duration_s: 0.001\ncommands: [{t_s: 0}]", "run.yaml: duration_s=0.001: must be >= tick"),
        ("duration_s: 1", "run.yaml: commands: give either commands or commands_csv"),
        ("duration_s: 1\nspeed: 2", "run.yaml: speed: unknown key; known are duration_s"),
        ("duration_s: 1\ncommands: []", "run.yaml: commands: must hold at least one point"),
        (
            "duration_s: 1\ncommands: [{t_s: 0}]\nvehicle: {cmd_port: 7001}",
            "run.yaml: vehicle.cmd_port: unknown key",
        ),
        (
            "duration_s: 1\ncommands: [{t_s: 0}]\nroad: {base_mu: -1}",
            "run.yaml: road.base_mu=-1: must be",
        ),
        (
            PATCHED.replace("vehicle: {", "vehicle: {ground: split_mu, "),
            "run.yaml: road: is given as well as vehicle.ground: give one of them",
        ),
        (
            PATCHED.replace("vehicle: {", "vehicle: {mu: 0.5, "),
            "run.yaml: road: is given as well as vehicle.mu: say it there, as base_mu",
        ),
        (
            "duration_s: 1\ncommands: [{t_s: 0}]\nlink: {loss: 2}",
            "run.yaml: link.loss=2: must be in 0..1",
        ),
        (
            "duration_s: 1\ncommands: [{t_s: 0}]\nlink: {rain: 2}",
            "run.yaml: link.rain: unknown",
        ),
        (
            "duration_s: 1\ncommands_csv: none.csv",
            "",
        ),
    ],
)
def test_a_wrong_scenario_is_refused_by_place(
    tmp_path: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = scenario_file(tmp_path, text)
    assert replay.main([str(path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("vdsim_replay: " + message)
    assert said.count("\n") == 1
    with pytest.raises(ParameterError):
        load_scenario(path)


def test_the_table_of_a_run_is_reproducible_and_exact(tmp_path: Path) -> None:
    path = scenario_file(tmp_path, PLAIN)
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    assert replay.main([str(path), "--out", str(first)]) == 0
    assert replay.main([str(path), "--out", str(second)]) == 0
    assert first.read_bytes() == second.read_bytes()
    (table,) = read_run_tables(first)
    second.write_text(first.read_text(), encoding="utf-8-sig")  # as a spreadsheet saves it
    assert read_run_tables(second) == [table]
    played = [player.output for player in ScenarioPlayer(load_scenario(path))]
    assert table["x_m"][1:] == [output.motion.x_m for output in played]
    assert table.wheels("tire_fx_n")[3][1:] == [output.motion.tire_fx_n[3] for output in played]
    assert table["time_s"][0] == 0.0
    assert len(table.drive) == len(played) + 1


def test_realtime_takes_its_time_and_sends_states(tmp_path: Path) -> None:
    path = scenario_file(tmp_path, PLAIN.replace("1.0", "0.6", 1))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(1.0)
        port = receiver.getsockname()[1]
        receiver.setblocking(False)
        start = time.monotonic()
        assert replay.main([str(path), "--realtime", "--state-to", f"127.0.0.1:{port}"]) == 0
        assert time.monotonic() - start > 0.55
        frames = [receiver.recv(2048) for _ in range(121)]
    assert {len(frame) for frame in frames} == {436}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "t,x\n1,2\n", "a.csv: header: is not that of a run: time_s"),
        ("a.csv", ",".join(COLUMNS) + "\n1,2\n", "a.csv: line 2: is not a row of a run"),
        ("a.csv", "", "a.csv: header: is not that of a run: time_s"),
    ],
)
def test_another_table_is_refused(tmp_path: Path, name: str, content: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(ParameterError) as error:
        read_run_tables(path)
    assert str(error.value) == message
