"""What a fit simulates: the inputs of each substep, and the car of a log at its true values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from vdsim_plant.kernel import logged
from vdsim_plant.parameters import VehicleParameters, load_tyre, load_vehicle
from vdsim_plant.ride.assembly import anti_roll_nm_per_rad, completed
from vdsim_plant.study.identify.candidates import (
    LOAD_LAG,
    ROLL_ASIDE,
    STEER_OFFSET,
)
from vdsim_plant.study.identify.drive_log import DriveLog, make_log
from vdsim_plant.study.identify.drives import DRIVES
from vdsim_plant.study.identify.input_series import InputSeries
from vdsim_plant.study.identify.problem import Place, Problem
from vdsim_plant.study.identify.robustness import (
    HUBER,
    row_costs,
    row_weight,
    segment_cost,
    segment_weight,
    smooth_weight,
)
from vdsim_plant.study.identify.simulation import BODY_DAMPING, LogSimulation, Variant
from vdsim_plant.study.identify.unknowns import (
    Start,
    motor_knots,
    unknowns_of,
)
from vdsim_plant_kit.hidden_cars import (
    MU,
    hidden_actuators,
    hidden_car,
    hidden_tyre,
    noisy_log,
    truth,
)

from vdsim_plant import VDSimPlant

SEED = 2
OFFSET_RAD = 0.004


def start_values(**changes: float) -> dict[str, float]:
    start = Start(vehicle=load_vehicle("ioniq5_awd"), tyre=load_tyre("mf96"), mu=MU)
    return {**start.values(), **{key.replace("__", "."): x for key, x in changes.items()}}


def stepped_log(**more: Any) -> DriveLog:
    """The throttle goes to 0.5 in row 50; the steering is measured only."""
    rows = np.arange(200)
    columns = {
        "vx_mps": np.full(200, 10.0),
        "steer_rad": 0.001 * rows,
        "command_throttle": np.where(rows >= 50, 0.5, 0.0),
        "command_brake": np.zeros(200),
        **more,
    }
    return make_log(0.01 * rows, columns)


def series_of(log: DriveLog, values: dict[str, float], kind: int) -> np.ndarray:
    places, series = InputSeries(log, 0.5).of([values])
    begin = int(places[kind, 0])
    return series[begin : begin + log.rows * 10]


def test_a_command_reaches_the_car_after_its_dead_time_and_lag() -> None:
    values = start_values(actuator__throttle__delay_s=0.0235, actuator__throttle__lag_s=0.05)
    throttle = series_of(stepped_log(), values, logged.THROTTLE_FROM)
    begins = 500 + 23.5
    after = 0.001 * (np.arange(2000) - begins)
    assert not throttle[:523].any()
    # The mean over each substep of 0.5 (1 - exp(-t / lag)).
    low, high = np.maximum(after, 0.0), np.maximum(after + 0.001, 0.0)
    mean = 0.5 * ((high - low) + 0.05 * (np.exp(-high / 0.05) - np.exp(-low / 0.05))) / 0.001
    assert throttle == pytest.approx(mean, abs=1e-12)


def test_a_measured_angle_steers_along_straight_lines_with_its_offset() -> None:
    log = stepped_log()
    steer = series_of(log, start_values(**{STEER_OFFSET: 0.01}), logged.STEER_FROM)
    assert steer[:1000] == pytest.approx(0.01 + 1e-4 * (np.arange(1000) + 0.5))
    far = series_of(log, start_values(**{STEER_OFFSET: 0.45}), logged.STEER_FROM)
    assert far.max() == 0.5


def test_reverse_gear_turns_the_motor_round_and_variants_share_what_is_the_same() -> None:
    log = stepped_log(command_gear=np.full(200, -1.0))
    inputs = InputSeries(log, 0.5)
    values = start_values()
    places, series = inputs.of([values, {**values, "body.mass_kg": 1.0}])
    assert np.array_equal(places[:, 0], places[:, 1])
    assert len(series) == 3 * 2000
    begin = int(places[logged.THROTTLE_FROM, 0])
    assert series[begin + 1999] == pytest.approx(-0.5)
    assert inputs.backwards(np.array([3])) == -1.0
    assert places[logged.TORQUE_FROM, 0] == -1


@pytest.mark.parametrize("pedals", [True, False])
def test_at_the_true_values_a_log_without_noise_is_simulated_exactly(pedals: bool) -> None:
    drives = tuple(d for d in DRIVES if d.name in ("brake_steps", "step_steer"))
    columns = noisy_log(
        hidden_car(SEED),
        hidden_tyre(SEED),
        hidden_actuators(SEED),
        duration_s=40.0,
        seed=SEED,
        noise=0.0,
        steer_offset_rad=OFFSET_RAD,
        drives=drives,
    )
    time_s = columns.pop("time_s")
    if not pedals:
        columns.pop("command_throttle")
    log = make_log(time_s, columns)
    vehicle = load_vehicle("ioniq5_awd")
    start = Start(
        vehicle=vehicle,
        tyre=load_tyre("mf96"),
        mu=0.9,
        motor_knots_radps=motor_knots(log, vehicle),
    )
    unknowns, _ = unknowns_of(log, start)
    problem = Problem(log, start, unknowns, segment_s=2.0)
    place = problem.begin()
    hidden = truth(SEED, start, OFFSET_RAD)
    for index, key in enumerate(problem.keys):
        unknown, begun = unknowns[key], problem.start_values[key]
        change = (hidden[key] - begun) / (unknown.scale or 1.0)
        place.x[index] = change if unknown.scale else np.log(hidden[key] / begun)
    spread = 0.01 * problem.sizes
    for _ in range(4):
        equations = problem.equations(place, spread)
        place = Place(place.x, place.local + equations.local_step)
    left = np.abs(problem.residuals(place)) * problem.counted
    # Straight lines between the rows of measured torques miss their corners; and where a wheel
    # locks, what is left of a first state's error takes long to die away.
    share, allowed = (0.5, 1e-4) if pedals else (0.9, 2e-2)
    assert (np.quantile(left, share, axis=(1, 2)) < allowed * problem.sizes).all()


def rolling(vehicle: VehicleParameters) -> tuple[float, float]:
    """Return frequency [rad/s] of a car's roll at level l3, and how far its wheels go, over ay."""
    ride, body, suspension = completed(vehicle), vehicle.body, vehicle.suspension
    sprung = body.mass_kg - ride.unsprung_mass_front_kg - ride.unsprung_mass_rear_kg
    front = body.cg_to_rear_axle_m / body.wheelbase_m
    axis = front * suspension.roll_centre_front_m + (1.0 - front) * suspension.roll_centre_rear_m
    arm, share = ride.sprung_cg_height_m - axis, sprung / body.mass_kg
    inertia = ride.sprung_roll_inertia_kgm2 + sprung * arm**2 * (1.0 - share)
    tracks = body.track_front_m, body.track_rear_m
    springs = ride.spring_front_n_per_m, ride.spring_rear_n_per_m
    tyres = ride.tyre_rate_front_n_per_m, ride.tyre_rate_rear_n_per_m
    felt, on_tyres = (
        sum(0.5 * k * track**2 for k, track in zip(rates, tracks, strict=True))
        for rates in (springs, tyres)
    )
    felt += sum(anti_roll_nm_per_rad(vehicle))
    stiffness = 1.0 / (1.0 / felt + 1.0 / on_tyres) - sprung * 9.81 * arm
    return float(np.sqrt(stiffness / inertia)), share * arm * sprung * arm / stiffness


