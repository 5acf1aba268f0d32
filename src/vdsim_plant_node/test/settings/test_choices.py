"""What can be chosen while the server runs: the command line's names, checks and words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant_node.live.sessions import build_session
from vdsim_plant_node.settings import choices
from vdsim_plant_node.settings.options import server_settings
from vdsim_plant_node.settings.server_settings import (
    Endpoint,
    StartState,
    VehicleSettings,
    WorldOrigin,
)

SUBSTEP_S = 5e-4
START = VehicleSettings(
    vehicle_id=3,
    mu=0.8,
    cmd_port=6711,
    start=StartState(x_m=1.0, vy_mps=0.5),
    origin=WorldOrigin(x_m=100.0),
    state_to=(Endpoint("127.0.0.1", 6712),),
)
PATCHES = {
    "base_mu": 0.8,
    "split": {"mu_left": 0.2, "mu_right": 0.7},
    "x_patches": [[10, 20, 0.3]],
    "polygons": [{"points_m": [[0, 0], [1, 0], [1, 1]], "mu": 0.4}],
    "slope_x": 0.05,
}


def fault(values: dict[str, Any]) -> str:
    """What a start on the command line says about these options."""
    with pytest.raises(ParameterError) as caught:
        build_session(server_settings(values).vehicles[0], substep_s=SUBSTEP_S)
    return str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"mu": 3.0},
        {"mu": -0.1},
        {"mu": float("nan")},
        {"level": "l4"},
        {"vehicle": "ioniq6"},
        {"vehicle": ""},
        {"tyre": "mf97"},
        {"ground": "ice"},
        {"ground": ""},
        {"ground": "dry", "mu": 0.3},
        {"ground": {"base_mu": 5.0}},
        {"ground": {"slope": 0.1}},
        {"ground": {"split": {"mu_left": 0.2}}},
        {"ground": {"x_patches": [[5, 1, 0.3]]}},
        {"ground": {"base_mu": 0.5}, "mu": 0.3},
        {"ground": {"grid": {"csv": "grid.csv", "cell_m": 1.0}}},
        {"actuator": "truck"},
        {"sensor": "lidar"},
        {"seed": -1},
        {"charge": 1.5},
        {"vx0": 500.0},
        {"x0": float("inf")},
        {"yaw0": 1e9},
    ],
)
def test_a_wrong_value_is_refused_in_the_words_of_the_command_line(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError) as caught:
        build_session(choices.chosen(VehicleSettings(), wrong), substep_s=SUBSTEP_S)
    assert str(caught.value) == fault(wrong)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"mue": 0.3}, "mue: unknown field; did you mean mu?"),
        ({"tire": "mf96"}, "tire: unknown field; did you mean tyre?"),
        ({"x y\n": 1}, "'x y\\n': unknown field"),
        ({"cmd_port": 1}, "cmd_port: is fixed when the plant starts; here can be chosen vehicle,"),
        ({"record": "a.vds"}, "record: is fixed when the plant starts"),
        ({"mu": "wet"}, "mu='wet': must be a number"),
        ({"mu": True}, "mu=True: must be a number"),
        ({"mu": 10**400}, "mu=1000000000"),
        ({"seed": 0.5}, "seed=0.5: must be a whole number"),
        ({"vehicle": ["a"]}, "vehicle=['a']: must be a text"),
        ({"level": {}}, "level={}: must be a text"),
        ({"ground": [1]}, "ground=[1]: must be a text"),
    ],
)
def test_what_has_no_meaning_is_refused(document: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        choices.chosen(VehicleSettings(), document)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("name", ["vehicle", "tyre", "ground", "actuator", "sensor"])
@pytest.mark.parametrize("path", ["/etc/passwd", "../secret", "car.yaml", "a" * 300])
def test_no_file_can_be_named(name: str, path: str) -> None:
    with pytest.raises(ParameterError, match="a file is named when the plant starts"):
        choices.chosen(VehicleSettings(), {name: path})


def test_the_file_that_the_vehicle_was_started_with_can_be_kept() -> None:
    started = VehicleSettings(ground="/roads/mine.yaml")
    described = {each["name"]: each for each in choices.described(started)}
    assert "/roads/mine.yaml" in described["ground"]["choices"]
    assert choices.chosen(started, {"ground": "/roads/mine.yaml"}) == started


def test_what_is_left_out_stays_and_null_is_the_default() -> None:
    assert choices.chosen(START, {}) == START
    assert choices.chosen(START, {"tyre": "mf96"}) == replace(START, tyre="mf96")
    assert choices.chosen(START, {"mu": None}) == replace(START, mu=None)
    moved = choices.chosen(START, {"x0": None, "vx0": 12})
    assert moved.start == StartState(x_m=0.0, vx_mps=12.0, vy_mps=0.5)


def test_everything_that_can_be_chosen_is_described() -> None:
    described = choices.described(START)
    assert tuple(each["name"] for each in described) == choices.CHOSEN
    by_name = {each["name"]: each for each in described}
    assert by_name["mu"]["allowed"] == "> 0 and <= 1.2"
    assert by_name["mu"]["value"] == 0.8
    assert by_name["tyre"]["choices"][:2] == ["vehicle", "mf96"]
    assert by_name["level"]["choices"] == ["kinematic", "l1", "l2", "l3"]
    assert by_name["vx0"]["unit"] == "m/s"


@pytest.mark.parametrize(
    "document",
    [{}, {"mu": None, "ground": PATCHES, "vehicle": "compact_fwd"}, {"ground": "flat", "vx0": 7}],
)
def test_the_file_is_what_the_command_line_takes(document: dict[str, Any], tmp_path: Path) -> None:
    wanted = choices.chosen(VehicleSettings(), document)
    file = tmp_path / "car.yaml"
    file.write_text(choices.as_yaml(wanted))
    assert server_settings({"config": str(file)}).vehicles == (wanted,)
    again = choices.chosen(VehicleSettings(mu=0.2, level="l1"), {"mu": None})
    assert choices.chosen(again, choices.document_of(file.read_text())) == wanted


def test_a_ground_among_the_settings_is_that_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "road.yaml"
    file.write_text(choices.as_yaml(VehicleSettings(ground=PATCHES)))
    keys = VehicleSettings(ground=PATCHES)
    (tmp_path / "ground.yaml").write_text(
        "base_mu: 0.8\nsplit: {mu_left: 0.2, mu_right: 0.7}\nx_patches: [[10, 20, 0.3]]\n"
        "polygons: [{points_m: [[0, 0], [1, 0], [1, 1]], mu: 0.4}]\nslope_x: 0.05\n"
    )
    filed = VehicleSettings(ground=str(tmp_path / "ground.yaml"))
    grounds = [build_session(each, substep_s=SUBSTEP_S).vehicle.ground for each in (keys, filed)]
    assert grounds[0] == grounds[1]
