"""Parts of the planning simulator: maps, trajectory, clock, steering, noise."""

from __future__ import annotations

import math
import struct
from random import Random

import pytest
from autoware_planning_msgs.msg import Trajectory as TrajectoryMsg
from autoware_planning_msgs.msg import TrajectoryPoint
from hypothesis import given, settings
from hypothesis import strategies as st
from rclpy.serialization import serialize_message
from vdsim_autoware.model.command_map import CommandMap, parse_command_map
from vdsim_autoware.model.lags import toward
from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_autoware.model.steering import (
    LaggedSteering,
    MechanicalSteering,
    RateMapSteering,
    Steering,
    VariableRatio,
)
from vdsim_autoware.noise import MeasurementNoise
from vdsim_autoware.periods import Periods
from vdsim_autoware.simulator import Motion
from vdsim_autoware.trajectory import MOST_POINTS, Trajectory, points_of
from vdsim_autoware_kit.parameter_sets import ACCELS, STEERS, parameter_set, simulator
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.flat import from_flat

DT = 0.01


def a_map(content: str = ACCELS) -> CommandMap:
    return parse_command_map("accel_map_path", "map.csv", content)


# ---- maps ----------------------------------------------------------------------------------------


def test_a_map_is_linear_between_its_points_and_constant_beyond() -> None:
    accels = a_map()
    assert accels.value(0.5, 0.0) == 5.0
    assert accels.value(0.4, 0.0) == pytest.approx(4.5)
    assert accels.value(0.5, 6.945) == pytest.approx(4.95)
    assert accels.value(9.0, 99.0) == 9.9
    assert accels.value(-1.0, -5.0) == 3.0


def test_the_command_of_a_value_is_the_way_back() -> None:
    accels = a_map()
    for command in (0.0, 0.15, 0.5, 0.9, 1.0):
        assert accels.command(accels.value(command, 3.0), 3.0) == pytest.approx(command)
    assert accels.command(-5.0, 3.0) == 0.0
    assert accels.command(50.0, 3.0) == 1.0


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("", "must have a row of speeds"),
        ("default,0,1\n", "must have a row of speeds"),
        ("default,zero\n0,1\n", "row 1: must be a name and numbers"),
        ("default,0,1\n0,1\n", "row 2: must be 3 numbers"),
        ("default,0,1\n0,nan,1\n", "row 2: must be 3 numbers"),
        ("default,1,0\n0,1,1\n", "the speeds of row 1 must rise"),
        ("default,0,1\n1,1,1\n1,2,2\n", "the commands of column 1 must rise"),
    ],
)
def test_a_wrong_map_is_refused_with_its_row(content: str, text: str) -> None:
    with pytest.raises(ParameterError, match=f"accel_map_path=map.csv: {text}"):
        a_map(content)


@settings(deadline=None)
@given(st.text(alphabet="0123456789.,-e \ndefault", max_size=80))
def test_no_text_crashes_the_reader(content: str) -> None:
    try:
        made = a_map(content)
    except ParameterError:
        return
    assert math.isfinite(made.value(0.3, 2.0))


# ---- trajectory ----------------------------------------------------------------------------------


def trajectory(frame: str, places: list[tuple[float, float, float]]) -> bytes:
    message = TrajectoryMsg()
    message.header.frame_id = frame
    for x_m, y_m, z_m in places:
        point = TrajectoryPoint(longitudinal_velocity_mps=3.0)
        point.pose.position.x, point.pose.position.y, point.pose.position.z = x_m, y_m, z_m
        message.points.append(point)
    return bytes(serialize_message(message))


PLACES = st.lists(st.tuples(*(st.floats(-1e6, 1e6),) * 3), min_size=1, max_size=5)


@settings(deadline=None)
@given(st.text(alphabet="map/_x", max_size=13), PLACES)
def test_the_points_of_a_serialized_trajectory_are_read(
    frame: str, places: list[tuple[float, float, float]]
) -> None:
    points = points_of(trajectory(frame, places))
    assert points is not None
    assert points.tolist() == [list(place) for place in places]


