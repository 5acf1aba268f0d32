"""Names from elsewhere are refused, and the error names ours."""

import inspect
from pathlib import Path

import pytest
import vdsim_plant.ground
import yaml
from vdsim_plant.parameters import ParameterError, load_vehicle
from vdsim_plant.parameters.files import VEHICLE_FOLDER
from vdsim_plant.parameters.other_names import ARGUMENTS, ATTRIBUTES, IMPORTS, KEYS

import vdsim_plant
from vdsim_plant import RealTimeRunner, SimSession, VDSimPlant

CALLS = {
    "VDSimPlant": VDSimPlant,
    "SimSession": SimSession,
    "RealTimeRunner": RealTimeRunner,
    "Ground": vdsim_plant.ground.Ground,
}
ARGUMENT_CASES = [(call, *pair) for call in ARGUMENTS for pair in ARGUMENTS[call].items()]
MODULES = {"vdsim_plant": vdsim_plant, "vdsim_plant.ground": vdsim_plant.ground}
OBJECTS = {
    "VDSimPlant": VDSimPlant,
    "SimSession": SimSession,
}
ATTRIBUTE_CASES = [(owner, *pair) for owner in ATTRIBUTES for pair in ATTRIBUTES[owner].items()]
SHIPPED = yaml.safe_load((VEHICLE_FOLDER / "ioniq5_awd.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("call", "name", "ours"), ARGUMENT_CASES)
def test_an_argument_from_elsewhere_is_refused_with_ours(call: str, name: str, ours: str) -> None:
    # [VS-1.8] [VS-2.9]
    known = inspect.signature(CALLS[call]).parameters
    assert name not in known
    assert ours in known
    first = (SimSession(),) if call == "RealTimeRunner" else ()
    with pytest.raises(TypeError) as caught:
        CALLS[call](*first, **{name: 0.5})
    assert str(caught.value) == f"{name}: no such argument; did you mean {ours}?"


def test_a_misspelt_argument_is_refused_with_the_nearest_or_all() -> None:
    with pytest.raises(TypeError, match=r"^controldt: no such argument; did you mean control_dt"):
        VDSimPlant(controldt=0.1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^zzz: no such argument; there are config, friction_map"):
        VDSimPlant(zzz=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^dt: no such argument; there are vehicle, initial"):
        SimSession(dt=0.01)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", KEYS)
def test_a_key_from_elsewhere_is_refused_with_ours(name: str, tmp_path: Path) -> None:
    group, _, key = KEYS[name].partition(".")
    assert key in SHIPPED[group]
    path = tmp_path / "car.yaml"
    path.write_text(yaml.safe_dump({**SHIPPED, name: 1.0}), encoding="utf-8")
    with pytest.raises(ParameterError, match=rf"{name}: unknown key; did you mean {KEYS[name]}\?"):
        load_vehicle(path)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("name", IMPORTS)
def test_an_import_from_elsewhere_is_refused_with_ours(module: str, name: str) -> None:
    # [VS-1.8] [VS-2.9]
    with pytest.raises(ImportError) as caught:
        exec(f"from {module} import {name}", {})
    assert str(caught.value) == f"{module}.{name}: no such name; here it is {IMPORTS[name]}"
    with pytest.raises(ImportError, match=f"{name}: no such name"):
        getattr(MODULES[module], name)


def test_any_other_missing_name_is_missing_as_usual() -> None:
    for module in MODULES.values():
        with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
            module.nonsense  # noqa: B018
        assert not hasattr(module, "nonsense")
    with pytest.raises(AttributeError, match="'VDSimPlant' object has no attribute 'nonsense'"):
        VDSimPlant().nonsense  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize(("owner", "name", "ours"), ATTRIBUTE_CASES)
def test_an_attribute_from_elsewhere_is_refused_with_ours(owner: str, name: str, ours: str) -> None:
    # [VS-1.8] [VS-2.9]
    with pytest.raises(AttributeError) as caught:
        getattr(OBJECTS[owner](), name)
    assert str(caught.value) == f"{owner}.{name}: no such attribute; here it is {ours}"


def test_what_is_named_as_ours_is_there() -> None:
    for owner, names in ATTRIBUTES.items():
        thing = OBJECTS[owner]()
        for ours in names.values():
            call = ours.partition("(")[0]
            attribute = call.partition(".")[0]
            assert hasattr(thing, attribute), ours
            if ")." in ours:
                fields = ours.partition(").")[2].split(", ")
                assert all(hasattr(getattr(thing, attribute)(), field) for field in fields), ours
