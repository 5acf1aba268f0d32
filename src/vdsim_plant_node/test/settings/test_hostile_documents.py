"""Any value in any place of a document is taken, or refused in one line that names the file."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vdsim_plant.ground import load_ground
from vdsim_plant.layer_files import load_actuator, load_sensor
from vdsim_plant.parameters import ParameterError, load_tyre, load_vehicle
from vdsim_plant.parameters.files import DATA_FOLDER
from vdsim_plant_node.morai.settings import load_settings
from vdsim_plant_node.scenario.reader import load_scenario
from vdsim_plant_node.settings.fleet import load_fleet

ROOT = Path(__file__).resolve().parents[4]
READERS: dict[str, tuple[Callable[[Path], object], Path]] = {
    "fleet": (load_fleet, ROOT / "examples/fleet.yaml"),
    "scenario": (load_scenario, ROOT / "examples/scenarios/lost_link.yaml"),
    "MORAI scene": (
        lambda path: load_settings(path, {}),
        ROOT / "src/vdsim_interface/config/morai_emulator.yaml",
    ),
    "ground": (lambda path: load_ground(str(path)), DATA_FOLDER / "grounds/split_mu.yaml"),
    "vehicle": (lambda path: load_vehicle(str(path)), DATA_FOLDER / "vehicles/ioniq5_awd.yaml"),
    "tyre": (lambda path: load_tyre(str(path)), DATA_FOLDER / "tyres/mf96.yaml"),
    "actuator": (
        lambda path: load_actuator(str(path)),
        DATA_FOLDER / "actuators/passenger_car.yaml",
    ),
    "sensor": (lambda path: load_sensor(str(path)), DATA_FOLDER / "sensors/automotive.yaml"),
}
WRONG: list[Any] = [
    *(None, True, 0, -1, 3, 1e308, float("nan"), float("inf"), 10**400, 10**30),
    *("", "x", "../..", "\x00", "two\nlines", "2020-01-01", b"x"),
    *([], [1], [[1]], [None], [{}], {}, {"a": 1}, {1: 1}),
]


def places(document: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    if isinstance(document, dict):
        for key, value in document.items():
            yield from places(value, (*place, key))
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from places(value, (*place, index))


def changed(document: Any, place: tuple[Any, ...], value: Any) -> Any:
    if not place:
        return value
    result = copy.deepcopy(document)
    inside = result
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    return result


def fault(read: Callable[[Path], object], path: Path) -> str:
    try:
        read(path)
    except ParameterError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("kind", READERS)
@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_a_wrong_value_is_taken_or_refused(kind: str, tmp_path: Path, data: st.DataObject) -> None:
    read, shipped = READERS[kind]
    document = yaml.safe_load(shipped.read_text(encoding="utf-8"))
    place = data.draw(st.sampled_from(list(places(document))))
    wrong = changed(document, place, data.draw(st.sampled_from(WRONG)))
    path = tmp_path / "changed.yaml"
    path.write_text(yaml.safe_dump(wrong), encoding="utf-8")
    line = fault(read, path)
    assert line == "" or "changed.yaml: " in line
    assert "\n" not in line
