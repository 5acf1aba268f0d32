"""The planning simulator beyond the drives: start, modes, gears, time-outs, road, poses."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from vdsim_autoware.adapter import Control
from vdsim_autoware.adapter.enums import ControlMode
from vdsim_autoware.car import Start
from vdsim_autoware.simulator import PlanningSimulator
from vdsim_autoware_kit.parameter_sets import simulator
from vdsim_interface.values import Gear

DRIVE, REVERSE, PARK = 2, 20, 22
AUTONOMOUS, STEER_ONLY, VELOCITY_ONLY, MANUAL = 1, 2, 3, 4
MODEL = "DELAY_STEER_ACC_GEARED"


def command(
    car: PlanningSimulator, accel: float, angle: float = 0.0, speed: float = 5.0
) -> Control:
    return Control(
        received_s=car.now,
        steering_rad=angle,
        velocity_mps=speed,
        acceleration_mps2=accel,
        is_defined_acceleration=False,
    )


def run(
    car: PlanningSimulator,
    seconds: float,
    accel: float | None = None,
    angle: float = 0.0,
    *,
    manual: bool = False,
) -> PlanningSimulator:
    for _ in range(round(100 * seconds)):
        if accel is not None:
            car.on_control(command(car, accel, angle), manual=manual)
        car.step()
    return car


def placed(model: str = MODEL, gear: int | None = DRIVE, **changes: object) -> PlanningSimulator:
    car = simulator(model, **changes)
    car.put(Start(10.0, -5.0, 3.0, 0.5 * math.pi))
    if gear is not None:
        car.on_gear(gear)
    return car


def reported_gear(car: PlanningSimulator) -> Gear:
    report = car.report()
    assert report is not None
    return report.gear


def until(car: PlanningSimulator, condition: Callable[[], bool], accel: float | None) -> None:
    for _ in range(2000):
        if condition():
            return
        run(car, 0.01, accel)
    raise AssertionError("never")


def test_it_is_engaged_in_park_before_anything_arrives() -> None:
    car = simulator(MODEL)
    assert car.control_mode() is ControlMode.AUTONOMOUS
    assert not car.is_placed
    run(car, 20.0)
    assert car.control_mode() is ControlMode.AUTONOMOUS
    assert reported_gear(car) is Gear.PARK


def test_the_rear_axle_is_where_the_pose_puts_it_at_its_height() -> None:
    motion = placed().motion()
    assert (motion.x_m, motion.y_m) == pytest.approx((10.0, -5.0), abs=1e-6)
    assert (motion.z_m, motion.yaw_rad) == pytest.approx((3.0, 0.5 * math.pi))
    assert motion.vx_mps == pytest.approx(0.0, abs=1e-6)


def test_a_new_pose_in_motion_stops_the_car_there_and_it_drives_again() -> None:
    car = run(placed(), 2.0, 2.0)
    assert car.motion().vx_mps > 2.0
    car.put(Start(0.0, 0.0, 0.0, 0.0))
    motion = car.motion()
    assert math.hypot(motion.x_m, motion.y_m) < 0.01
    assert abs(motion.vx_mps) < 0.01
    assert reported_gear(car) is Gear.DRIVE
    assert run(car, 1.5, 3.0).motion().x_m > 1.0


def test_an_initial_speed_is_taken() -> None:
    car = simulator(MODEL)
    car.put(Start(0.0, 0.0, 0.0, 0.0, speed_mps=8.0))
    assert car.motion().vx_mps == pytest.approx(8.0, abs=0.1)


def test_a_car_put_at_speed_drives_on_as_it_is_commanded() -> None:
    for accel in (0.0, 0.01, 0.3):
        car = run(placed(), 1.0, accel)
        car.put_moving(Start(0.0, 0.0, 0.0, 0.0, speed_mps=10.0))
        run(car, 2.0, accel)
        assert car.motion().vx_mps == pytest.approx(10.0 + 2.0 * accel, abs=0.15)


@pytest.mark.parametrize("model", [MODEL, "IDEAL_STEER_ACC", "vdsim_l1", "vdsim_l2", "vdsim_l3"])
def test_the_acceleration_of_every_model_is_the_commanded_one(model: str) -> None:
    for accel in (1.0, 3.0, -2.0):
        car = run(placed(model), 4.0, 3.0) if accel < 0.0 else placed(model)
        before_mps = run(car, 1.5, accel).motion().vx_mps
        assert run(car, 1.0, accel).motion().vx_mps - before_mps == pytest.approx(accel, rel=5e-3)


def a_hill(rise: float) -> bytes:
    from autoware_planning_msgs.msg import Trajectory, TrajectoryPoint
    from rclpy.serialization import serialize_message

    hill = Trajectory()
    for index in range(100):
        point = TrajectoryPoint()
        point.pose.position.x, point.pose.position.z = float(index), rise * index
        hill.points.append(point)
    return bytes(serialize_message(hill))


@pytest.mark.parametrize(
    ("model", "stands"), [(MODEL, True), ("DELAY_STEER_ACC_GEARED_WO_FALL_GUARD", False)]
)
def test_a_geared_model_does_not_fall_back_from_a_hill(model: str, stands: bool) -> None:
    car = simulator(model, enable_road_slope_simulation=True)
    car.put(Start(50.0, 0.0, 5.0, 0.0))
    assert car.on_trajectory(a_hill(0.1))
    car.on_gear(DRIVE)
    speed_mps = run(car, 3.0, 0.3).motion().vx_mps
    assert (abs(speed_mps) < 0.01) is stands, speed_mps
    assert run(car, 3.0, 2.0).motion().vx_mps > 1.0
    down = simulator(model, enable_road_slope_simulation=True)
    down.put(Start(50.0, 0.0, 5.0, 0.0))
    assert down.on_trajectory(a_hill(0.1))
    down.on_gear(REVERSE)
    assert run(down, 3.0, 0.3).motion().vx_mps < -2.0, "downhill it is pulled"


@pytest.mark.parametrize("model", [MODEL, "vdsim_l1", "vdsim_l2", "vdsim_l3"])
def test_the_last_of_a_soft_stop_is_no_jolt(model: str) -> None:
    """Over 50 ms the acceleration changes by 3.4 m/s3 at most, as Autoware's own model has it."""
    car = run(placed(model), 1.5, 0.5)
    run(car, 1.0, -0.15)
    speeds = []
    for _ in range(1000):
        speeds.append(run(car, 0.01, -0.15).motion().vx_mps)
    assert speeds[-1] == pytest.approx(0.0, abs=1e-3)
    assert min(speeds) > -2e-3
    accels = [(after - before) / 0.05 for before, after in zip(speeds, speeds[5:], strict=False)]
    jerks = [(after - before) / 0.05 for before, after in zip(accels, accels[5:], strict=False)]
    assert max(abs(jerk) for jerk in jerks) < 3.4


