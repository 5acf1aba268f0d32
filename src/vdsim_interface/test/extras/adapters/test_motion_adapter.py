"""Twist and Ackermann commands as commands of the interface: limited, refused, never NaN."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_interface.extras.adapters.motion import Ackermann, Adapted, MotionAdapter, Twist
from vdsim_interface.extras.adapters.parameters import AdapterParameters
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.values import HighLevelCommand

LIMITS = AdapterParameters()
MOST = LIMITS.curvature_max_1pm


def twist(x: float, z: float, y: float = 0.0) -> Adapted:
    return MotionAdapter(LIMITS).on_twist(Twist(x, y, z), 1.0)


def drive(speed: float, angle: float, *rates: str) -> Adapted:
    return MotionAdapter(LIMITS).on_ackermann(Ackermann(speed, angle, rates), 1.0)


@pytest.mark.parametrize(
    ("x", "z", "speed", "curvature", "limited"),
    [
        (4.0, 0.2, 4.0, 0.05, ()),
        (-2.0, 0.1, -2.0, -0.05, ()),
        (0.0, 0.0, 0.0, 0.0, ()),
        (0.03, 0.005, 0.03, 0.0, ()),
        (50.0, 0.0, 30.0, 0.0, ("linear.x",)),
        (-5.0, 0.0, -3.0, 0.0, ("linear.x",)),
        (1.0, 0.9, 1.0, MOST, ("angular.z",)),
        (10.0, 1.0, math.sqrt(40.0), 0.1, ("linear.x",)),
    ],
)
def test_a_twist_is_passed_on_within_the_limits(
    x: float, z: float, speed: float, curvature: float, limited: tuple[str, ...]
) -> None:
    adapted = twist(x, z)
    assert adapted.command == HighLevelCommand(1.0, pytest.approx(speed), pytest.approx(curvature))
    assert (adapted.refusal, adapted.limited) == ("", limited)


@pytest.mark.parametrize(("x", "z"), [(0.0, 0.3), (0.04, -1.0), (-0.02, 0.05)])
def test_turning_on_the_spot_is_refused_and_the_car_stands(x: float, z: float) -> None:
    adapted = twist(x, z)
    assert adapted.command == HighLevelCommand(1.0, 0.0, 0.0)
    assert f"angular.z={z:.3g} rad/s at linear.x={x:.3g} m/s" in adapted.refusal
    assert "a car does not turn on the spot; it needs 0.05 m/s" in adapted.refusal


def test_a_refused_command_and_a_stop_keep_the_wheels() -> None:
    adapter = MotionAdapter(LIMITS)
    adapter.on_twist(Twist(4.0, 0.0, 0.4), 1.0)
    for stop in (Twist(0.0, 0.0, 0.0), Twist(0.0, 0.0, 0.5)):
        adapted = adapter.on_twist(stop, 2.0)
        assert adapted.command == HighLevelCommand(2.0, 0.0, pytest.approx(0.1))


def test_a_car_does_not_move_sideways() -> None:
    assert twist(2.0, 0.0, y=0.5).limited == ("linear.y",)


@pytest.mark.parametrize(
    ("speed", "angle", "expected", "limited"),
    [
        (5.0, 0.1, (5.0, math.tan(0.1) / 2.97), ()),
        (0.0, 0.3, (0.0, math.tan(0.3) / 2.97), ()),
        (-1.0, 0.1, (-1.0, math.tan(0.1) / 2.97), ()),
        (1.0, 1.4, (1.0, MOST), ("steering_angle",)),
        (20.0, 0.1, (math.sqrt(4.0 * 2.97 / math.tan(0.1)), math.tan(0.1) / 2.97), ("speed",)),
    ],
)
def test_an_ackermann_drive_is_passed_on_within_the_limits(
    speed: float, angle: float, expected: tuple[float, float], limited: tuple[str, ...]
) -> None:
    adapted = drive(speed, angle)
    assert adapted.command == HighLevelCommand(1.0, *map(pytest.approx, expected))
    assert (adapted.refusal, adapted.limited) == ("", limited)


def test_rates_that_are_not_used_are_named() -> None:
    assert drive(1.0, 0.0, "jerk").limited == ("jerk",)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_discarded(bad: float) -> None:
    assert twist(bad, 0.0) == Adapted(None, "linear.x: not a finite number")
    assert twist(1.0, bad, bad) == Adapted(None, "linear.y, angular.z: not a finite number")
    assert drive(bad, 0.0) == Adapted(None, "speed: not a finite number")
    assert drive(1.0, bad) == Adapted(None, "steering_angle: not a finite number")


_NUMBER = st.floats(allow_nan=False, allow_infinity=False)


@given(_NUMBER, _NUMBER, _NUMBER)
def test_whatever_arrives_the_command_is_within_the_limits(x: float, y: float, z: float) -> None:
    for adapted in (twist(x, z, y), drive(x, z)):
        assert adapted.command is not None
        speed, curvature = adapted.command.velocity_mps, adapted.command.curvature_1pm
        assert -LIMITS.backward_speed_max_mps <= speed <= LIMITS.forward_speed_max_mps
        assert abs(curvature) <= MOST * (1.0 + 1e-9)
        assert speed**2 * abs(curvature) <= LIMITS.lateral_accel_max_mps2 * (1.0 + 1e-9)


def test_a_car_that_never_drives_backward() -> None:
    never = MotionAdapter(AdapterParameters(backward_speed_max_mps=0.0))
    adapted = never.on_twist(Twist(-1.0, 0.0, 0.0), 1.0)
    assert adapted.command == HighLevelCommand(1.0, 0.0, 0.0)
    assert adapted.limited == ("linear.x",)


def test_a_wrong_limit_is_one_line() -> None:
    with pytest.raises(ParameterError, match=r"^lateral_accel_max_mps2=-1.0: must be >= 0.05"):
        AdapterParameters(lateral_accel_max_mps2=-1)
