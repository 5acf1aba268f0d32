"""Names from elsewhere are refused, and the error names ours."""

import inspect
from pathlib import Path

import pytest
import yaml
from vdsim_plant.parameters import ParameterError, load_vehicle
from vdsim_plant.parameters.files import VEHICLE_FOLDER
from vdsim_plant.parameters.other_names import ARGUMENTS, KEYS

from vdsim_plant import VDSimPlant

OURS = set(inspect.signature(VDSimPlant).parameters)
SHIPPED = yaml.safe_load((VEHICLE_FOLDER / "ioniq5_awd.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_argument_from_elsewhere_is_refused_with_ours(name: str) -> None:
    assert name not in OURS
    assert ARGUMENTS[name] in OURS
    with pytest.raises(TypeError) as caught:
        VDSimPlant(**{name: 0.5})  # type: ignore[arg-type]
    assert str(caught.value) == f"{name}: no such argument; did you mean {ARGUMENTS[name]}?"


def test_a_misspelt_argument_is_refused_with_the_nearest_or_all() -> None:
    with pytest.raises(TypeError, match=r"^controldt: no such argument; did you mean control_dt"):
        VDSimPlant(controldt=0.1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^zzz: no such argument; there are config, friction_map"):
        VDSimPlant(zzz=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", KEYS)
def test_a_key_from_elsewhere_is_refused_with_ours(name: str, tmp_path: Path) -> None:
    group, _, key = KEYS[name].partition(".")
    assert key in SHIPPED[group]
    path = tmp_path / "car.yaml"
    path.write_text(yaml.safe_dump({**SHIPPED, name: 1.0}), encoding="utf-8")
    with pytest.raises(ParameterError, match=rf"{name}: unknown key; did you mean {KEYS[name]}\?"):
        load_vehicle(path)