def test_commands_that_end_stop_the_car_which_stays_engaged() -> None:
    car = run(placed(), 2.0, 2.0)
    speed_mps = car.motion().vx_mps
    run(car, 0.4)
    assert car.motion().vx_mps > speed_mps - 0.3
    until(car, lambda: car.motion().vx_mps < 0.01, None)
    run(car, 10.0)
    assert car.control_mode() is ControlMode.AUTONOMOUS
    assert reported_gear(car) is Gear.DRIVE
    assert any("is stale" in notice.text for notice in car.take_notices())
    assert run(car, 1.5, 3.0).motion().vx_mps > 2.0


def test_positive_acceleration_in_reverse_drives_backwards() -> None:
    car = run(placed(gear=REVERSE), 1.5, 2.0)
    assert car.motion().vx_mps < -1.0
    assert car.motion().y_m < -6.0


def test_negative_acceleration_stops_and_never_drives_backwards() -> None:
    car = run(placed(), 2.0, 2.0)
    until(car, lambda: car.motion().vx_mps < 0.01, -3.0)
    y_m = car.motion().y_m
    assert run(car, 3.0, -3.0).motion().y_m == pytest.approx(y_m, abs=0.02)


def test_reverse_at_speed_is_ignored() -> None:
    car = run(placed(), 2.0, 2.0)
    car.on_gear(REVERSE)
    run(car, 0.2, 0.0)
    assert reported_gear(car) is Gear.DRIVE


@pytest.mark.parametrize("mode", [STEER_ONLY, VELOCITY_ONLY])
def test_partial_modes_are_refused_unless_they_are_asked_for(mode: int) -> None:
    for is_on in (False, True):
        car = placed(partial_modes=is_on)
        run(car, 0.1, 0.0)
        run(car, 0.1, 0.0, manual=True)
        assert car.on_mode_request(mode) is is_on
        assert car.control_mode() is ControlMode(mode if is_on else AUTONOMOUS)


def test_manual_obeys_the_manual_commands_and_autonomous_takes_the_car_back() -> None:
    car = placed()
    assert car.on_mode_request(MANUAL)
    assert car.control_mode() is ControlMode.MANUAL
    run(car, 1.0, 3.0)
    assert car.motion().vx_mps == pytest.approx(0.0, abs=0.01)
    car.on_gear(DRIVE, manual=True)
    run(car, 1.5, 2.0, 0.1, manual=True)
    assert car.motion().vx_mps > 1.5
    assert car.motion().wheel_angle_rad == pytest.approx(0.1, abs=0.01)
    run(car, 0.1, 2.0, 0.1)
    assert car.on_mode_request(AUTONOMOUS)
    run(car, 0.5, 2.0, -0.1)
    assert car.motion().wheel_angle_rad < 0.05


def test_autonomous_at_rest_needs_no_command() -> None:
    car = placed()
    assert car.on_mode_request(MANUAL)
    assert car.on_mode_request(AUTONOMOUS)
    assert car.control_mode() is ControlMode.AUTONOMOUS


