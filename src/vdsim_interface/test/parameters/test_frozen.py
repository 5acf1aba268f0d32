"""What decides over safety cannot change while the car is driven or stopped; its hash."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from vdsim_interface.controller.parameters import ControllerParameters
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.flat import changed, to_flat
from vdsim_interface.parameters.frozen import (
    check_frozen,
    frozen_because,
    is_frozen,
    safety_hash,
)
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import Authority, Mode, VehicleCommand
from vdsim_interface_kit.interface import CRUISE, Drive
from vdsim_interface_kit.live_parameters import NEEDS, other_value

BASE = InterfaceParameters()


@pytest.mark.parametrize("mode", [Mode.AUTONOMOUS, Mode.NOT_READY])
@pytest.mark.parametrize("authority", list(Authority))
@pytest.mark.parametrize("moving", [True, False])
def test_autonomy_freezes(mode: Mode, authority: Authority, moving: bool) -> None:
    why = frozen_because(mode, authority, moving=moving)
    assert why == f"disengage first; it cannot change in mode {mode.name}"


@pytest.mark.parametrize("mode", [Mode.MANUAL, Mode.DISENGAGED])
def test_a_stop_freezes_until_the_car_stands(mode: Mode) -> None:
    why = frozen_because(mode, Authority.IDLE, moving=True)
    assert (
        why == f"wait until the car stands; it cannot change in mode {mode.name} during a safe stop"
    )
    assert frozen_because(mode, Authority.IDLE, moving=False) == ""
    assert frozen_because(mode, Authority.SILENT, moving=True) == ""


def test_gains_stay_live_and_limits_do_not() -> None:
    frozen = {name for name in to_flat(BASE) if is_frozen(name)}
    assert {name.split(".")[0] for name in frozen} == {"control_command", "safety", "vehicle"}
    assert {"safety.stop_decel_mps2", "vehicle.wheelbase_m", "safety.rig"} < frozen
    assert not any(is_frozen(name) for name in to_flat(BASE) if name.startswith("controller."))


def test_a_check_names_what_differs_and_lets_the_rest_pass() -> None:
    slower = replace(BASE, safety=replace(BASE.safety, stop_decel_mps2=1.5))
    with pytest.raises(ParameterError, match=r"safety\.stop_decel_mps2=1\.5: no"):
        check_frozen(to_flat(BASE), to_flat(slower), "no")
    check_frozen(to_flat(BASE), to_flat(slower), "")
    gains = replace(BASE, controller=replace(BASE.controller, kp_1ps=0.7))
    check_frozen(to_flat(BASE), to_flat(gains), "no")


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("safety.stop_decel_mps2", 0.001, "must be >= 1 and <= 10"),
        ("safety.stop_jerk_mps3", 0.0001, "must be >= 1 and <= 100"),
        ("safety.decel_max_mps2", 0.5, "must be >= 1 and <= 15"),
        ("safety.brake_jerk_max_mps3", 0.1, "must be >= 1 and <= 1000"),
        ("safety.standstill_hold_mps2", 0.01, "must be >= 0.5 and <= 10"),
        ("safety.standstill_speed_mps", 0.0001, "must be >= 0.01 and <= 1"),
    ],
)
def test_no_value_leaves_no_stop(name: str, value: float, rule: str) -> None:
    with pytest.raises(ParameterError) as caught:
        changed(BASE, {name: value}, active=False)
    assert str(caught.value) == f"{name}={value}: {rule}"


@pytest.mark.parametrize("level", ["vehicle", "high_level"])
def test_with_every_value_at_its_floor_the_car_still_stops(level: str) -> None:
    floors = SafetyParameters(
        auto_engage=True,
        stop_decel_mps2=1.0,
        stop_jerk_mps3=1.0,
        decel_max_mps2=1.0,
        brake_jerk_max_mps3=1.0,
        standstill_hold_mps2=0.5,
        standstill_speed_mps=0.01,
    )
    controller = ControllerParameters(standstill_speed_mps=0.01)
    drive = Drive(level, floors, controller=controller).engaged()
    drive.run(3.0, CRUISE if level == "high_level" else VehicleCommand(0.0, 1.0))
    assert drive.speed > 1.0
    drive.run(20.0)
    assert abs(drive.speed) < 0.05


@pytest.mark.parametrize("name", sorted(name for name in to_flat(BASE) if is_frozen(name)))
def test_the_hash_depends_on_every_frozen_value(name: str) -> None:
    base = changed(BASE, NEEDS.get(name, {}), active=False)
    other = changed(base, {name: other_value(base, name)}, active=False)
    assert safety_hash(other) != safety_hash(base)
    again = changed(other, {name: to_flat(base)[name]}, active=False)
    assert safety_hash(again) == safety_hash(base)


def test_the_hash_is_the_same_in_every_process_and_for_equal_values() -> None:
    same: Any = changed(BASE, {"vehicle.wheelbase_m": 2.97, "controller.kp_1ps": 0.9}, active=False)
    assert safety_hash(same) == safety_hash(BASE)
    assert len(safety_hash(BASE)) == 16
    int(safety_hash(BASE), 16)


def test_the_status_has_the_hash_of_what_is_in_effect() -> None:
    drive = Drive("vehicle")
    assert drive.pipeline.safety_side.status(0.0).parameters_hash == safety_hash(drive.parameters)
    after = changed(drive.parameters, {"safety.stop_decel_mps2": 2.0}, active=True)
    drive.pipeline.configure(after)
    assert drive.pipeline.safety_side.status(0.0).parameters_hash == safety_hash(after)
    assert safety_hash(after) != safety_hash(drive.parameters)
