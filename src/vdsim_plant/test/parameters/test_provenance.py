"""Where the figures of a file come from: labels, the nearest entry, faults, shipped files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from vdsim_plant.actuator import ActuatorParameters
from vdsim_plant.layer_files import ACTUATOR_FOLDER, SENSOR_FOLDER
from vdsim_plant.parameters import ParameterError, TyreParameters, VehicleParameters, load_vehicle
from vdsim_plant.parameters.files import TYRE_FOLDER, VEHICLE_FOLDER, read_yaml
from vdsim_plant.parameters.mapping import from_mapping
from vdsim_plant.parameters.provenance import LABELS, label_of, provenance_of
from vdsim_plant.sensor import SensorParameters

SHIPPED = [
    (kind, path)
    for kind, folder in (
        (VehicleParameters, VEHICLE_FOLDER),
        (TyreParameters, TYRE_FOLDER),
        (ActuatorParameters, ACTUATOR_FOLDER),
        (SensorParameters, SENSOR_FOLDER),
    )
    for path in sorted(folder.glob("*.yaml"))
]


@pytest.mark.parametrize(("kind", "path"), SHIPPED, ids=lambda value: getattr(value, "stem", ""))
def test_every_figure_that_is_shipped_has_a_label(kind: type[Any], path: Path) -> None:
    content = read_yaml(path)
    assert isinstance(content, dict)
    given = content["provenance"]
    values = _leaves({key: value for key, value in content.items() if key != "provenance"})
    for key in values - {"name", "description"}:
        parts = key.split(".")
        nearest = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
        assert any(entry in given for entry in nearest), key
    assert {label_of(text) for text in provenance_of(kind, content).values()} <= set(LABELS)


def test_the_nearest_entry_counts_and_what_has_none_is_assumed() -> None:
    labels = provenance_of(
        VehicleParameters,
        {"provenance": {"body": "published", "body.mass_kg": "measured: on a scale"}},
    )
    assert labels["body.mass_kg"] == "measured: on a scale"
    assert labels["body.yaw_inertia_kgm2"] == "published"
    assert labels["aero.drag_coefficient"] == "assumed"
    assert "name" not in labels


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"body.mass": "measured"}, "car.yaml: provenance.body.mass: unknown key"),
        ({"body.mass_kg": "guessed"}, "car.yaml: provenance.body.mass_kg='guessed': must be one"),
        ({"body.mass_kg": 3}, "car.yaml: provenance.body.mass_kg=3: must be one of identified"),
        (["body"], "car.yaml: provenance=['body']: must be a group of keys"),
    ],
)
def test_a_wrong_entry_is_one_line(given: object, text: str) -> None:
    content = {**_content(), "provenance": given}
    with pytest.raises(ParameterError) as caught:
        from_mapping(VehicleParameters, content, source="car.yaml")
    assert str(caught.value).startswith(text)
    assert "\n" not in str(caught.value)


def test_labels_change_nothing_about_the_car() -> None:
    content = _content()
    labelled = from_mapping(VehicleParameters, {**content, "provenance": {"body": "measured"}})
    content.pop("provenance")
    assert repr(from_mapping(VehicleParameters, content)) == repr(labelled)
    assert labelled.name == load_vehicle("ioniq5_awd").name


def _content() -> dict[str, Any]:
    content = read_yaml(VEHICLE_FOLDER / "ioniq5_awd.yaml")
    assert isinstance(content, dict)
    return content


def _leaves(group: dict[str, Any], prefix: str = "") -> set[str]:
    found: set[str] = set()
    for key, value in group.items():
        found |= _leaves(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key}
    return found
