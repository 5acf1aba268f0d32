"""The steering wheel of AutoHYU's car: its polynomial, and the speed that its transmitter keeps."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_interface.extras.autohyu.parameters import AutohyuParameters
from vdsim_interface.extras.autohyu.steering import SteeringGear, SteeringSpeed
from vdsim_interface.parameters.fields import ParameterError

CUBIC = (-0.003527, -0.001528, 16.06, 0.0)
"""Of the public can_transmitter."""


def test_the_polynomial_of_the_transmitter() -> None:
    gear = SteeringGear(14.0, CUBIC)
    assert gear.wheel_deg(10.0) == pytest.approx(-3.527 - 0.1528 + 160.6)
    assert SteeringGear(14.0, ()).wheel_deg(10.0) == 140.0
    assert gear.slope(0.0) == 16.06


@given(st.floats(-34.0, 34.0))
def test_the_inverse_finds_the_tyre_angle(tyre_deg: float) -> None:
    gear = SteeringGear(14.0, CUBIC)
    assert gear.tyre_deg(gear.wheel_deg(tyre_deg)) == pytest.approx(tyre_deg, abs=1e-9)


@pytest.mark.parametrize(
    ("cubic", "text"),
    [
        ((1.0, 2.0), "must have four terms"),
        ((-0.01, 0.0, 16.0, 0.0), "must rise from -35 to 35 deg"),
        ((0.0, 0.0, -14.0, 0.0), "must rise from -35 to 35 deg"),
    ],
)
def test_a_polynomial_without_an_inverse_is_refused(cubic: tuple[float, ...], text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        AutohyuParameters(steering_cubic=cubic)


def wheel_speeds(most_degps: float, *, active: bool) -> list[float]:
    """Of the steering wheel while the tyres are asked to jump by 20 degrees [deg/s]."""
    gear = SteeringGear(14.0, CUBIC)
    limit = SteeringSpeed(gear, most_degps)
    at, speeds = 0.0, []
    for _ in range(100):
        tyre_deg = math.degrees(limit.step(math.radians(20.0), 0.01, active=active))
        speeds.append((gear.wheel_deg(tyre_deg) - at) / 0.01)
        at = gear.wheel_deg(tyre_deg)
    assert at == pytest.approx(gear.wheel_deg(20.0), abs=1e-6)
    return speeds


def test_the_wheel_moves_no_faster_than_is_allowed_while_it_is_active() -> None:
    assert max(wheel_speeds(800.0, active=True)) == pytest.approx(800.0, rel=1e-6)
    assert max(wheel_speeds(0.0, active=True)) > 20_000.0, "not limited"
    assert max(wheel_speeds(800.0, active=False)) > 20_000.0, "as the transmitter, only when active"