def test_a_body_that_rolls_moves_its_wheels_aside_and_its_loads_late() -> None:
    """Level l3 has a body on springs; a fit knows of it how late it is and how far wheels go."""
    plant = VDSimPlant(level="l3", base_mu=0.9, control_dt=0.02)
    plant.reset([0.0, 0.0, 0.0, 20.0, 0.0, 0.0])
    time_s = 0.02 * np.arange(300)
    steer = 0.025 * np.sin(2.0 * np.pi * (0.3 * time_s + 0.14 * time_s**2))  # 0.3 to 2 Hz
    rows = []
    for angle in steer.tolist():
        motion = plant.motion()
        rows.append((motion.vx_mps, motion.yaw_rate_radps, motion.ay_mps2))
        plant.step([angle, 300.0])
    vx, yaw_rate, ay = np.array(rows).T
    columns = {"vx_mps": vx, "yaw_rate_radps": yaw_rate, "ay_mps2": ay, "command_steer_rad": steer}
    start = Start(vehicle=load_vehicle("ioniq5_awd"), tyre=load_tyre("mf96"), mu=0.9)
    simulation = LogSimulation(make_log(time_s, columns), start, ("yaw_rate_radps", "ay_mps2"))
    frequency, aside = rolling(start.vehicle)
    of_body = {LOAD_LAG: 2.0 * BODY_DAMPING / frequency, ROLL_ASIDE: aside * frequency**2}
    at_once = {"actuator.steering.delay_s": 0.0, "actuator.steering.lag_s": 1e-4}
    cases = [dict.fromkeys(of_body, 0.0), {**of_body, ROLL_ASIDE: 0.0}, of_body]
    run = simulation.prepared([Variant({**start.values(), **at_once, **case}) for case in cases])
    seen = run.run(np.array([0]), np.array([[20.0, 0.0, 0.0]]), len(time_s))[:, :, 0]
    for channel, measured, least in ((0, yaw_rate, 3.5), (1, ay, 3.5)):
        left = [float(np.sqrt(np.mean((seen[channel, :, k] - measured) ** 2))) for k in range(3)]
        assert left[2] < left[0] / least
        assert left[2] < left[1] / least
        assert left[2] < 0.1 * float(np.std(measured))


def test_what_is_far_off_counts_less_than_its_square_and_noise_counts_in_full() -> None:
    e = np.array([0.5, HUBER, 20.0])
    assert row_costs(e) == pytest.approx([0.125, 8.0, 4.0 * 18.0])
    assert row_weight(e) == pytest.approx([1.0, 1.0, 0.2])
    misfit = np.array([1.0, 2.0, 200.0])
    assert segment_cost(misfit) == pytest.approx([1.0, 2.0, 2.0 + 2.0 * np.log(100.0)])
    step = 1e-6
    slope = (segment_cost(misfit + step) - segment_cost(misfit)) / step
    assert segment_weight(misfit) == pytest.approx(slope, rel=1e-5)
    assert smooth_weight(np.array([0.1, 0.4]), 10.0, 0.0) == pytest.approx([1.0, 0.25])
    assert smooth_weight(np.zeros(1), 0.0, 1e-9) == pytest.approx([1.0])
