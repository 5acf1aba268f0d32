"""Hand-over: no channel jumps, the end is certain."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vdsim_interface.arbitration.hand_over import HandOver
from vdsim_interface.arbitration.motion import MeasuredMotion
from vdsim_interface.arbitration.parameters import HandOverParameters
from vdsim_interface.values import Command, HighLevelCommand, RawCommand, VehicleCommand
from vdsim_interface_kit.teleop import STATE

P = HandOverParameters()
WHEELBASE_M = 2.97
DT_S = 0.02
ROLLING = MeasuredMotion(8.0, 0.05, STATE)

speeds = st.floats(-5.0, 20.0)
curvatures = st.floats(-0.2, 0.2)
accels = st.floats(-6.0, 3.0)
angles = st.floats(-0.5, 0.5)


def blend(
    previous: Command | None, new: Command, motion: MeasuredMotion = ROLLING
) -> list[Command]:
    """The stream after a hand-over to a source that keeps saying `new`, until it has settled."""
    hand_over = HandOver(P, WHEELBASE_M)
    hand_over.start(previous, new, motion, 0.0)
    stream = [hand_over.apply(new, 0.0)]
    while hand_over.active:
        stream.append(hand_over.apply(new, len(stream) * DT_S))
        assert len(stream) < 5000, "the blend does not end"
    return stream


@settings(max_examples=200)
@given(speeds, curvatures, speeds, curvatures)
def test_high_level_does_not_jump(v0: float, k0: float, v1: float, k1: float) -> None:
    """From the speed of the car, where the new one asks for less, or for no turn back."""
    towards = min(max(v0, v1), max(min(v0, v1), 8.0))
    stream = [
        HighLevelCommand(0.0, towards if abs(towards) < abs(v0) or towards * v0 < 0.0 else v0, k0),
        *blend(HighLevelCommand(0.0, v0, k0), HighLevelCommand(0.0, v1, k1)),
    ]
    fastest = max(P.accel_mps2, P.decel_mps2) * DT_S + 1e-9
    for before, after in itertools.pairwise(stream):
        assert isinstance(before, HighLevelCommand)
        assert isinstance(after, HighLevelCommand)
        assert abs(after.velocity_mps - before.velocity_mps) <= fastest
        step = P.wheel_rate_radps / WHEELBASE_M * DT_S + 1e-9
        assert abs(after.curvature_1pm - before.curvature_1pm) <= step
    assert stream[-1] == HighLevelCommand(0.0, v1, k1)


def test_a_blend_asks_for_no_speed_against_the_motion_that_the_new_source_does_not_ask_for() -> (
    None
):
    """The stack had just asked to turn back; a person takes over, and the car would turn back."""
    reversing = MeasuredMotion(-3.8, 0.0, STATE)
    old, new = HighLevelCommand(0.0, 3.0, 0.0), HighLevelCommand(0.0, -3.6, 0.0)
    for command in blend(old, new, reversing):
        assert isinstance(command, HighLevelCommand)
        assert command.velocity_mps <= 0.0


@settings(max_examples=200)
@given(accels, angles, accels, angles)
def test_vehicle_level_does_not_jump(a0: float, d0: float, a1: float, d1: float) -> None:
    old, new = VehicleCommand(0.0, a0, d0), VehicleCommand(0.0, a1, d1)
    stream = [old, *blend(old, new)]
    for before, after in itertools.pairwise(stream):
        assert isinstance(before, VehicleCommand)
        assert isinstance(after, VehicleCommand)
        rise = after.long_accel_mps2 - before.long_accel_mps2
        assert -P.brake_jerk_mps3 * DT_S - 1e-9 <= rise <= P.jerk_mps3 * DT_S + 1e-9
        turn = abs(after.front_wheel_angle_rad - before.front_wheel_angle_rad)
        assert turn <= P.wheel_rate_radps * DT_S + 1e-9
    assert stream[-1] == new


def test_braking_passes_faster_than_speeding_up() -> None:
    slow, fast = HighLevelCommand(0.0, 2.0, 0.0), HighLevelCommand(0.0, 10.0, 0.0)
    assert len(blend(fast, slow)) < len(blend(slow, fast)) / 2
    back_slow, back_fast = HighLevelCommand(0.0, -2.0, 0.0), HighLevelCommand(0.0, -10.0, 0.0)
    assert len(blend(back_fast, back_slow)) < len(blend(back_slow, back_fast)) / 2


def test_rolling_backwards_a_rising_acceleration_is_the_brake() -> None:
    back = MeasuredMotion(-3.0, 0.0, STATE)
    push, brake = VehicleCommand(0.0, -1.0), VehicleCommand(0.0, 2.0)
    assert len(blend(push, brake, back)) < len(blend(brake, push, back)) / 2


def test_raw_throttle_rises_slowly_falls_at_once_and_the_brake_passes() -> None:
    low, high = RawCommand(0.0, 0, 300, 0), RawCommand(0.0, 900, 0, 400)
    rising = blend(low, high)
    throttles = [c.throttle for c in rising if isinstance(c, RawCommand)]
    assert throttles[0] == 0
    assert throttles[-1] == 900
    assert max(b - a for a, b in itertools.pairwise(throttles)) <= 21
    falling = blend(high, low)[0]
    assert falling == RawCommand(0.0, 0, 300, 400)


def test_a_throttle_that_falls_during_the_blend_is_not_pulled_below_zero() -> None:
    hand_over = HandOver(P, WHEELBASE_M)
    hand_over.start(RawCommand(0.0, 0), RawCommand(0.0, 200), ROLLING, 0.0)
    assert hand_over.apply(RawCommand(0.0, 50), 0.0) == RawCommand(0.0, 0)


def test_from_another_level_it_starts_at_what_the_car_does() -> None:
    first = blend(VehicleCommand(0.0, 1.0, 0.1), HighLevelCommand(0.0, 3.0, 0.0))[0]
    assert isinstance(first, HighLevelCommand)
    assert first.velocity_mps == pytest.approx(8.0)
    assert first.curvature_1pm == pytest.approx(math.tan(0.1) / WHEELBASE_M)
    first = blend(HighLevelCommand(0.0, 8.0, 0.02), VehicleCommand(0.0, 2.0, -0.1))[0]
    assert isinstance(first, VehicleCommand)
    assert first.long_accel_mps2 == pytest.approx(0.0)
    assert first.front_wheel_angle_rad == pytest.approx(math.atan(0.02 * WHEELBASE_M))


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(("asked", "first"), [(0.0, 0.6), (0.5, 0.6), (1.0, 1.0), (9.0, 8.0)])
def test_a_speed_that_the_car_does_not_have_yet_is_not_driven_to(
    sign: float, asked: float, first: float
) -> None:
    """Seed 9801748 of `guarded`: a person took over and let go; the car sped up for 1.3 s more."""
    before, new = HighLevelCommand(0.0, 8.0 * sign, 0.0), HighLevelCommand(0.0, asked * sign, 0.0)
    passed = blend(before, new, MeasuredMotion(0.6 * sign, 0.0, STATE))[0]
    assert isinstance(passed, HighLevelCommand)
    assert passed.velocity_mps == pytest.approx(first * sign)
    stops = HighLevelCommand(0.0, 0.0, 0.0)
    passed = blend(stops, before, MeasuredMotion(5.0 * sign, 0.0, STATE))[0]
    assert isinstance(passed, HighLevelCommand)
    assert passed.velocity_mps == 0.0, "speeding up again takes its time"


def test_with_nothing_before_it_starts_at_the_cars_motion_or_passes() -> None:
    new = HighLevelCommand(0.0, 3.0, 0.1)
    first = blend(None, new)[0]
    assert isinstance(first, HighLevelCommand)
    assert first.velocity_mps == pytest.approx(8.0)
    assert blend(None, new, MeasuredMotion()) == [new]
    assert blend(None, RawCommand(0.0, 5, 6, 7)) == [RawCommand(0.0, 5, 6, 7)]


@pytest.mark.parametrize("motion", [MeasuredMotion(), MeasuredMotion(0.0, 0.1, STATE)])
def test_a_brake_that_is_the_first_command_is_no_request_for_nothing(
    motion: MeasuredMotion,
) -> None:
    """Seed 9897281: blended from 0, the brake that held a car chose REVERSE, and drove it."""
    held = VehicleCommand(0.0, -1.0, 0.1)
    assert blend(None, held, motion)[0] == held


def test_the_new_source_is_followed_while_the_gap_fades() -> None:
    hand_over = HandOver(P, WHEELBASE_M)
    hand_over.start(HighLevelCommand(0.0, 5.0, 0.0), HighLevelCommand(0.0, 8.0, 0.0), ROLLING, 0.0)
    passed = []
    for wanted_mps in (8.0, 9.0, 4.0):
        command = hand_over.apply(HighLevelCommand(0.0, wanted_mps, 0.0), 0.0)
        assert isinstance(command, HighLevelCommand)
        passed.append(command.velocity_mps)
    assert passed == [5.0, 6.0, 4.0]


def test_a_first_command_that_was_not_meant_makes_no_jump() -> None:
    """A computer shouts full lock, is selected, and sends what it means from then on."""
    hand_over = HandOver(P, WHEELBASE_M)
    hand_over.start(VehicleCommand(0.0, 0.0, 0.29), VehicleCommand(0.0, 0.0, 0.5), ROLLING, 0.0)
    passed = []
    for n, angle_rad in enumerate((0.5, 0.26, 0.26, 0.28)):
        command = hand_over.apply(VehicleCommand(0.0, 0.0, angle_rad), 0.01 * n)
        assert isinstance(command, VehicleCommand)
        passed.append(command.front_wheel_angle_rad)
    assert passed == [0.29, 0.26, 0.26, 0.28]


def test_a_command_that_swings_during_the_blend_does_not_hurry_it() -> None:
    hand_over = HandOver(P, WHEELBASE_M)
    hand_over.start(VehicleCommand(0.0, 0.0, 0.0), VehicleCommand(0.0, 0.0, 0.3), ROLLING, 0.0)
    for n in range(20):
        command = hand_over.apply(VehicleCommand(0.0, 0.0, 0.29 + 0.01 * (-1) ** n), 0.01 * n)
        assert isinstance(command, VehicleCommand)
        assert command.front_wheel_angle_rad <= P.wheel_rate_radps * 0.01 * n + 1e-9


def test_a_command_that_comes_closer_than_the_gap_is_reached() -> None:
    """Another computer drives to 8 m/s, and then asks for little more than passes."""
    hand_over = HandOver(P, WHEELBASE_M)
    hand_over.start(HighLevelCommand(0.0, 2.5), HighLevelCommand(0.0, 8.0), ROLLING, 0.0)
    hand_over.apply(HighLevelCommand(0.0, 3.0), 0.0)
    for n in range(1, 6):
        hand_over.apply(HighLevelCommand(0.0, 3.0), 0.1 * n)
    assert hand_over.apply(HighLevelCommand(0.0, 3.0), 0.6) == HighLevelCommand(0.0, 3.0)
    assert not hand_over.active


def test_the_sum_never_exceeds_both_its_ends() -> None:
    hand_over = HandOver(P, WHEELBASE_M)
    hand_over.start(VehicleCommand(0.0, 0.0, 0.5), VehicleCommand(0.0, 0.0, 0.0), ROLLING, 0.0)
    out = hand_over.apply(VehicleCommand(0.0, 0.0, 0.4), 0.0)
    assert isinstance(out, VehicleCommand)
    assert out.front_wheel_angle_rad == 0.5


def test_a_command_of_another_level_is_not_touched() -> None:
    hand_over = HandOver(P, WHEELBASE_M)
    hand_over.start(VehicleCommand(0.0, 0.0, 0.5), VehicleCommand(0.0, 0.0, 0.0), ROLLING, 0.0)
    assert hand_over.apply(RawCommand(0.0, 1, 2, 3), 0.0) == RawCommand(0.0, 1, 2, 3)


def test_a_request_to_stand_during_the_blend_does_not_drive_backward() -> None:
    """The first stack was stopping at 2.5 m/s, the second drives 8 m/s, and then asks to stand."""
    hand_over = HandOver(P, WHEELBASE_M)
    hand_over.start(HighLevelCommand(0.0, 2.5), HighLevelCommand(0.0, 8.0), ROLLING, 0.0)
    passed = []
    for n in range(700):
        wanted = HighLevelCommand(0.0, 8.0 if n < 50 else 0.0)
        command = hand_over.apply(wanted, 0.01 * n)
        assert isinstance(command, HighLevelCommand)
        passed.append(command.velocity_mps)
    assert 2.5 <= passed[0] < passed[49] < 8.0
    assert min(passed) == 0.0


@settings(max_examples=200)
@given(speeds, st.lists(speeds, min_size=1, max_size=30))
def test_what_passes_never_moves_away_from_what_is_asked(
    before: float, wanted: list[float]
) -> None:
    hand_over = HandOver(P, WHEELBASE_M)
    first = HighLevelCommand(0.0, wanted[0])
    hand_over.start(HighLevelCommand(0.0, before), first, ROLLING, 0.0)
    for n, speed_mps in enumerate(wanted):
        passed = hand_over.apply(HighLevelCommand(0.0, speed_mps), 0.1 * n)
        assert isinstance(passed, HighLevelCommand)
        low, high = sorted((before, speed_mps))
        assert low <= passed.velocity_mps <= high
        before = passed.velocity_mps


@pytest.mark.parametrize(
    ("huge", "new"),
    [
        (HighLevelCommand(0.0, 3e38, 3e38), HighLevelCommand(0.0, 3.0)),
        (HighLevelCommand(0.0, 5.0, -3e38), HighLevelCommand(0.0, 3.0)),
        (HighLevelCommand(0.0, 5.0, 90.0), HighLevelCommand(0.0, 3.0)),
        (VehicleCommand(0.0, 3e38, 0.0), VehicleCommand(0.0, -2.0)),
        (VehicleCommand(0.0, 1.0, -3e38), VehicleCommand(0.0, -2.0)),
    ],
)
def test_a_number_that_no_car_could_follow_leaves_no_gap_for_ever(
    huge: Command, new: Command
) -> None:
    """A planner went mad, and a person took over: the wheels stayed at their limit."""
    hand_over = HandOver(P, WHEELBASE_M)
    hand_over.start(huge, new, ROLLING, 0.0)
    passed = [hand_over.apply(new, 0.01 * n) for n in range(800)]
    assert passed[-1] == new
    assert not hand_over.active
    assert all(max(map(abs, command[1:])) < 20.0 for command in passed)


@pytest.mark.parametrize(
    ("steer", "is_blended"), [(-(2**31), False), (-5001, False), (-5000, True)]
)
def test_raw_steering_that_no_car_could_follow_leaves_no_gap_for_ever(
    steer: int, is_blended: bool
) -> None:
    """Seed 9907226: what a cast made of nan; the wheels would have stayed at their limit."""
    hand_over, new = HandOver(P, WHEELBASE_M), RawCommand(0.0, 200, 0, 30)
    hand_over.start(RawCommand(0.0, 0, 0, steer), new, ROLLING, 0.0)
    assert (hand_over.apply(new, 0.0) != new) is is_blended
    assert hand_over.apply(new, 8.0) == new