@pytest.mark.parametrize("mode", [0, 5, 6, 99])
def test_other_modes_are_refused(mode: int) -> None:
    car = placed()
    assert not car.on_mode_request(mode)
    assert car.control_mode() is ControlMode.AUTONOMOUS


def test_without_engage_the_car_stands_until_it_comes() -> None:
    car = run(placed(initial_engage_state=False), 1.5, 3.0)
    assert car.motion().vx_mps == pytest.approx(0.0, abs=0.01)
    car.on_engage(True)
    assert run(car, 1.5, 3.0).motion().vx_mps > 2.0


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_a_number_that_is_none_is_discarded_and_the_next_command_counts(wrong: float) -> None:
    car = run(placed(), 0.5, 2.0)
    for _ in range(100):
        car.on_control(command(car, wrong, wrong))
        car.on_control(command(car, 2.0))
        car.step()
    assert car.motion().vx_mps > 2.0
    assert abs(car.motion().wheel_angle_rad) < 0.01


def test_lamps_and_unknown_numbers() -> None:
    car = placed()
    car.on_turn(2)
    run(car, 0.1)
    report = car.report()
    assert report is not None
    assert report.blinker.name == "LEFT"
    for number in (7, 200):
        car.on_turn(number)
        car.on_gear(number)
        car.on_hazard(number)
    run(car, 0.1)
    assert reported_gear(car) is Gear.DRIVE


def test_the_speed_limit_of_the_model_holds() -> None:
    car = run(placed(vel_lim=3.0), 5.0, 4.0)
    assert car.motion().vx_mps == pytest.approx(3.0, abs=0.5)


def test_the_acceleration_is_that_of_the_command_after_its_delay_and_lag() -> None:
    car = placed(acc_time_delay=0.3, acc_time_constant=0.1)
    run(car, 0.3, 2.0)
    assert car.motion().vx_mps == pytest.approx(0.0, abs=0.02)
    run(car, 2.0, 2.0)
    assert car.motion().ax_mps2 == pytest.approx(2.0, abs=0.1)
    assert car.motion().vx_mps == pytest.approx(2.0 * (2.0 - 0.1), abs=0.3)


def test_the_steering_bias_is_in_the_measured_angle() -> None:
    car = run(placed(steer_bias=0.02), 3.0, 0.0, 0.1)
    assert car.motion().wheel_angle_rad == pytest.approx(0.1, abs=0.005)
    true_rad = car.pipeline.vehicle.front_wheel_angle_rad if car.pipeline.vehicle else math.nan
    assert true_rad == pytest.approx(0.08, abs=0.005)


def test_low_friction_takes_drive_and_brake_from_the_planner() -> None:
    ice, dry = (run(placed("vdsim_l2", friction=mu), 4.0, 5.0) for mu in (0.2, 0.9))
    assert ice.motion().vx_mps < 0.6 * dry.motion().vx_mps
    assert run(ice, 0.5, -5.0).motion().ax_mps2 > -2.3


def test_a_hill_of_the_trajectory_pulls_the_car_and_shows_in_height_and_pitch() -> None:
    from autoware_planning_msgs.msg import Trajectory, TrajectoryPoint
    from rclpy.serialization import serialize_message

    hill = Trajectory()
    hill.header.frame_id = "map"
    for index in range(100):
        point = TrajectoryPoint()
        point.pose.position.x = float(index)
        point.pose.position.z = 50.0 + 0.1 * index
        hill.points.append(point)
    speeds = {}
    for is_on in (True, False):
        car = simulator(MODEL, enable_road_slope_simulation=is_on)
        car.put(Start(0.0, 0.0, 50.0, 0.0))
        assert car.on_trajectory(serialize_message(hill))
        car.on_gear(DRIVE)
        run(car, 3.0, 2.0)
        motion = car.motion()
        assert motion.z_m == pytest.approx(50.0 + 0.1 * motion.x_m, abs=0.06)
        assert motion.pitch_rad == pytest.approx(-math.atan(0.1), abs=1e-6)
        speeds[is_on] = motion.vx_mps
    assert speeds[False] - speeds[True] == pytest.approx(0.98 * 2.8, rel=0.25)


def test_a_wheel_angle_out_of_range_is_reported_though_the_delays_clamp_it() -> None:
    car = run(placed(), 1.0, 1.0, angle=10.0)
    [line] = [line for line in car.diagnostics() if line.name == "control_cmd"]
    assert "steering_tire_angle=10 is outside" in line.text


def test_autonomous_is_refused_to_a_moving_car_whose_wheels_are_elsewhere() -> None:
    car = run(placed(), 3.0, 1.0)
    assert car.on_mode_request(MANUAL)
    run(car, 0.5, 0.0, angle=0.5)
    assert not car.on_mode_request(AUTONOMOUS)
    run(car, 0.5, 0.0, angle=0.0)
    assert car.on_mode_request(AUTONOMOUS)
