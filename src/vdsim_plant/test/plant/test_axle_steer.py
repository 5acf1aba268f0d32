"""Axles that steer by themselves, by roll and side force: linear theory, and every form of car."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from vdsim_plant.assembly import roll_per_ay
from vdsim_plant.parameters import ParameterError, VehicleParameters, load_vehicle

from vdsim_plant import VDSimPlant

ROLL_FRONT = ((0.0, 0.0), (0.02, -0.001), (0.06, -0.0015))
SIDE_REAR = ((0.0, 0.0), (3000.0, 0.0006), (8000.0, 0.001))


def with_tables(**tables: tuple[tuple[float, float], ...]) -> VehicleParameters:
    car = load_vehicle("ioniq5_awd")
    return replace(car, suspension=replace(car.suspension, **tables))


BENT = with_tables(roll_steer_front=ROLL_FRONT, compliance_steer_rear=SIDE_REAR)


def straight_line(slope: float, to: float) -> tuple[tuple[float, float], ...]:
    return ((0.0, 0.0), (to, slope * to))


def steady_yaw_rate(car: VehicleParameters, delta: float, speed: float, level: str) -> float:
    plant = VDSimPlant(car, control_dt=0.01, level=level)
    plant.reset([0.0, 0.0, 0.0, speed, 0.0, 0.0])
    for _ in range(400):
        obs = plant.step([delta, 20e3 * (speed - plant.motion().vx_mps)])
    return obs["r"]


@pytest.mark.parametrize("level", ["l2", "l3"])
def test_the_understeer_is_what_the_axles_own_steer_adds(level: str) -> None:
    roll_front, side_rear = -0.08, 3e-7
    car = with_tables(
        roll_steer_front=straight_line(roll_front, 0.2),
        compliance_steer_rear=straight_line(side_rear, 20e3),
    )
    body, delta, speed = car.body, 2e-3, 20.0
    per_ay = roll_per_ay(car)
    rear_per_ay = body.mass_kg * body.cg_to_front_axle_m / body.wheelbase_m
    added = side_rear * rear_per_ay - roll_front * per_ay  # rear less front steer, per ay
    plain = steady_yaw_rate(load_vehicle("ioniq5_awd"), delta, speed, level)
    bent = steady_yaw_rate(car, delta, speed, level)
    # delta = r (L/v + K v): what is added to K
    found = delta / (bent * speed) - delta / (plain * speed)
    assert added > 3e-4
    assert found == pytest.approx(added, rel=0.12 if level == "l3" else 0.03)


def test_a_table_is_straight_between_its_points_and_the_same_on_both_sides() -> None:
    plant = VDSimPlant(with_tables(compliance_steer_front=((0.0, 0.0), (1e3, 1e-3), (2e3, 5e-4))))
    from vdsim_plant.kernel import layout as at

    seen = {}
    for side in (-1.0, 1.0):
        for force in (500.0, 1500.0, 4000.0):
            plant.reset([0.0, 0.0, 0.0, 20.0, 0.0, 0.0])
            car = plant.vehicle._car
            car[at.BODY_FY : at.BODY_FY + 2] = side * 0.5 * force
            plant.vehicle.hold_force(0.01, 0.0, 1)
            seen[side, force] = math.asin(car.item(at.SIN)) - 0.01
    for force, angle in ((500.0, 5e-4), (1500.0, 7.5e-4), (4000.0, 5e-4)):
        assert seen[1.0, force] == pytest.approx(angle, abs=1e-12)
        assert seen[-1.0, force] == pytest.approx(-angle, abs=1e-12)


@pytest.mark.parametrize("tyre", [None, "road_195_65r15"])
def test_the_cars_of_a_batch_have_the_bits_of_one(tyre: str | None) -> None:
    bent = VDSimPlant(BENT, tyre=tyre)
    plain = VDSimPlant(load_vehicle("ioniq5_awd"), tyre=tyre)
    cars = [BENT, load_vehicle("ioniq5_awd")]
    many = plain.batch(2, vary={"config": cars, "tyre": [tyre or "mf96"] * 2})
    start = [0.0, 0.0, 0.0, 22.0, 0.0, 0.0]
    for car in (bent, plain, many):
        car.reset(start)
    for k in range(12):
        u = [0.05 * math.sin(0.8 * k), -1000.0]
        many.step(u)
        assert many.observation(0) == bent.step(u)
        assert many.observation(1) == plain.step(u)
    assert many.observation(0)["r"] != many.observation(1)["r"]


def test_a_linearisation_knows_them() -> None:
    plant = VDSimPlant(BENT, control_dt=0.02)
    plant.reset([0.0, 0.0, 0.0, 22.0, 0.0, 0.0])
    for _ in range(30):
        plant.step([0.04, 0.0])
    found = plant.linearize([0.04, 0.0])
    seen = plant.step([0.04, 0.0])
    assert found.x_next.tolist() == [seen[key] for key in ("X", "Y", "psi", "vx", "vy", "r")]
    with pytest.raises(ParameterError, match="do not steer by themselves"):
        plant.linearize([0.0, 0.0], states="all")


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"roll_steer_front": ((0.1, 0.0), (0.2, 0.1))}, "first 0, 0"),
        ({"roll_steer_rear": tuple((0.1 * k, 0.0) for k in range(6))}, "2 to 5 pairs"),
        ({"compliance_steer_rear": ((0.0, 0.0), (100.0, 0.01))}, "must turn less"),
    ],
)
def test_a_table_that_cannot_be_is_refused(tables: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        with_tables(**tables)
