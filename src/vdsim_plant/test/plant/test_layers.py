"""Actuators and sensors around VDSimPlant: off by default, seeded, part of the snapshot."""

from __future__ import annotations

from typing import Any

import pytest
from vdsim_plant.actuator import ActuatorParameters, ChannelParameters
from vdsim_plant.motion import VehicleMotion
from vdsim_plant.sensor import ChannelNoise, SensorParameters
from vdsim_plant_kit.drives import CRUISE, drive, lane_change

from vdsim_plant import VDSimPlant

LAGGING = ActuatorParameters(steering=ChannelParameters(lag_s=0.2))
NOISY = SensorParameters(yaw_rate=ChannelNoise(noise_std=0.01, bias=0.005))


PERIODS_S = (0.05, 0.01, 0.005, 0.002)
BRAKE_AND_TURN = [0.05, -3000.0]


def _after(seconds: float, **options: Any) -> VDSimPlant:
    plant = VDSimPlant(**options)
    plant.reset(list(CRUISE))
    for _ in range(round(seconds / plant.control_dt)):
        plant.step(BRAKE_AND_TURN)
    return plant


@pytest.mark.parametrize("control_dt", PERIODS_S)
def test_a_sensor_is_as_late_as_its_delay_whatever_the_control_period(control_dt: float) -> None:
    delays = {"ax": 0.005, "ay": 0.0125, "yaw_rate": 0.0035, "steer": 0.0, "gnss_x": 0.06}
    sensors = SensorParameters(**{k: ChannelNoise(delay_s=v) for k, v in delays.items()})
    measured = _after(0.2, control_dt=control_dt, sensors=sensors).measured()

    def truth(delay_s: float) -> VehicleMotion:
        return _after(0.2 - delay_s, control_dt=5e-4).motion()

    assert measured.ax_mps2 == truth(0.005).ax_mps2
    assert measured.ay_mps2 == truth(0.0125).ay_mps2
    assert measured.yaw_rate_radps == truth(0.0035).yaw_rate_radps
    assert measured.steer_rad == truth(0.0).steer_applied_rad
    assert measured.gnss_x_m == truth(0.06).x_m
    assert measured.gnss_y_m == truth(0.0).y_m


@pytest.mark.parametrize("control_dt", PERIODS_S)
@pytest.mark.parametrize("actuators", [None, "passenger_car"])
def test_what_is_measured_changes_nothing(control_dt: float, actuators: str | None) -> None:
    driven = _after(0.2, control_dt=control_dt, actuators=actuators)
    measured = _after(0.2, control_dt=control_dt, actuators=actuators, sensors="automotive")
    assert measured.motion() == driven.motion()


def test_ideal_actuators_change_nothing_to_the_bit() -> None:
    inputs = lane_change()
    assert drive(VDSimPlant(actuators=ActuatorParameters()), inputs) == drive(VDSimPlant(), inputs)


def test_a_lag_follows_its_time_constant() -> None:
    plant = VDSimPlant(actuators=LAGGING)
    plant.reset(list(CRUISE))
    for _ in range(4):  # 0.2 s
        plant.step([0.05, 0.0])
    assert plant.motion().steer_applied_rad == pytest.approx(0.05 * 0.632, rel=0.01)


def test_reset_starts_the_layers_again() -> None:
    plant = VDSimPlant(actuators=LAGGING, sensors=NOISY, seed=3)
    first = drive(plant, lane_change())
    measured = plant.measured()
    assert drive(plant, lane_change()) == first
    assert plant.measured() == measured


def test_sensors_measure_and_leave_the_truth_alone() -> None:
    noisy, ideal = VDSimPlant(sensors=NOISY, seed=1), VDSimPlant()
    assert drive(noisy, lane_change()) == drive(ideal, lane_change())
    assert ideal.measured().yaw_rate_radps == ideal.motion().yaw_rate_radps
    assert noisy.measured().yaw_rate_radps != ideal.measured().yaw_rate_radps
    other = VDSimPlant(sensors=NOISY, seed=2)
    drive(other, lane_change())
    assert other.measured() != noisy.measured()


def test_a_snapshot_keeps_the_layers() -> None:
    plant = VDSimPlant(actuators=LAGGING, sensors=NOISY, seed=5)
    drive(plant, lane_change()[:20])
    kept, measured = plant.snapshot(), plant.measured()
    ahead = [plant.step(list(u)) for u in lane_change()[20:]]
    ahead_measured = plant.measured()
    plant.restore(kept)
    assert plant.measured() == measured
    assert [plant.step(list(u)) for u in lane_change()[20:]] == ahead
    assert plant.measured() == ahead_measured


@pytest.mark.parametrize("broken", [b"", b"abc", b"\x09" + bytes(7), b"\xff" * 40])
def test_a_broken_snapshot_is_refused(broken: bytes) -> None:
    with pytest.raises(ValueError, match="snapshot"):
        VDSimPlant().restore(broken)


def test_a_snapshot_of_other_layers_is_refused() -> None:
    with pytest.raises(ValueError, match="not of a plant with these layers"):
        VDSimPlant().restore(VDSimPlant(actuators=LAGGING).snapshot())


@pytest.mark.parametrize(
    ("layers", "other"),
    [
        ({"actuators": LAGGING}, {"actuators": "passenger_car"}),
        ({"sensors": NOISY}, {"sensors": "automotive"}),
        ({"actuators": LAGGING, "sensors": NOISY}, {"actuators": LAGGING, "sensors": "automotive"}),
    ],
)
def test_a_snapshot_of_the_same_layers_with_other_parameters_is_refused(
    layers: dict[str, Any], other: dict[str, Any]
) -> None:
    plant = VDSimPlant(**layers)
    before = plant.snapshot()
    with pytest.raises(ValueError, match="not of a plant with these layers"):
        plant.restore(VDSimPlant(**other).snapshot())
    assert plant.snapshot() == before
