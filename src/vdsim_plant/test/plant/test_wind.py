"""Wind is a force and a moment on the car: against the equations of motion and linear theory."""

from __future__ import annotations

import math

import numpy as np
import pytest
from vdsim_plant.ground import Ground
from vdsim_plant.parameters import ParameterError, load_vehicle

from vdsim_plant import VDSimPlant

GUST = [-300.0, 3000.0, -800.0]


def pushed_plant(level: str = "l2", **options: object) -> VDSimPlant:
    plant = VDSimPlant(level=level, **options)  # type: ignore[arg-type]
    plant.reset([0.0, 0.0, 0.3, 20.0, 0.0, 0.0])
    return plant


@pytest.mark.parametrize("level", ["l1", "l2", "l3", "kinematic"])
def test_no_wind_changes_no_bit(level: str) -> None:
    plain, calm = pushed_plant(level), pushed_plant(level)
    for k in range(20):
        u = [0.03 * math.sin(0.3 * k), -2000.0]
        assert plain.step(u) == calm.step(u, wind=[0.0, 0.0, 0.0])


@pytest.mark.parametrize("level", ["l1", "l2", "l3"])
def test_mass_times_acceleration_is_the_tyres_forces_and_the_wind(level: str) -> None:
    plant = pushed_plant(level)
    mass = plant.vehicle.parameters.body.mass_kg
    for _ in range(20):
        seen = plant.step([0.02, 0.0], wind=GUST)
    motion = plant.motion()
    across = -math.sin(seen["psi"]) * GUST[0] + math.cos(seen["psi"]) * GUST[1]
    tyres = sum(motion.tire_body_fy_n)
    calm = pushed_plant(level)
    for _ in range(20):
        calm.step([0.02, 0.0])
    without = sum(calm.motion().tire_body_fy_n) - mass * calm.motion().ay_mps2
    assert abs(without) < 60.0  # drag of the sideslip
    assert mass * seen["ay"] - tyres == pytest.approx(across, abs=80.0)
    assert across > 2000.0


def test_a_side_wind_turns_the_car_as_linear_theory_says() -> None:
    car = load_vehicle("ioniq5_awd")
    speed, force, moment = 20.0, 40.0, 25.0
    plant = VDSimPlant(ground=Ground(base_mu=0.9))
    plant.reset([0.0, 0.0, 0.0, speed, 0.0, 0.0])
    for _ in range(40):
        seen = plant.step([0.0, 20e3 * (speed - plant.motion().vx_mps)], wind=[0.0, force, moment])
    a, b = car.body.cg_to_front_axle_m, car.body.cg_to_rear_axle_m
    cf = car.axles.cornering_stiffness_front_n_per_rad
    cr = car.axles.cornering_stiffness_rear_n_per_rad
    steady = np.array(
        [
            [(cf + cr) / speed, car.body.mass_kg * speed + (a * cf - b * cr) / speed],
            [(a * cf - b * cr) / speed, (a * a * cf + b * b * cr) / speed],
        ]
    )
    v, r = np.linalg.solve(steady, np.array([force, moment]))
    assert seen["r"] == pytest.approx(r, rel=0.03)
    assert seen["vy"] == pytest.approx(v, rel=0.03)


def test_the_cars_of_a_batch_have_the_bits_of_one_and_the_wind_ends_with_its_period() -> None:
    winds = np.array([GUST, [0.0, 0.0, 0.0], [500.0, -2000.0, 300.0]])
    plants = [pushed_plant() for _ in winds]
    many = plants[0].batch(3)
    many.reset([0.0, 0.0, 0.3, 20.0, 0.0, 0.0])
    for wind in (winds, winds, None):
        seen = many.step([0.01, 500.0], wind=wind)
        for car, plant in enumerate(plants):
            own = None if wind is None else wind[car]
            assert many.observation(car) == plant.step([0.01, 500.0], wind=own)
    assert seen["r"][0] != seen["r"][1]
    plants[0].step([0.0, 0.0], wind=GUST)
    many.fork(plants[0])
    assert many.step([0.01, 0.0])["vy"][2] == plants[0].step([0.01, 0.0])["vy"]


def test_a_linearisation_has_the_wind_in_it() -> None:
    plant = pushed_plant()
    plant.step([0.02, 0.0], wind=GUST)
    windy, calm = plant.linearize([0.02, 0.0], wind=GUST), plant.linearize([0.02, 0.0])
    assert not np.array_equal(windy.x_next, calm.x_next)
    seen = plant.step([0.02, 0.0], wind=GUST)
    assert windy.x_next.tolist() == [seen[key] for key in ("X", "Y", "psi", "vx", "vy", "r")]
    assert np.allclose(windy.A @ windy.x + windy.B @ windy.u + windy.c, windy.x_next, atol=1e-9)


@pytest.mark.parametrize(
    ("wind", "said"),
    [([1.0, 2.0], "three numbers"), ([math.nan, 0.0, 0.0], "wind[0]"), ([0, 2e6, 0], "wind[1]")],
)
def test_a_wind_that_cannot_be_is_refused(wind: list[float], said: str) -> None:
    plant = VDSimPlant()
    with pytest.raises(ParameterError) as error:
        plant.step([0.0, 0.0], wind=wind)
    assert said in str(error.value)
