"""Vehicle: levels, loads, pedals, differentials, tyres, against what follows by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from vdsim_plant.ground import Ground, SplitMu
from vdsim_plant.parameters import VehicleParameters, load_tyre, load_vehicle
from vdsim_plant.vehicle import InitialState, PedalInput, Vehicle, VehicleMotion

G = 9.80665


def _changed(name: str, group: str, **values: object) -> VehicleParameters:
    car = load_vehicle(name)
    return replace(car, **{group: replace(getattr(car, group), **values)})  # type: ignore[arg-type]


def _held(vehicle: Vehicle, steer: float, force: float, seconds: float) -> VehicleMotion:
    vehicle.step_force(steer, force, seconds)
    return vehicle.motion()


def _cruise(vehicle: Vehicle, speed: float = 16.7) -> Vehicle:
    vehicle.reset(InitialState(vx_mps=speed))
    return vehicle


@pytest.mark.parametrize("level", ["kinematic", "l1", "l2"])
def test_all_levels_agree_in_a_gentle_turn(level: str) -> None:
    m = _held(_cruise(Vehicle(level=level), 5.0), 0.02, 0.0, 2.0)
    assert m.yaw_rate_radps == pytest.approx(m.vx_mps * math.tan(0.02) / 2.97, rel=0.03)
    assert sum(m.tire_fz_n) == pytest.approx(2359 * G, rel=1e-9)


def test_level_l1_has_no_load_transfer_and_equal_wheels() -> None:
    m = _held(_cruise(Vehicle(level="l1")), 0.05, -4000.0, 1.0)
    assert m.tire_fz_n == pytest.approx(load_vehicle("ioniq5_awd").static_wheel_loads_n())
    assert m.tire_fy_n[0] == m.tire_fy_n[1]
    assert m.roll_rad == 0.0


@pytest.mark.parametrize("mu", [0.05, 0.5, 1.2])
def test_the_kinematic_level_keeps_to_the_circle(mu: float) -> None:
    vehicle = _cruise(Vehicle(level="kinematic", ground=Ground(base_mu=mu)), 20.0)
    for steer, force in ((0.3, -20000.0), (-0.5, 15000.0), (0.0, -99999.0)):
        m = _held(vehicle, steer, force, 0.2)
        assert math.hypot(m.ax_mps2, m.ay_mps2) < mu * G * 1.01 + 0.3
        for fx, fy, fz in zip(m.tire_fx_n, m.tire_fy_n, m.tire_fz_n, strict=True):
            assert math.hypot(fx, fy) <= mu * fz


def test_static_loads_carry_the_weight_and_balance() -> None:
    vehicle = Vehicle()
    m = vehicle.motion()
    assert sum(m.tire_fz_n) == pytest.approx(2359 * G)
    assert sum(m.tire_fz_n[:2]) * 1.17 == pytest.approx(sum(m.tire_fz_n[2:]) * 1.80)


def test_braking_moves_m_a_h_over_l_to_the_front() -> None:
    m = _held(_cruise(Vehicle()), 0.0, -8000.0, 0.5)
    moved = sum(m.tire_fz_n[:2]) - 2359 * G * 1.80 / 2.97
    assert moved == pytest.approx(-sum(m.tire_fx_n) * 0.58 / 2.97, rel=1e-3)


def test_cornering_moves_at_least_m_ay_h_over_t_to_the_outside() -> None:
    m = _held(_cruise(Vehicle()), 0.04, 0.0, 1.5)
    moment = 1.635 / 2.0 * (m.tire_fz_n[1] + m.tire_fz_n[3] - m.tire_fz_n[0] - m.tire_fz_n[2])
    lean = 2359 * G * 0.58 * m.roll_rad  # the weight itself moves out as the body leans
    assert moment == pytest.approx(2359 * m.ay_mps2 * 0.58 + lean, rel=0.01)


def test_a_lifted_wheel_has_no_load_and_the_sum_stays() -> None:
    vehicle = Vehicle(ground=Ground(base_mu=1.2))
    vehicle.reset(InitialState(vy_mps=-12.0))
    lifted = False
    for _ in range(400):
        m = _held(vehicle, 0.0, 0.0, 0.0005)
        assert min(m.tire_fz_n) >= 0.0
        assert sum(m.tire_fz_n) == pytest.approx(2359 * G, rel=1e-9)
        lifted |= min(m.tire_fz_n) == 0.0
    tall = _changed("ioniq5_awd", "body", cg_height_m=1.3)
    vehicle = Vehicle(_with_stiff_roll(tall), ground=Ground(base_mu=1.2))
    vehicle.reset(InitialState(vy_mps=-12.0))
    m = _held(vehicle, 0.0, 0.0, 0.3)
    assert min(m.tire_fz_n) == 0.0
    assert sum(m.tire_fz_n) == pytest.approx(2359 * G, rel=1e-9)


def _with_stiff_roll(car: VehicleParameters) -> VehicleParameters:
    stiff = replace(
        car.suspension, roll_stiffness_front_nm_per_rad=3e5, roll_stiffness_rear_nm_per_rad=3e5
    )
    return replace(car, suspension=stiff)


def test_a_slope_pulls_with_its_sine_and_shows_in_the_attitude() -> None:
    vehicle = Vehicle(ground=Ground(slope_x=0.08))
    m = _held(vehicle, 0.0, 0.0, 1.0)
    sine = 0.08 / math.hypot(1.0, 0.08)
    # The turning wheels take their share: 4 J / R^2 beside the mass.
    share = 2359.0 / (2359.0 + 4 * 2.0 / 0.338**2)
    assert m.ax_mps2 == pytest.approx(share * -(G * sine - 0.012 * G), rel=0.02)
    assert m.pitch_rad == pytest.approx(-math.atan(0.08), abs=2e-3)  # nose up
    assert m.z_m == pytest.approx(m.x_m * sine)
    banked = Vehicle(ground=Ground(slope_y=0.05))
    assert banked.motion().roll_rad == pytest.approx(math.atan(0.05), abs=5e-3)


def test_drive_split_decides_which_wheels_pull() -> None:
    vehicle = _cruise(Vehicle("compact_fwd"), 10.0)
    split = vehicle.parameters.drivetrain.drive_split_front
    m = _held(vehicle, 0.0, 1500.0, 0.5)
    assert sum(m.tire_fx_n[:2]) / sum(m.tire_fx_n) == pytest.approx(split, abs=0.1)


def test_full_throttle_follows_the_motor_curve() -> None:
    vehicle = Vehicle(ground=Ground(base_mu=1.2))
    drivetrain = vehicle.parameters.drivetrain
    vehicle.step_pedals(PedalInput(throttle=1.0), 0.2)
    force = sum(vehicle.motion().tire_fx_n)
    most = drivetrain.motor_torque_curve[0][1] * drivetrain.gear_ratio * drivetrain.efficiency
    share = 2359.0 / (2359.0 + 4 * 2.0 / 0.338**2)
    assert force == pytest.approx(share * most / 0.338, rel=0.03)
    vehicle.step_pedals(PedalInput(throttle=1.0), 8.0)
    m = vehicle.motion()
    speed = np.mean(m.wheel_spin_radps) * drivetrain.gear_ratio
    torque = float(np.interp(speed, *zip(*drivetrain.motor_torque_curve, strict=True)))
    expected = torque * drivetrain.gear_ratio * drivetrain.efficiency / 0.338
    rolling = vehicle.tyre.rolling_resistance * sum(m.tire_fz_n)
    assert sum(m.tire_fx_n) + rolling == pytest.approx(expected, rel=0.06)


def test_the_motor_ends_where_its_curve_ends() -> None:
    vehicle = Vehicle()
    vehicle.step_pedals(PedalInput(throttle=1.0), 120.0)
    end = vehicle.parameters.drivetrain.motor_torque_curve[-1][0]
    spin = np.mean(vehicle.motion().wheel_spin_radps)
    assert spin * vehicle.parameters.drivetrain.gear_ratio <= end * 1.05


def test_gears() -> None:
    for gear, direction in ((1, 1.0), (0, 0.0), (-1, -1.0)):
        vehicle = Vehicle()
        vehicle.step_pedals(PedalInput(throttle=0.3, gear=gear), 2.0)
        assert np.sign(vehicle.motion().vx_mps) == direction


def test_brake_pedal_and_hand_brake() -> None:
    vehicle = _cruise(Vehicle(), 15.0)
    vehicle.step_pedals(PedalInput(brake=0.3), 0.5)
    m = vehicle.motion()
    brakes = vehicle.parameters.brakes
    share = 2359.0 / (2359.0 + 4 * 2.0 / 0.338**2)
    assert -sum(m.tire_fx_n) == pytest.approx(share * 0.3 * brakes.max_torque_nm / 0.338, rel=0.05)
    assert sum(m.tire_fx_n[:2]) / sum(m.tire_fx_n) == pytest.approx(brakes.front_share, abs=0.03)
    vehicle = _cruise(Vehicle(), 15.0)
    vehicle.step_pedals(PedalInput(handbrake=True), 0.5)
    m = vehicle.motion()
    assert sum(m.tire_fx_n[2:]) < -4000.0
    assert abs(sum(m.tire_fx_n[:2])) < 500.0


def test_pedals_are_cut_and_shown() -> None:
    vehicle = Vehicle()
    vehicle.step_pedals(PedalInput(throttle=7.0, brake=-2.0, steer_rad=3.0), 0.01)
    m = vehicle.motion()
    assert (m.throttle_applied, m.brake_applied, m.steer_applied_rad) == (1.0, 0.0, 0.55)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda v: v.step_pedals(PedalInput(throttle=math.nan), 0.01), "throttle=nan: must"),
        (lambda v: v.step_pedals(PedalInput(gear=2), 0.01), "gear=2: must be -1, 0 or 1"),
        (lambda v: v.step_force(math.inf, 0.0, 0.01), "step_force"),
        (lambda v: v.step_force(0.0, 0.0, 0.0007), "duration_s=0.0007: must be a whole number"),
        (lambda v: v.step_force(0.0, 0.0, 0.0), "duration_s=0"),
        (lambda v: v.step_force(0.0, 0.0, math.nan), "duration_s=nan"),
        (lambda v: v.reset(InitialState(vx_mps=math.nan)), "vx_mps=nan"),
        (lambda v: v.reset(InitialState(x_m=1e9)), "x_m=1e"),
        (lambda _: Vehicle(substep_s=0.0), "substep_s=0"),
        (lambda _: Vehicle(level="l4"), "level='l4'"),
    ],
)
def test_errors_name_the_input(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=message):
        call(Vehicle())


def test_open_differential_lets_one_wheel_spin_and_a_locked_one_does_not() -> None:
    road = Ground(split=SplitMu(mu_left=0.05, mu_right=0.9))
    spins, forces = {}, {}
    for kind in ("open", "locked"):
        car = _changed("sport_rwd", "drivetrain", differential_rear=kind)
        vehicle = Vehicle(car, ground=road)
        m = _held(vehicle, 0.0, 3000.0, 0.5)
        spins[kind] = m.wheel_spin_radps[2] - m.wheel_spin_radps[3]
        forces[kind] = m.tire_fx_n[2] + m.tire_fx_n[3]
    assert spins["open"] > 10.0
    assert spins["locked"] == 0.0
    # Open: torque is equal on both sides, but only the gripping side turns it into force.
    assert forces["locked"] > 1.3 * forces["open"]


def test_relaxation_length_delays_the_side_force_by_its_length() -> None:
    tyre = replace(load_tyre("mf96"), relaxation_length_lateral_m=0.6)

    def rise_s(vehicle: Vehicle) -> float:
        """Time until the front tyres make 63 % of the force that the step settles to early."""
        _cruise(vehicle, 20.0)
        forces = [_held(vehicle, 0.01, 0.0, 0.0005).tire_fy_n[0] for _ in range(100)]
        return 0.0005 * float(np.argmax(np.array(forces) > 0.632 * 1100.0))

    assert rise_s(Vehicle()) <= 0.001
    assert rise_s(Vehicle(tyre=tyre)) == pytest.approx(0.6 / 20.0, rel=0.35)


def test_cornering_stiffness_is_that_of_the_axle() -> None:
    """The file's value is per axle: a wheel at its static load must have half of it."""
    vehicle = Vehicle(level="l1")
    vehicle.reset(InitialState(vx_mps=20.0, vy_mps=0.02))
    m = vehicle.motion()
    alpha = 0.001
    assert m.tire_fy_n[0] + m.tire_fy_n[1] == pytest.approx(-2.2e5 * alpha, rel=1e-3)
    assert m.tire_fy_n[2] + m.tire_fy_n[3] == pytest.approx(-1.6e5 * alpha, rel=1e-3)


