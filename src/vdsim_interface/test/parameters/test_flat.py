from pathlib import Path

import pytest
import yaml
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.flat import changed, declarations, flatten, from_flat, to_flat
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.platforms.discovery import discover

CONFIG = Path(__file__).resolve().parents[2] / "config"


def test_names_types_and_texts_of_all_declarations() -> None:
    found = {item.name: item for item in declarations(InterfaceParameters())}
    assert found["safety.accel_max_mps2"].kind is float
    assert found["safety.accel_max_mps2"].live
    assert not found["rate_hz"].live
    assert found["filter.front_wheel_angle.type"].allowed.choices[0] == "off"
    assert found["safety.steer_rate_max_radps"].many
    for item in found.values():
        assert item.doc, item.name
        assert item.default is not None


def test_flat_and_back() -> None:
    flat = to_flat(InterfaceParameters())
    flat["safety.accel_max_mps2"] = 2.5
    flat["filter.long_accel.type"] = "butterworth"
    made = from_flat(InterfaceParameters, flat)
    assert made.safety.accel_max_mps2 == 2.5
    assert made.filter.long_accel.type == "butterworth"
    assert to_flat(made) == flat


def test_unknown_names_are_refused_with_a_hint() -> None:
    with pytest.raises(ParameterError, match=r"safety.acel_max_mps2=1: is not a parameter") as e:
        from_flat(InterfaceParameters, {"safety.acel_max_mps2": 1})
    assert "did you mean safety.accel_max_mps2" in str(e.value)
    with pytest.raises(ParameterError) as e:
        from_flat(InterfaceParameters, {"zzzz": 1})
    assert "did you mean" not in str(e.value)


def test_what_may_change_while_active() -> None:
    before = InterfaceParameters()
    after = changed(before, {"safety.accel_max_mps2": 2.0}, active=True)
    assert after.safety.accel_max_mps2 == 2.0
    assert before.safety.accel_max_mps2 == 3.0
    with pytest.raises(ParameterError, match=r"rate_hz=50.0: cannot change while the node is act"):
        changed(before, {"rate_hz": 50.0}, active=True)
    assert changed(before, {"rate_hz": 50.0}, active=False).rate_hz == 50.0
    assert changed(before, {"rate_hz": 100.0}, active=True) == before
    with pytest.raises(ParameterError, match=r"safety.accel_max_mps2=-2.0: must be >= 0.1"):
        changed(before, {"safety.accel_max_mps2": -2.0}, active=True)


def test_the_shipped_yaml_holds_exactly_the_defaults() -> None:
    """config/vehicle_interface.yaml shows every parameter with its default."""
    tree = yaml.safe_load((CONFIG / "vehicle_interface.yaml").read_text(encoding="utf-8"))
    flat = flatten(tree["/**"]["ros__parameters"])
    own = {name: value for name, value in flat.items() if name in to_flat(InterfaceParameters())}
    assert from_flat(InterfaceParameters, own) == InterfaceParameters()
    assert set(own) == set(to_flat(InterfaceParameters()))
    rest = {name: value for name, value in flat.items() if name not in own}
    for spec in discover().values():
        mine = {n: v for n, v in rest.items() if n.partition(".")[0] == spec.parameters.PREFIX}
        assert from_flat(spec.parameters, mine) == spec.parameters(), spec.name
        assert set(mine) == set(to_flat(spec.parameters())), spec.name
        rest = {name: value for name, value in rest.items() if name not in mine}
    others = {"output", "process", "guard", "autostart", "arbitration"}
    assert {name.partition(".")[0] for name in rest} <= others
