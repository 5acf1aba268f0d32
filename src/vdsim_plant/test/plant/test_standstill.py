"""Standing, stopping, creeping, reversing: where a slip that divides by speed fails."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from vdsim_plant.ground import Ground
from vdsim_plant.parameters import vehicle_names
from vdsim_plant.parameters.substep import LONGEST_SUBSTEP_S
from vdsim_plant.vehicle import InitialState, PedalInput, Vehicle
from vdsim_plant_kit.drives import FRICTIONS

BRAKED = PedalInput(brake=0.6, gear=0)
MINUTE = 60.0


def _wander_m(vehicle: Vehicle, pedals: PedalInput, seconds: float) -> float:
    """Return the largest distance from the start."""
    start = vehicle.motion()
    far = 0.0
    for _ in range(round(seconds / 0.1)):
        vehicle.step_pedals(pedals, 0.1)
        m = vehicle.motion()
        far = max(far, math.hypot(m.x_m - start.x_m, m.y_m - start.y_m))
    return far


@pytest.mark.parametrize("name", vehicle_names())
@pytest.mark.parametrize("slope", [0.0, 0.08, -0.08])
@pytest.mark.parametrize("heading_rad", [0.0, 0.9, math.pi / 2])
def test_stands_still_for_a_minute(name: str, slope: float, heading_rad: float) -> None:
    vehicle = Vehicle(name, ground=Ground(slope_x=slope))
    vehicle.reset(InitialState(yaw_rad=heading_rad))
    assert _wander_m(vehicle, BRAKED, MINUTE) < (1e-3 if slope else 1e-12)
    settled = vehicle.snapshot()
    vehicle.restore(settled)
    assert _wander_m(vehicle, BRAKED, MINUTE) < 1e-9  # no creep at all


@pytest.mark.parametrize("mu", [0.1, 0.2, 0.5, 1.2])
def test_stands_still_on_slippery_slopes_too(mu: float) -> None:
    vehicle = Vehicle(ground=Ground(base_mu=mu, slope_x=0.08))
    assert _wander_m(vehicle, BRAKED, MINUTE) < 1e-3


def test_slides_where_friction_is_less_than_the_slope() -> None:
    vehicle = Vehicle(ground=Ground(base_mu=0.05, slope_x=0.08))
    assert _wander_m(vehicle, BRAKED, 10.0) > 1.0
    assert vehicle.motion().vx_mps < 0.0


@pytest.mark.parametrize("tyre", ["road_195_65r15", "road_235_55r19"])
def test_a_tyre_from_a_file_stands_still_as_well(tyre: str) -> None:
    vehicle = Vehicle(tyre=tyre, ground=Ground(slope_x=0.08))
    assert _wander_m(vehicle, BRAKED, MINUTE) < 1e-3


@pytest.mark.parametrize("substep_s", [1e-4, 1e-3, 5e-3, 2e-2])
def test_stands_still_at_any_substep(substep_s: float) -> None:
    vehicle = Vehicle(ground=Ground(slope_x=0.08), substep_s=substep_s, allow_coarse_substep=True)
    assert _wander_m(vehicle, BRAKED, 10.0) < 2e-3


def _stop(vehicle: Vehicle, speed_mps: float, force_n: float) -> NDArray[np.float64]:
    """Brake from a speed and go on braking for 3 s; return vx and ax of every substep."""
    vehicle.reset(InitialState(vx_mps=speed_mps))
    rows = []
    after = 0
    while after * vehicle.substep_s < 3.0:
        vehicle.step_force(0.0, force_n, vehicle.substep_s)
        m = vehicle.motion()
        rows.append((m.vx_mps, m.ax_mps2))
        after += m.vx_mps * speed_mps <= 0.0 or after > 0
    return np.array(rows)


@pytest.mark.parametrize("mu", FRICTIONS)
@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_stops_without_chatter(mu: float, direction: float) -> None:
    rows = _stop(Vehicle(ground=Ground(base_mu=mu)), direction * 3.0, -12000.0)
    stopped = int(np.argmax(direction * rows[:, 0] <= 0.0))
    after = rows[stopped:] * direction
    signs = np.sign(after[:, 0][np.abs(after[:, 0]) > 1e-6])
    assert np.sum(np.abs(np.diff(signs)) > 0) <= 1  # it rocks back once, as cars do
    assert after[:, 0].min() > -0.1
    assert np.max(np.abs(after[2000:])) < 1e-6
    assert abs(rows[-1, 0]) < 1e-12


@pytest.mark.parametrize("force_n", [-300.0, -2000.0, -8000.0])
def test_deceleration_has_no_ripple_down_to_standstill(force_n: float) -> None:
    rows = _stop(Vehicle(), 2.0, force_n)
    stopped = int(np.argmax(rows[:, 0] <= 0.0))
    steps = np.abs(np.diff(rows[200:stopped, 1]))
    assert steps.max() < 0.02  # of m/s2 from one substep to the next


def test_coasts_to_rest_and_stays() -> None:
    vehicle = Vehicle()
    vehicle.reset(InitialState(vx_mps=0.5))
    vehicle.step_pedals(PedalInput(gear=0), 10.0)
    assert vehicle.motion().vx_mps == pytest.approx(0.0, abs=1e-12)
    assert _wander_m(vehicle, PedalInput(gear=0), 10.0) < 1e-9


@pytest.mark.parametrize("tyre", ["mf96", "road_195_65r15"])
@pytest.mark.parametrize("name", vehicle_names())
@pytest.mark.parametrize("substep_s", [5e-4, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, LONGEST_SUBSTEP_S])
def test_coasts_to_rest_at_any_substep(substep_s: float, name: str, tyre: str) -> None:
    vehicle = Vehicle(name, tyre, substep_s=substep_s, allow_coarse_substep=True)
    straight = InitialState(vx_mps=1.0)
    drifting = InitialState(vx_mps=3.0, vy_mps=0.5, yaw_rate_radps=0.3)
    backwards = InitialState(vx_mps=-2.0)
    for start, steer_rad in ((straight, 0.0), (drifting, 0.3), (backwards, -0.1)):
        vehicle.reset(start)
        vehicle.step_force(steer_rad, 0.0, 100.0)
        rest = vehicle.motion()
        vehicle.step_force(steer_rad, 0.0, 100.0)
        later = vehicle.motion()
        moved = (later.x_m - rest.x_m, later.y_m - rest.y_m, later.yaw_rad - rest.yaw_rad)
        assert max(map(abs, moved)) < 1e-6
        for _ in range(4):  # nor does it tremble on the spot
            vehicle.step_force(steer_rad, 0.0, substep_s)
            m = vehicle.motion()
            assert max(abs(m.vx_mps), abs(m.vy_mps), abs(m.yaw_rate_radps)) < 1e-9


def test_creeps_smoothly_at_walking_pace() -> None:
    vehicle = Vehicle()
    speeds = []
    for _ in range(2000):
        vehicle.step_force(0.0, 330.0, 0.005)
        speeds.append(vehicle.motion().vx_mps)
    assert 0.05 < speeds[-1] < 0.5
    assert np.all(np.diff(speeds) > -1e-6)


def test_a_brake_never_drives() -> None:
    vehicle = Vehicle()
    for force_n in (-100.0, -5000.0, -50000.0):
        vehicle.reset(InitialState())
        assert _force_wander_m(vehicle, force_n) == 0.0


def _force_wander_m(vehicle: Vehicle, force_n: float) -> float:
    vehicle.step_force(0.1, force_n, 5.0)
    m = vehicle.motion()
    return math.hypot(m.x_m, m.y_m)


def test_braking_in_reverse_slows_down() -> None:
    vehicle = Vehicle()
    vehicle.reset(InitialState(vx_mps=-5.0))
    vehicle.step_force(0.0, -4000.0, 0.5)
    m = vehicle.motion()
    assert -5.0 < m.vx_mps < -3.0
    assert min(m.tire_fx_n) > 0.0


@pytest.mark.parametrize("steer_rad", [-0.4, -0.1, 0.1, 0.4])
def test_reverse_follows_the_geometry(steer_rad: float) -> None:
    vehicle = Vehicle()
    vehicle.step_pedals(PedalInput(steer_rad=steer_rad, throttle=0.08, gear=-1), 4.0)
    m = vehicle.motion()
    assert m.vx_mps < -0.5
    wheelbase = vehicle.parameters.body.wheelbase_m
    assert m.yaw_rate_radps == pytest.approx(m.vx_mps * math.tan(steer_rad) / wheelbase, rel=0.05)
    assert max(abs(a) for a in m.slip_angle_rad) < 0.1


def test_reverse_at_speed_is_a_mirror_of_forward_at_first() -> None:
    """Slip angles are taken with |vx|: a car sliding backwards is pushed against its slide."""
    vehicle = Vehicle()
    vehicle.reset(InitialState(vx_mps=-10.0, vy_mps=0.5))
    m = vehicle.motion()
    assert all(fy < 0.0 for fy in m.tire_fy_n)
    assert m.slip_angle_rad == pytest.approx((math.atan(0.05),) * 4, rel=1e-6)


def test_turning_the_wheels_at_standstill_moves_nothing_far() -> None:
    vehicle = Vehicle(ground=Ground(slope_x=0.08))
    vehicle.step_pedals(BRAKED, 1.0)
    start = vehicle.motion()
    for k in range(200):
        pedals = PedalInput(steer_rad=0.5 * math.sin(0.1 * k), brake=0.6, gear=0)
        vehicle.step_pedals(pedals, 0.05)
    m = vehicle.motion()
    assert math.hypot(m.x_m - start.x_m, m.y_m - start.y_m) < 1e-3
