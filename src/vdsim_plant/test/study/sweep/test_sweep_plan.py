"""A sweep file: its cases, its draws, and what a user gets wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from vdsim_plant.parameters import ParameterError
from vdsim_plant.study.sweep.cases import changed_car
from vdsim_plant.study.sweep.plan import plan_of, read_plan

BRAKE = {"manoeuvres": {"straight_brake": {"speed_mps": [10, 20]}}}
ROLLING = "tyre.rolling_resistance"


def test_the_cases_are_every_combination_in_the_order_of_the_file() -> None:
    plan = plan_of({**BRAKE, "mu": [0.9, 0.5], "parameters": {"body.mass_kg": [1900, 2300]}})
    seen = [(c.options["speed_mps"], c.mu, c.parameters["body.mass_kg"]) for c in plan.cases]
    assert seen == [(s, m, kg) for s in (10, 20) for m in (0.9, 0.5) for kg in (1900, 2300)]
    assert [case.number for case in plan.cases] == list(range(8))
    assert plan.varied == ("mu", "option.speed_mps", "body.mass_kg")


def test_a_seed_draws_the_same_value_whatever_else_is_drawn() -> None:
    drawn = {ROLLING: {"low": 0.01, "high": 0.02}}
    more = {"aero.drag_coefficient": {"low": 0.2, "high": 0.4}, **drawn}
    few = plan_of({"manoeuvres": ["straight_brake"], "parameters": drawn, "seeds": 3})
    many = plan_of({"manoeuvres": ["straight_brake"], "parameters": more, "seeds": 4})
    values = [case.parameters[ROLLING] for case in few.cases]
    assert values == [case.parameters[ROLLING] for case in list(many.cases)[:3]]
    assert len(set(values)) == 3
    assert all(0.01 <= value <= 0.02 for value in values)


def test_a_case_drives_the_car_with_its_parameters() -> None:
    plan = plan_of({**BRAKE, "parameters": {"body.mass_kg": 2000, ROLLING: 0.02}})
    part = plan.part(0)
    vehicle, tyre = changed_car(part.cars["ioniq5_awd"], part.cases[0].parameters)
    assert vehicle.body.mass_kg == 2000.0
    assert tyre.rolling_resistance == 0.02


def test_another_value_is_another_sweep() -> None:
    same, other = plan_of(BRAKE), plan_of({**BRAKE, "mu": 0.8})
    assert same.fingerprint == plan_of(BRAKE).fingerprint
    assert same.fingerprint != other.fingerprint


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[]", "file: must be a mapping with manoeuvres"),
        ("a: [", "line 1: not YAML"),
        ("mu: 1", "manoeuvres: must be one or more of straight_brake, step_steer"),
        ("manoeuvres: [step_ster]", "manoeuvres.step_ster: is unknown; did you mean step_steer?"),
        ("manoeuvres: {step_steer: {speed: 2}}", "manoeuvres.step_steer.speed: is unknown"),
        ("manoeuvres: {step_steer: 3}", "manoeuvres.step_steer: must be a mapping"),
        (
            "manoeuvres: {step_steer: {speed_mps: [x]}}",
            "manoeuvres.step_steer.speed_mps='x': must be a finite number",
        ),
        ("manoeuvres: [step_steer]\nseed: 3", "seed: is unknown; did you mean seeds?"),
        ("manoeuvres: [step_steer]\nseeds: 0", "seeds=0: must be 1 to"),
        ("manoeuvres: [step_steer]\nseeds: 2", "seeds=2: must be 1 where no parameter has"),
        ("manoeuvres: [step_steer]\nmu: [.nan]", "mu=nan: must be a finite number"),
        ("manoeuvres: [step_steer]\nmu: []", "mu: is empty"),
        ("manoeuvres: [step_steer]\nmu: [0.9, 1.4]", "mu=1.4: must be 0.05 to 1.2"),
        (
            "manoeuvres: {straight_brake: {speed_mps: [8, 1200]}}",
            "manoeuvres.straight_brake.speed_mps=1200.0: must be 1 to 100 m/s",
        ),
        (
            "manoeuvres: {straight_brake: {force_n: [1000, -1]}}",
            "manoeuvres.straight_brake.force_n=-1.0: must be > 0 N",
        ),
        (
            "manoeuvres: {double_lane_change: {track: [3888-1, x]}}",
            "manoeuvres.double_lane_change.track='x': must be one of 3888-1",
        ),
        (
            "manoeuvres: {pass_speed: {resolution_mps: 9}}",
            "manoeuvres.pass_speed.resolution_mps=9.0: must be 0.001 to 5 m/s",
        ),
        (
            "manoeuvres: {steady_circle: {radius_m: 10}}\nvehicles: [ioniq5_awd, compact_fwd]",
            "manoeuvres.steady_circle.radius_m=10.0: must be ",
        ),
        (
            "manoeuvres: {step_steer: {lateral_acceleration_mps2: 6}}\nmu: [0.4, 0.5]",
            "manoeuvres.step_steer.lateral_acceleration_mps2=6.0: must be > 0 and < 4.66 m/s2",
        ),
        ("manoeuvres: [step_steer]\nmu: [0.9, 0.9]", "mu: has a value twice"),
        ("manoeuvres: [step_steer]\nvehicles: [nope]", "vehicles=nope: "),
        (
            "manoeuvres: [step_steer]\nparameters: {body.mas_kg: 1}",
            "parameters.body.mas_kg=1: ",
        ),
        (
            "manoeuvres: [step_steer]\nparameters: {body.mass_kg: [1900, -5]}",
            "parameters.body.mass_kg=-5: ",
        ),
        (
            "manoeuvres: [step_steer]\nparameters: {actuators.brake.lag_s: 0.1}",
            "parameters.actuators.brake.lag_s: must be a parameter of body",
        ),
        (
            "manoeuvres: [step_steer]\nparameters: {body.mass_kg: {low: 3, high: 2}}",
            "parameters.body.mass_kg.high=2: must be above low",
        ),
    ],
)
def test_an_error_names_file_and_key(text: str, error: str, tmp_path: Path) -> None:
    (tmp_path / "sweep.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError) as caught:
        read_plan(tmp_path / "sweep.yaml")
    assert str(caught.value).startswith("sweep.yaml: ")
    assert error in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        {"manoeuvres": {"step_steer": {"lateral_acceleration_mps2": 6}}, "mu": [0.4, 0.9]},
        {
            "manoeuvres": {"steady_circle": {"radius_m": 10}},
            "vehicles": ["ioniq5_awd", "scale_car"],
        },
        {"manoeuvres": {"sine_with_dwell": {"speed_mps": 20}}, "mu": 0.3},
    ],
)
def test_what_some_car_can_do_on_some_road_is_left_to_the_rows(content: dict[str, Any]) -> None:
    assert len(plan_of(content).cases)


def test_too_many_cases_are_refused_before_they_are_made() -> None:
    speeds = {"straight_brake": {"speed_mps": list(range(10, 30))}}
    drawn = {ROLLING: {"low": 0.01, "high": 0.02}}
    with pytest.raises(ParameterError, match="has 2000000 cases: must be at most 1000000"):
        plan_of({"manoeuvres": speeds, "parameters": drawn, "seeds": 100_000})
