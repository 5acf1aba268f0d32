"""Level l3: its body, springs and wheels against an exact solution, level l2 and balances."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from vdsim_plant.ground import flat
from vdsim_plant.motion import InitialState, PedalInput, VehicleMotion
from vdsim_plant.parameters import GRAVITY_MPS2, ParameterError, VehicleParameters, load_vehicle
from vdsim_plant.parameters.ride import RideParameters
from vdsim_plant.ride import layout as l3
from vdsim_plant.ride.assembly import anti_roll_nm_per_rad, completed
from vdsim_plant.session import SimSession
from vdsim_plant.vehicle import Vehicle

CARS = ("ioniq5_awd", "ioniq5_awd_r13h", "compact_fwd", "sport_rwd", "scale_car", "vdsim_ioniq5")
Matrix = NDArray[np.float64]


def held(vehicle: Vehicle, steer: float, force: float, seconds: float) -> VehicleMotion:
    vehicle.reset(InitialState(vx_mps=20.0))
    vehicle.step_force(steer, force, seconds)
    return vehicle.motion()


@pytest.mark.parametrize("car", CARS)
def test_the_steady_state_is_that_of_level_l2_apart_from_the_wheels_own_mass(car: str) -> None:
    parameters = load_vehicle(car)
    largest = 0.004 if car == "scale_car" else 0.02
    flat_body, sprung = (
        held(Vehicle(parameters, level=level), largest, 0.0, 3.0) for level in ("l2", "l3")
    )
    assert sprung.yaw_rate_radps == pytest.approx(flat_body.yaw_rate_radps, rel=0.02)
    assert sprung.tire_fz_n == pytest.approx(flat_body.tire_fz_n, rel=0.03)
    assert sum(sprung.tire_fz_n) == pytest.approx(sum(flat_body.tire_fz_n), rel=2e-3)
    ride, body, suspension = completed(parameters), parameters.body, parameters.suspension
    sprung_mass = body.mass_kg - ride.unsprung_mass_front_kg - ride.unsprung_mass_rear_kg
    share = body.cg_to_rear_axle_m / body.wheelbase_m
    axis = share * suspension.roll_centre_front_m + (1.0 - share) * suspension.roll_centre_rear_m
    arm = ride.sprung_cg_height_m - axis
    moment = sprung_mass * arm
    stiffness = (
        suspension.roll_stiffness_front_nm_per_rad
        + suspension.roll_stiffness_rear_nm_per_rad
        - moment * GRAVITY_MPS2
    )
    assert sprung.roll_rad == pytest.approx(moment * sprung.ay_mps2 / stiffness, rel=0.1)


def test_braking_dives_as_far_and_moves_as_much_load_as_at_level_l2() -> None:
    flat_body, sprung = (held(Vehicle(level=level), 0.0, -8000.0, 2.0) for level in ("l2", "l3"))
    assert sprung.pitch_rad == pytest.approx(flat_body.pitch_rad, rel=0.05)
    assert sprung.pitch_rad > 0.0
    assert sprung.tire_fz_n == pytest.approx(flat_body.tire_fz_n, rel=0.01)
    assert sprung.suspension_compression_m[0] > 0.0 > sprung.suspension_compression_m[2]


def linear_model(parameters: VehicleParameters) -> tuple[Matrix, Matrix, Matrix]:
    """Mass, damping and stiffness of heave, roll, pitch and four wheels, from the parameters."""
    ride, body, suspension = completed(parameters), parameters.body, parameters.suspension
    wheel_masses = [ride.unsprung_mass_front_kg / 2.0] * 2 + [ride.unsprung_mass_rear_kg / 2.0] * 2
    sprung = body.mass_kg - sum(wheel_masses)
    share = body.cg_to_rear_axle_m / body.wheelbase_m
    axis = share * suspension.roll_centre_front_m + (1.0 - share) * suspension.roll_centre_rear_m
    arm = ride.sprung_cg_height_m - axis
    rolls = ride.sprung_roll_inertia_kgm2 + sprung * arm**2 * sum(wheel_masses) / body.mass_kg
    mass = np.diag([sprung, rolls, ride.sprung_pitch_inertia_kgm2, *wheel_masses])
    damping, stiffness = np.zeros((7, 7)), np.zeros((7, 7))
    stiffness[1, 1] -= sprung * GRAVITY_MPS2 * arm
    places = [
        (x, side * track / 2.0)
        for x, track in (
            (body.cg_to_front_axle_m, body.track_front_m),
            (-body.cg_to_rear_axle_m, body.track_rear_m),
        )
        for side in (1.0, -1.0)
    ]
    springs = [ride.spring_front_n_per_m] * 2 + [ride.spring_rear_n_per_m] * 2
    dampers = [ride.damper_front_ns_per_m] * 2 + [ride.damper_rear_ns_per_m] * 2
    tyres = [ride.tyre_rate_front_n_per_m] * 2 + [ride.tyre_rate_rear_n_per_m] * 2
    for i, (x, y) in enumerate(places):
        stretch = np.zeros(7)
        stretch[[0, 1, 2]] = 1.0, y, -x
        stretch[3 + i] = -1.0
        stiffness += springs[i] * np.outer(stretch, stretch)
        damping += dampers[i] * np.outer(stretch, stretch)
        stiffness[3 + i, 3 + i] += tyres[i]
    for axle, bar in enumerate(anti_roll_nm_per_rad(parameters)):
        track = (body.track_front_m, body.track_rear_m)[axle]
        twist = np.zeros(7)
        twist[1] = 1.0
        twist[3 + 2 * axle : 5 + 2 * axle] = -1.0 / track, 1.0 / track
        stiffness += bar * np.outer(twist, twist)
    return mass, damping, stiffness


def exact(parameters: VehicleParameters, start: Matrix, seconds: float) -> Matrix:
    """The free motion after a time by the eigenvalues of the linear model."""
    mass, damping, stiffness = linear_model(parameters)
    inverse = np.linalg.inv(mass)
    whole = np.block([[np.zeros((7, 7)), np.eye(7)], [-inverse @ stiffness, -inverse @ damping]])
    values, vectors = np.linalg.eig(whole)
    modes = np.linalg.solve(vectors, np.concatenate([start, np.zeros(7)]))
    moved: Matrix = np.real(vectors @ (np.exp(values * seconds) * modes))[:7]
    return moved


@pytest.mark.parametrize("car", ["ioniq5_awd", "sport_rwd", "scale_car"])
@pytest.mark.parametrize("direction", [0, 1, 2])
def test_a_body_let_go_moves_as_the_linear_model_does(car: str, direction: int) -> None:
    parameters = load_vehicle(car)
    size = 1e-3 * parameters.wheels.radius_m
    start = np.zeros(7)
    start[direction] = size
    # A frictionless stand: without side force the patches let the roll axis go.
    vehicle = Vehicle(parameters, ground=flat(1e-6), level="l3", substep_s=1e-4)
    vehicle._car[l3.HEAVE + direction] = size
    for seconds in (0.05, 0.1, 0.3):
        vehicle.step_force(0.0, 0.0, seconds - vehicle.motion().time_s)
        car_now = vehicle._car
        moved = np.array([*car_now[l3.HEAVE : l3.HEAVE + 3], *car_now[l3.WHEEL_Z : l3.WHEEL_RATE]])
        assert moved == pytest.approx(exact(parameters, start, seconds), abs=0.02 * size)


def test_the_forces_move_the_car_and_stay_inside_the_circle() -> None:
    rng = np.random.default_rng(7)
    for name, substep in (("ioniq5_awd", 5e-4), ("scale_car", 1e-3), ("sport_rwd", 1e-2)):
        vehicle = Vehicle(name, level="l3", substep_s=substep, allow_coarse_substep=True)
        mass = vehicle.parameters.body.mass_kg
        limit = vehicle.parameters.steering.max_angle_rad
        for _ in range(400):
            steer, force = rng.uniform(-limit, limit), rng.uniform(-12.0, 6.0) * mass
            vehicle.step_force(steer, force, 20 * substep)
            m = vehicle.motion()
            for fx, fy, fz, mu in zip(
                m.tire_fx_n, m.tire_fy_n, m.tire_fz_n, m.wheel_mu, strict=True
            ):
                assert math.hypot(fx, fy) <= mu * fz
            assert sum(m.tire_body_fy_n) == pytest.approx(mass * m.ay_mps2, abs=mass * 0.3)
            assert abs(m.roll_rad) < 0.5


def test_a_car_that_stopped_stands_exactly() -> None:
    vehicle = Vehicle(level="l3")
    vehicle.reset(InitialState(vx_mps=5.0))
    vehicle.step_pedals(PedalInput(brake=0.5), 12.0)
    first = vehicle.motion()
    vehicle.step_pedals(PedalInput(brake=0.5), 5.0)
    last = vehicle.motion()
    assert (last.vx_mps, last.vy_mps, last.yaw_rate_radps) == (0.0, 0.0, 0.0)
    assert last.x_m == first.x_m
    assert abs(last.pitch_rad) < 1e-6


def test_a_lane_change_rolls_with_a_rate_and_overshoots() -> None:
    vehicle = Vehicle(level="l3")
    vehicle.reset(InitialState(vx_mps=25.0))
    rolls = []
    for _ in range(300):
        vehicle.step_force(0.03, 0.0, 0.01)
        rolls.append(vehicle.motion())
    settled = rolls[-1].roll_rad
    assert max(m.roll_rad for m in rolls) > 1.02 * settled > 0.02
    steps = np.diff([m.roll_rad for m in rolls[:100]]) / 0.01
    rates = [0.5 * (a.roll_rate_radps + b.roll_rate_radps) for a, b in pairwise(rolls[:100])]
    assert steps == pytest.approx(np.array(rates), abs=0.02)


def test_a_snapshot_and_the_state_hash_hold_the_body_too() -> None:
    session = SimSession(Vehicle(level="l3"), initial=InitialState(vx_mps=20.0))
    session.set_input(PedalInput(0.1, 0.0, 0.3))
    for _ in range(50):
        session.tick(0.01)
    kept = session.snapshot()
    other = SimSession(Vehicle(level="l3"), initial=InitialState(vx_mps=20.0))
    other.restore(kept)
    for each in (session, other):
        for _ in range(50):
            each.tick(0.01)
    assert session.state_hash() == other.state_hash()
    assert session.state() == other.state()
    moved = session.vehicle
    before = session.state_hash()
    moved._car[l3.WHEEL_RATE] += 1e-9
    session.tick(0.01)
    other.tick(0.01)
    assert session.state_hash() != other.state_hash() != before


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda p: replace(p, ride=RideParameters(unsprung_mass_front_kg=5000.0)),
            "ride.unsprung_mass_front_kg=5000: both axles must be lighter than the car",
        ),
        (lambda p: replace(p, ride=RideParameters(spring_front_n_per_m=-1.0)), "spring_front"),
    ],
)
def test_a_suspension_that_cannot_be_is_refused(
    build: Callable[[VehicleParameters], VehicleParameters], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        Vehicle(build(load_vehicle("ioniq5_awd")), level="l3")


def test_what_the_other_levels_are_known_by_does_not_name_the_springs() -> None:
    assert "ride" not in repr(load_vehicle("ioniq5_awd"))
    changed = replace(load_vehicle("ioniq5_awd"), ride=RideParameters(patch_roll_share=0.5))
    assert "ride=" in repr(changed)


def with_stops(stiffness: float) -> VehicleParameters:
    """A car almost without damping, on stiff tyres with light wheels: its springs alone move."""
    car = load_vehicle("ioniq5_awd")
    return replace(
        car,
        ride=RideParameters(
            unsprung_mass_front_kg=20.0,
            unsprung_mass_rear_kg=20.0,
            damper_front_ns_per_m=0.01,
            damper_rear_ns_per_m=0.01,
            spring_front_n_per_m=30e3,
            spring_rear_n_per_m=30e3,
            tyre_rate_front_n_per_m=1e7,
            tyre_rate_rear_n_per_m=1e7,
            bump_stop_front_n_per_m=stiffness,
            bump_stop_rear_n_per_m=stiffness,
            bump_travel_front_m=0.05,
            bump_travel_rear_m=0.05,
        ),
    )


def dropped(car: VehicleParameters, speed_mps: float) -> NDArray[np.float64]:
    """Height and speed of a body that is thrown down, every substep for 0.6 s [m, m/s]."""
    vehicle = Vehicle(car, level="l3")
    vehicle._car[l3.HEAVE_RATE] = -speed_mps
    rows = []
    for _ in range(1200):
        vehicle.step_force(0.0, 0.0, vehicle.substep_s)
        rows.append((vehicle._car.item(l3.HEAVE), vehicle._car.item(l3.HEAVE_RATE)))
    return np.array(rows).T


def test_a_bump_stop_takes_up_the_energy_that_its_spring_says_and_gives_it_back() -> None:
    car, speed = with_stops(90e3), 1.2
    mass = car.body.mass_kg - 40.0
    heights, speeds = dropped(car, speed)
    energy = 0.5 * mass * speed**2
    # 4 (k x^2 + s (x - c)^2) / 2 = m v^2 / 2, the load of the standing car apart
    springs, stops, clear = 4.0 * 30e3, 4.0 * 90e3, 0.05
    a, b, c = springs + stops, -2.0 * stops * clear, stops * clear**2 - 2.0 * energy
    deepest = (-b + math.sqrt(b * b - 4.0 * a * c)) / (2.0 * a)
    assert deepest > 1.2 * clear
    assert -heights.min() == pytest.approx(deepest, rel=0.01)
    without, _ = dropped(with_stops(0.0), speed)
    assert -without.min() == pytest.approx(math.sqrt(2.0 * energy / springs), rel=0.01)
    risen = int(np.flatnonzero((heights[1:] >= 0.0) & (heights[:-1] < 0.0))[0]) + 1
    assert speeds[risen] == pytest.approx(speed, rel=0.03)


def test_without_a_bump_stop_its_travel_changes_no_bit() -> None:
    car = load_vehicle("ioniq5_awd")
    other = replace(car, ride=replace(car.ride, bump_travel_front_m=0.0, bump_travel_rear_m=0.0))
    for force in (-9000.0, 4000.0):
        plain, stopless = (held(Vehicle(one, level="l3"), 0.05, force, 1.0) for one in (car, other))
        assert plain == stopless