def test_a_tyre_file_makes_a_car_that_turns_brakes_and_keeps_to_the_circle() -> None:
    vehicle = _cruise(Vehicle(tyre="road_235_55r19", ground=Ground(base_mu=0.4)))
    for steer, force in ((0.05, 0.0), (0.1, -12000.0), (-0.1, 8000.0)):
        for _ in range(200):
            m = _held(vehicle, steer, force, 0.0005)
            for fx, fy, fz in zip(m.tire_fx_n, m.tire_fy_n, m.tire_fz_n, strict=True):
                assert math.hypot(fx, fy) <= 0.4 * fz * (1.0 + 1e-12)


def test_aligning_torque_acts_against_the_steering() -> None:
    m = _held(_cruise(Vehicle()), 0.03, 0.0, 0.5)
    assert m.rack_torque_nm < 0.0


def test_springs_carry_the_load_changes() -> None:
    m = _held(_cruise(Vehicle()), 0.0, -6000.0, 0.5)
    assert m.suspension_compression_m[0] > 0.0 > m.suspension_compression_m[2]
    assert sum(Vehicle().motion().suspension_compression_m) == pytest.approx(0.0, abs=1e-9)


def test_a_tall_car_says_that_its_inner_wheels_have_lifted() -> None:
    car = load_vehicle("ioniq5_awd")
    tall = Vehicle(
        replace(car, body=replace(car.body, cg_height_m=1.2)), ground=Ground(base_mu=1.2)
    )
    tall.reset(InitialState(vx_mps=15.0))
    assert tall.motion().wheels_lifted == (False,) * 4
    tall.step_force(0.12, 0.0, 0.6)
    assert tall.motion().wheels_lifted == (True, False, True, False)
    tall.reset(InitialState(vx_mps=15.0))
    tall.step_force(-0.12, 0.0, 0.6)
    assert tall.motion().wheels_lifted == (False, True, False, True)
