"""VDSim's world files become the options of our server; what it cannot do is refused by its key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant_node.cli.world_file import load_world
from vdsim_plant_node.settings.options import server_settings

CAR = {
    "mass": 2359.0, "inertia_diag": [1200.0, 4200.0, 3400.0], "wheelbase": 2.97,
    "cg_to_front": 1.17, "cg_to_rear": 1.80, "track_front": 1.635, "track_rear": 1.635,
    "cg_height": 0.58, "wheel_radius_nominal": 0.338, "drive_type": "AWD",
}  # fmt: skip
TYRE = {"B_long": 14.24, "E_long": 0.97, "B_lat": 14.24, "E_lat": -1.0, "mu_nominal": 0.9}
WORLD: dict[str, Any] = {
    "rate": 100,
    "cmd_timeout": 0.2,
    "mu": 0.7,
    "vehicles": [
        {"id": 3, "vehicle": "parts/car.yaml", "tire": "parts/tyre.yaml", "level": "L2",
         "x0": -15.0, "y0": 1.5, "yaw0": 0.1, "vx0": 12.0},
        {"id": 4, "vehicle": "parts/car.yaml", "tire": "parts/tyre.yaml", "level": "L1"},
    ],
}  # fmt: skip


def world(folder: Path, **changes: Any) -> Path:
    (folder / "parts").mkdir(exist_ok=True)
    (folder / "out").mkdir(exist_ok=True)
    (folder / "parts/car.yaml").write_text(yaml.safe_dump(CAR), encoding="utf-8")
    (folder / "parts/tyre.yaml").write_text(yaml.safe_dump(TYRE), encoding="utf-8")
    path = folder / "world.yaml"
    path.write_text(yaml.safe_dump({**WORLD, **changes}), encoding="utf-8")
    return path


def test_vehicles_road_rate_and_time_out_are_taken(tmp_path: Path) -> None:
    found = load_world(world(tmp_path), tmp_path / "out")
    settings = server_settings(found.options)
    assert settings.state_rate_hz == 100.0
    first, second = settings.vehicles
    assert (first.vehicle_id, first.level, first.mu) == (3, "l2", 0.7)
    assert (first.start.x_m, first.start.y_m) == (-15.0, 1.5)
    assert (first.start.yaw_rad, first.start.vx_mps) == (0.1, 12.0)
    assert first.failsafe.timeout_s == 0.2
    assert (second.vehicle_id, second.level, second.start.vx_mps) == (4, "l1", 0.0)
    assert Path(first.vehicle).is_file()


def test_a_split_road_and_the_group_sim(tmp_path: Path) -> None:
    path = world(tmp_path, mu_right=0.2, sim={"rate": 50.0, "time_scale": 1.0})
    settings = server_settings(load_world(path, tmp_path / "out").options)
    assert settings.state_rate_hz == 50.0
    split = {"mu_left": 0.7, "mu_right": 0.2}
    assert settings.vehicles[0].ground == {"base_mu": 0.7, "split": split}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"grade": 0.1}, "world.yaml: grade=0.1: must be left out: a slope is slope_x"),
        ({"terrain": "hill.bin"}, "world.yaml: terrain='hill.bin': must be left out"),
        ({"time_scale": 0.5}, "world.yaml: time_scale=0.5: must be 1: this server runs in real"),
        ({"vehicles": [], "fleet": [{"id": 0}]}, "world.yaml: fleet: is a scene of VDSim's"),
        ({"vehicles": []}, "world.yaml: vehicles: must be a list of vehicles"),
        ({"vehicle": 1}, "world.yaml: vehicle: unknown key"),
        (
            {"vehicles": [{"vehicle": "gone.yaml", "tire": "t"}]},
            "world.yaml: vehicles[0].vehicle='gone.yaml': no such file from here",
        ),
        (
            {"vehicles": [{**WORLD["vehicles"][0], "tire_rear": "parts/tyre.yaml"}]},
            "world.yaml: vehicles[0].tire_rear='parts/tyre.yaml': must be left out",
        ),
    ],
)
def test_what_this_plant_cannot_do_is_refused_by_its_key(
    changes: dict[str, Any], text: str, tmp_path: Path
) -> None:
    with pytest.raises(ParameterError) as caught:
        load_world(world(tmp_path, **changes), tmp_path / "out")
    assert str(caught.value).startswith(text)


def test_what_changes_nothing_is_noted(tmp_path: Path) -> None:
    car = {**WORLD["vehicles"][0], "front_susp": "kin.yaml"}
    found = load_world(world(tmp_path, comms="c.yaml", vehicles=[car]), tmp_path / "out")
    assert "world.yaml: comms: not used here" in found.notes
    assert "vehicles[0].front_susp: not used here" in found.notes