@settings(deadline=None)
@given(st.binary(max_size=300), st.integers(0, 200))
def test_no_bytes_crash_the_reader(garbage: bytes, cut: int) -> None:
    points_of(garbage)
    points_of(b"\x00\x01\x00\x00" + garbage)
    whole = trajectory("map", [(1.0, 2.0, 3.0), (4.0, 5.0, 6.0)])
    points_of(whole[:cut] + garbage)
    assert points_of(whole[:100]) is None


@pytest.mark.parametrize("count", [MOST_POINTS, MOST_POINTS + 1])
def test_a_trajectory_of_more_points_than_any_stack_plans_is_not_used(count: int) -> None:
    two = trajectory("map", [(1.0, 2.0, 3.0), (4.0, 5.0, 6.0)])
    at = two.index(struct.pack("<I", 2))
    many = two[:at] + struct.pack("<I", count) + two[at + 4 :] + two[-88:] * (count - 2)
    points = points_of(many)
    assert (points is None) == (count > MOST_POINTS)
    assert points is None or len(points) == count


def test_an_unusable_trajectory_leaves_the_one_before() -> None:
    road = Trajectory()
    assert road.surface(0.0, 0.0) is None
    assert road.on_message(trajectory("map", [(0.0, 0.0, 5.0), (10.0, 0.0, 6.0)]))
    for bad in (
        trajectory("map", []),
        trajectory("map", [(math.nan, 0.0, 0.0)]),
        trajectory("map", [(1e308, 0.0, 1e308), (-1e308, 0.0, -1e308)]),
        trajectory("map", [(0.0, 0.0, 0.0), (1.0, 0.0, 1e9)]),
        b"",
    ):
        assert not road.on_message(bad)
    surface = road.surface(1.0, 0.0)
    assert surface is not None
    assert surface.z_m == 5.0
    assert surface.rise_along(0.0) == pytest.approx(0.1)
    assert surface.rise_along(math.pi) == pytest.approx(-0.1)
    assert surface.rise_along(0.5 * math.pi) == pytest.approx(0.0, abs=1e-9)


def test_a_vertical_step_or_a_single_point_is_a_road_too() -> None:
    road = Trajectory()
    assert road.on_message(trajectory("map", [(0.0, 0.0, 0.0), (0.0, 0.0, 9.0)]))
    surface = road.surface(0.0, 0.0)
    assert surface is not None
    assert surface.rise == 0.0
    assert road.on_message(trajectory("map", [(0.0, 0.0, 4.0)]))
    surface = road.surface(0.0, 0.0)
    assert surface is not None
    assert (surface.z_m, surface.rise) == (4.0, 0.0)


# ---- clock ---------------------------------------------------------------------------------------


def test_periods_follow_a_clock_whatever_its_steps() -> None:
    for steps_s in ([0.01] * 100, [0.025] * 40, [0.1] * 10, [0.003] * 333 + [0.001]):
        periods = Periods(DT)
        now, total = 50.0, periods.due(50.0)
        for step_s in steps_s:
            now += step_s
            total += periods.due(now)
        assert total in (99, 100)
        assert periods.jumps == 0


def test_a_clock_that_jumps_or_is_set_back_is_worth_nothing() -> None:
    periods = Periods(DT)
    assert [periods.due(t) for t in (0.0, 0.1, 500.0, 500.05, 3.0, 3.02)] == [0, 10, 0, 5, 0, 2]
    assert periods.jumps == 2


# ---- steering ------------------------------------------------------------------------------------


def parameters(**changes: object) -> SimulatorParameters:
    return from_flat(SimulatorParameters, {**parameter_set("ACTUATION_CMD_VGR"), **changes})


def settle(steering: Steering, command: float, seconds: float = 5.0, speed: float = 0.0) -> float:
    angle = 0.0
    for index in range(round(seconds / DT)):
        angle = steering.step(command, speed, index * DT, DT)
    return angle


def test_the_lag_reaches_63_percent_after_its_time_constant() -> None:
    steering = LaggedSteering(parameters(steer_time_delay=0.0, steer_time_constant=0.5), 0.6)
    assert settle(steering, 0.2, 0.5) == pytest.approx(0.2 * (1 - math.exp(-1)), rel=1e-6)
    assert toward(1.0, 3.0, 0.0, DT) == 3.0


