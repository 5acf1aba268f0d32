"""Step steer: the response against linear single-track theory."""

import math

import pytest
from vdsim_plant.parameters import ParameterError, load_vehicle
from vdsim_plant.study.manoeuvres import step_steer
from vdsim_plant.vehicle_characteristics import understeer_gradient, yaw_mode


def test_the_gain_at_small_acceleration_is_that_of_theory() -> None:
    vehicle = load_vehicle("ioniq5_awd")
    result = step_steer(lateral_acceleration_mps2=0.5, speed_mps=20.0)
    gradient = understeer_gradient(vehicle, 2.2e5, 1.6e5)
    gain = 20.0 / (vehicle.body.wheelbase_m + gradient * 20.0**2)
    assert result.yaw_rate_gain_per_s == pytest.approx(gain, rel=0.03)


def test_the_asked_for_acceleration_is_reached() -> None:
    result = step_steer(lateral_acceleration_mps2=4.0)
    assert result.steady_lateral_acceleration_mps2 == pytest.approx(4.0, rel=0.01)
    steady = result.steady_yaw_rate_radps * result.speed_mps
    assert steady == pytest.approx(4.0, rel=0.02), "steady: ay = v r"


def test_times_are_ordered_and_fit_the_natural_frequency() -> None:
    result = step_steer(lateral_acceleration_mps2=2.0)
    assert 0.0 < result.yaw_rate_response_time_s < result.yaw_rate_peak_time_s
    assert result.yaw_rate_response_time_s < result.lateral_acceleration_response_time_s
    mode = yaw_mode(load_vehicle("ioniq5_awd"), 2.2e5, 1.6e5, result.speed_mps)
    assert result.yaw_rate_response_time_s < 1.0 / (math.pi * mode.frequency_hz)


def test_a_livelier_car_answers_faster() -> None:
    sport, family = step_steer("sport_rwd"), step_steer("ioniq5_awd")
    assert sport.yaw_rate_response_time_s < family.yaw_rate_response_time_s


def test_more_than_the_road_gives_is_refused() -> None:
    with pytest.raises(ParameterError) as caught:
        step_steer(mu=0.3, lateral_acceleration_mps2=4.0)
    assert str(caught.value) == (
        "lateral_acceleration_mps2=4.0: must be > 0 and < 2.79 m/s2 on this road"
    )
