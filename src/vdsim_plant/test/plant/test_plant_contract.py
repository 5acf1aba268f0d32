"""What VDSimPlant promises its users: keys, types, frames, messages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from vdsim_plant.ground import Ground, SplitMu, load_ground
from vdsim_plant.layer_files import load_actuator, load_sensor
from vdsim_plant.parameters import load_tyre, load_vehicle
from vdsim_plant.parameters.files import TYRE_FOLDER
from vdsim_plant_kit.drives import CRUISE, drive

from vdsim_plant import Observation, VDSimPlant, WheelObservation


def _complete(obs: Observation) -> None:
    assert set(obs) == set(Observation.__annotations__)
    assert len(obs["wheel"]) == 4
    for wheel in obs["wheel"]:
        assert set(wheel) == set(WheelObservation.__annotations__)
        assert all(type(value) is float and math.isfinite(value) for value in wheel.values())
    body = [value for key, value in obs.items() if key != "wheel"]
    assert all(type(value) is float and math.isfinite(value) for value in body)


@pytest.mark.parametrize("tyre", ["mf96", "road_235_55r19"])
@pytest.mark.parametrize("level", ["kinematic", "l1", "l2", "l3"])
def test_observation_is_complete_from_reset_on(tyre: str, level: str) -> None:
    # [VS-2.4]
    for obs in drive(VDSimPlant(tyre=tyre, level=level), [(0.05, -3000.0)] * 5):
        _complete(obs)


def test_reset_shows_the_given_state_and_wheels_without_slip() -> None:
    # [VS-2.7.1]
    state0 = [3.0, -2.0, 0.7, 16.7, 0.2, 0.1]
    obs = VDSimPlant().reset(state0)
    assert [obs["X"], obs["Y"], obs["psi"], obs["vx"], obs["vy"], obs["r"]] == state0
    assert [wheel["kappa"] for wheel in obs["wheel"]] == pytest.approx([0.0] * 4, abs=1e-15)
    assert obs["t"] == 0.0
    assert [wheel["Fz"] for wheel in obs["wheel"]] == pytest.approx(
        [7010.269, 7010.269, 4556.675, 4556.675], abs=1e-3
    )


def test_signs_follow_iso_8855() -> None:
    # [VS-0.6]
    obs = drive(VDSimPlant(), [(0.03, 0.0)] * 20)[-1]
    assert obs["r"] > 0.0
    assert obs["Y"] > 0.0
    assert obs["ay"] > 0.0
    assert obs["roll"] > 0.0  # leans out of the turn, right side down
    fl, fr, rl, rr = obs["wheel"]
    assert fl["Fy"] > 0.0 > fl["alpha"]
    assert fr["Fz"] > fl["Fz"]
    assert rr["Fz"] > rl["Fz"]
    braked = drive(VDSimPlant(), [(0.0, -6000.0)] * 10)[-1]
    assert braked["pitch"] > 0.0  # nose down
    assert braked["wheel"][0]["Fz"] > 7010.3
    assert all(wheel["kappa"] < 0.0 > wheel["Fx"] for wheel in braked["wheel"])


def test_time_counts_periods() -> None:
    assert drive(VDSimPlant(), [(0.0, 0.0)] * 20)[-1]["t"] == pytest.approx(1.0, abs=1e-12)


def test_wheel_mu_is_what_the_observation_says() -> None:
    # [VS-2.2]
    plant = VDSimPlant(ground=Ground(split=SplitMu(mu_left=0.3, mu_right=0.8)))
    plant.reset(list(CRUISE))
    obs = plant.step([0.0, 0.0])
    assert plant.wheel_mu() == (0.3, 0.8, 0.3, 0.8)
    assert [wheel["mu"] for wheel in obs["wheel"]] == [0.3, 0.8, 0.3, 0.8]


def test_a_vehicle_may_be_a_name_a_file_name_or_parameters() -> None:
    expected = drive(VDSimPlant("ioniq5_awd"), [(0.01, 100.0)])
    assert drive(VDSimPlant("ioniq5_awd.yaml"), [(0.01, 100.0)]) == expected
    assert drive(VDSimPlant(load_vehicle("ioniq5_awd")), [(0.01, 100.0)]) == expected


def test_everything_that_has_presets_may_be_given_by_name_or_path() -> None:
    named = VDSimPlant(
        ground="low_mu_patch",
        tyre=TYRE_FOLDER / "road_235_55r19.tir",
        actuators="passenger_car",
        sensors="automotive",
    )
    loaded = VDSimPlant(
        ground=load_ground("low_mu_patch"),
        tyre=load_tyre("road_235_55r19"),
        actuators=load_actuator("passenger_car"),
        sensors=load_sensor("automotive"),
    )
    inputs = [(0.01, 100.0)] * 5
    assert drive(named, inputs) == drive(loaded, inputs)
    assert named.measured() == loaded.measured()


def test_a_map_of_polygons_is_under_the_wheels_that_are_in_it() -> None:
    left = {"polygon": [(-50.0, 0.0), (50.0, 0.0), (50.0, 6.0), (-50.0, 6.0)], "mu": 0.3}
    plant = VDSimPlant(friction_map_2d=[left], base_mu=0.8)
    plant.reset([0.0, 0.0, 0.0, 5.0, 0.0, 0.0])
    plant.step([0.0, 0.0])
    assert list(plant.wheel_mu()) == pytest.approx([0.3, 0.8, 0.3, 0.8])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"friction_map": [(0, 10, 0.5), (3, 2, 0.5)]}, r"friction_map\[1\]: x0>=x1"),
        ({"friction_map": [(0, 10, 0.0)]}, r"friction_map\[0\].mu=0.*> 0"),
        ({"friction_map": [(0, 10)]}, r"friction_map\[0\]"),
        ({"friction_map": [(0, math.nan, 0.5)]}, r"friction_map\[0\]"),
        ({"base_mu": -1.0}, "base_mu=-1"),
        ({"base_mu": math.nan}, "base_mu=nan"),
        ({"base_mu": np.array([0.5])}, r"base_mu=\[0.5\]: must be a number"),
        ({"limit_to_motor": "no"}, "limit_to_motor='no': must be True or False"),
        ({"allow_coarse_substep": "no"}, "allow_coarse_substep='no': must be True or False"),
        ({"control_dt": 0.0}, "control_dt=0"),
        ({"control_dt": math.inf}, "control_dt=inf"),
        ({"substep_dt": -1e-3}, "substep_dt=-0.001"),
        ({"substep_dt": 0.003}, "substep_dt=0.003: must divide control_dt=0.05"),
        ({"substep_dt": 0.2}, "substep_dt=0.2: must divide control_dt=0.05"),
        ({"substep_dt": "fast"}, "substep_dt='fast'"),
        ({"config": "no_such_car"}, "config='no_such_car'"),
        ({"config": ""}, "config=''"),
        (
            {"config": "/nonexist.yaml"},
            "config='/nonexist.yaml': must be a .yaml file or one of .*; there is no such file$",
        ),
        ({"level": 2}, "level=2: must be one of kinematic, l1, l2, l3"),
        ({"level": "l9"}, "level='l9': must be one of kinematic, l1, l2, l3"),
        ({"config": 7}, "config=7: must be a preset name, a path or VehicleParameters"),
        ({"friction_map": [(0, 1, 0.5)], "ground": Ground()}, "ground: is given as well as fric"),
        ({"friction_map": [], "friction_map_2d": []}, "friction_map_2d: is given as well as fric"),
        (
            {"friction_map_2d": [], "ground": Ground()},
            "ground: is given as well as friction_map_2d",
        ),
        ({"friction_map_2d": [{"mu": 0.5}]}, r"friction_map_2d\[0\]=.*must be \{polygon"),
        ({"friction_map_2d": [{"polygon": [(0, 0)], "mu": 0.5}]}, r"\[0\].polygon: has 1 points"),
        ({"friction_map_2d": 3}, "friction_map_2d=3: must be a list of"),
        ({"base_mu": 0.5, "ground": Ground()}, "ground: is given as well as base_mu: give one of"),
        ({"base_mu": -3.0, "ground": "dry"}, "ground: is given as well as base_mu: give one of"),
        ({"control_dt": 0.5, "substep_dt": 0.25}, "substep_dt=0.25: must be > 0 and <= 0.1 s"),
        ({"ground": 0.5}, "ground=0.5: must be a preset name, a path or Ground"),
        ({"ground": "moon"}, "ground='moon': must be a .yaml file or one of"),
        ({"tyre": 3}, "tyre=3: must be a preset name, a path or TyreParameters"),
        ({"tyre": "square"}, "tyre='square': must be a .yaml or .tir file or one of"),
        ({"actuators": 1}, "actuators=1: must be a preset name, a path or ActuatorParameters"),
        ({"actuators": "slow"}, r"actuators='slow': must be a \.yaml file or one of ideal, pass"),
        ({"sensors": "none"}, r"sensors='none': must be a \.yaml file or one of ideal, autom"),
        ({"seed": "a"}, "seed='a': must be a whole number"),
    ],
)
def test_construction_names_what_is_wrong(arguments: dict[str, Any], message: str) -> None:
    # [VS-2.5]
    with pytest.raises(ValueError, match=message):
        VDSimPlant(**arguments)


@pytest.mark.parametrize(
    ("state0", "message"),
    [
        ([0.0] * 5, "state0 has 5 values|state0: has 5 values"),
        ([0.0, 0.0, 0.0, math.nan, 0.0, 0.0], r"state0\[3\] \(vx\)=nan"),
        ([0.0, 0.0, 0.0, 1e300, 0.0, 0.0], r"state0\[3\] \(vx\)=1e\+300: must be -150 to 150"),
        (["a"] * 6, "state0="),
        ([10**400] * 6, "state0="),
        (7.0, "state0="),
    ],
)
def test_reset_names_what_is_wrong(state0: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        VDSimPlant().reset(state0)


@pytest.mark.parametrize(
    ("u", "message"),
    [
        ([math.nan, 0.0], r"u\[0\] \(delta\)=nan"),
        ([0.0, math.inf], r"u\[1\] \(Fx\)=inf"),
        ([0.0], "u="),
        ([0.0, 1.0, 2.0], "u="),
        (["x", 0.0], "u="),
        ([10**400, 0.0], "u="),
        (None, "u=None"),
    ],
)
def test_step_names_what_is_wrong_and_changes_nothing(u: Any, message: str) -> None:
    # [VS-2.8.2]
    plant = VDSimPlant()
    plant.reset(list(CRUISE))
    before = plant.snapshot()
    with pytest.raises(ValueError, match=message):
        plant.step(u)
    assert plant.snapshot() == before


def test_steering_is_cut_to_the_cars_limit() -> None:
    assert drive(VDSimPlant(), [(1.0, 0.0)] * 3) == drive(VDSimPlant(), [(0.55, 0.0)] * 3)