def test_the_dead_band_ends_the_motion_at_its_edge() -> None:
    steering = LaggedSteering(parameters(steer_dead_band=0.03), 0.6)
    assert settle(steering, 0.2) == pytest.approx(0.17, abs=1e-4)
    assert settle(steering, 0.19, 1.0) == pytest.approx(0.17, abs=1e-4)


def test_the_rate_limit_and_the_limit_hold() -> None:
    steering = LaggedSteering(parameters(steer_time_delay=0.0, steer_rate_lim=0.1), 0.6)
    assert settle(steering, 5.0, 1.0) == pytest.approx(0.1, abs=1e-6)
    assert settle(steering, 5.0, 20.0) == pytest.approx(0.6)


def test_a_steering_wheel_turns_the_wheels_by_the_variable_ratio() -> None:
    ratio = VariableRatio(parameters())
    for speed in (0.0, 10.0):
        steering = LaggedSteering(parameters(), 0.6, wanted_angle=ratio.wanted)
        angle = settle(steering, 3.0, speed=speed)
        assert 0.05 < angle < 3.0 / 15.0
        assert 3.0 / angle > 15.0
    assert ratio.hand_wheel(0.1, 0.0) == pytest.approx(1.5713 / 1.0042)


def test_a_rate_map_turns_until_the_command_is_zero() -> None:
    rates = parse_command_map("steer_map_path", "map.csv", STEERS)
    steering = RateMapSteering(
        parameters(steer_time_delay=0.0, steer_time_constant=1.0), 0.6, rates
    )
    assert settle(steering, 10.0, 0.5) == pytest.approx(0.25, abs=0.01)
    assert settle(steering, 0.0, 5.0) == pytest.approx(0.25, abs=0.01)
    assert steering.command_of(0.3, 5.0) == pytest.approx(0.0)


def test_the_mechanical_steering_comes_to_rest_near_the_wanted_angle() -> None:
    made = parameters()
    steering = MechanicalSteering(made, 0.6, VariableRatio(made))
    angle = settle(steering, 3.0, 10.0)
    assert angle == pytest.approx(3.0 / 15.713, rel=0.05)
    assert settle(steering, 3.0, 1.0) == pytest.approx(angle, abs=2e-3)


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.floats(-60.0, 60.0))
def test_no_command_takes_a_steering_beyond_its_limit(commands: list[float], speed: float) -> None:
    made = parameters()
    rates = parse_command_map("steer_map_path", "map.csv", STEERS)
    ratio = VariableRatio(made)
    for steering in (
        LaggedSteering(made, 0.6),
        LaggedSteering(made, 0.6, wanted_angle=ratio.wanted),
        RateMapSteering(made, 0.6, rates),
        MechanicalSteering(made, 0.6, ratio),
    ):
        for index, command in enumerate(commands):
            angle = steering.step(command, speed, index * DT, DT)
            assert math.isfinite(angle)
            assert abs(angle) <= 0.6 + 1e-12


# ---- status and noise ----------------------------------------------------------------------------


def test_the_status_of_the_pedals_is_what_causes_the_motion() -> None:
    car = simulator("ACTUATION_CMD_VGR")
    pedals = car._commands.pedals(5.0, 0.0, 0.1)
    assert pedals is not None
    assert pedals.accel == pytest.approx(0.5)
    assert pedals.steer == pytest.approx(1.5713 / 1.0042)
    assert simulator("IDEAL_STEER_VEL").pedals() is None


def test_noise_has_the_deviations_that_are_asked_for() -> None:
    motion = Motion(*(0.0,) * 11)
    quiet = MeasurementNoise(parameters(add_measurement_noise=False), Random(1))
    assert quiet(motion) == motion
    noisy = MeasurementNoise(parameters(add_measurement_noise=True), Random(1))
    many = [noisy(motion) for _ in range(2000)]
    for values, deviation in (
        ([m.x_m for m in many], 0.01),
        ([m.vx_mps for m in many], 0.01),
        ([m.wheel_angle_rad for m in many], 0.0001),
    ):
        spread = math.sqrt(sum(value * value for value in values) / len(values))
        assert spread == pytest.approx(deviation, rel=0.1)
