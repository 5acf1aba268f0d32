"""Sine with dwell: the steering's shape, the criteria, a car that passes and one that spins."""

import math

import numpy as np
import pytest
from vdsim_plant.parameters import ParameterError
from vdsim_plant.study.manoeuvres import sine_with_dwell
from vdsim_plant.study.manoeuvres.driving import car_under_test
from vdsim_plant.study.manoeuvres.sine_with_dwell import (
    DWELL_S,
    FREQUENCY_HZ,
    slowly_increasing_steer_angle,
    steering_profile,
)

START_S = 0.2


def test_the_steering_is_a_sine_that_dwells_at_its_second_peak() -> None:
    at = lambda share: steering_profile(START_S + share / FREQUENCY_HZ)  # noqa: E731
    assert at(0.0) == 0.0
    assert at(0.25) == pytest.approx(1.0)
    assert at(0.5) == pytest.approx(0.0, abs=1e-12)
    assert at(0.75) == pytest.approx(-1.0)
    for share in (0.0, 0.3, 0.7, 1.0):
        dwelling = START_S + 0.75 / FREQUENCY_HZ + share * DWELL_S
        assert steering_profile(dwelling) == pytest.approx(-1.0)
    end = START_S + 1.0 / FREQUENCY_HZ + DWELL_S
    assert steering_profile(end) == pytest.approx(0.0, abs=1e-9)
    assert steering_profile(end + 0.1) == steering_profile(START_S - 0.1) == 0.0


def test_the_reference_angle_is_that_of_linear_theory() -> None:
    # delta = 0.3 g (L / v^2 + K) = 2.942 (2.97 / 493.8 + 6.905e-4) = 0.01973 rad, 15.8 deg at 14:1
    angle = slowly_increasing_steer_angle(car_under_test("ioniq5_awd", None, 0.9), 80 / 3.6)
    assert math.degrees(angle) * 14.0 == pytest.approx(15.8, rel=0.2)


@pytest.fixture(scope="module")
def sport():  # type: ignore[no-untyped-def]
    return sine_with_dwell("sport_rwd")


def test_the_series_runs_in_half_steps_to_270_degrees(sport) -> None:  # type: ignore[no-untyped-def]
    factors = [run.amplitude_in_a for run in sport.runs]
    assert factors[:3] == [1.5, 2.0, 2.5]
    assert sport.runs[-1].steering_wheel_amplitude_deg == pytest.approx(270.0)


def test_a_car_with_grip_to_spare_at_the_rear_passes(sport) -> None:  # type: ignore[no-untyped-def]
    assert sport.passed
    assert sport.worst_yaw_ratio_at_1_00_s <= 0.35
    assert sport.worst_yaw_ratio_at_1_75_s <= 0.20
    assert sport.smallest_displacement_m >= sport.required_displacement_m == 1.83


def test_a_car_without_stability_control_may_spin_and_fails() -> None:
    result = sine_with_dwell("ioniq5_awd")
    assert not result.passed
    unstable = [run for run in result.runs if not run.stable]
    assert unstable
    assert result.largest_stable_amplitude_deg < min(
        run.steering_wheel_amplitude_deg for run in unstable
    )
    assert np.isfinite(result.runs[-1].trace.yaw_rate_radps).all()


def test_with_esc_a_car_passes_that_spins_without() -> None:
    helped = sine_with_dwell("ioniq5_awd", assist="passenger_car")
    assert helped.passed
    assert helped.smallest_displacement_m > helped.required_displacement_m == 1.83
    with pytest.raises(ParameterError, match="assist='none_such'"):
        sine_with_dwell(assist="none_such")


def test_a_road_that_is_too_slippery_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"mu=0\.2: must be >= 0\.45"):
        sine_with_dwell(mu=0.2)
