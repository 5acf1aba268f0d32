"""Actuators and sensors around VDSimPlant: off by default, seeded, part of the snapshot."""

from __future__ import annotations

from typing import Any

import pytest
from vdsim_plant.actuator import ActuatorParameters, ChannelParameters
from vdsim_plant.sensor import ChannelNoise, SensorParameters
from vdsim_plant_kit.drives import CRUISE, drive, lane_change

from vdsim_plant import VDSimPlant

LAGGING = ActuatorParameters(steering=ChannelParameters(lag_s=0.2))
NOISY = SensorParameters(yaw_rate=ChannelNoise(noise_std=0.01, bias=0.005))


def test_ideal_actuators_change_nothing_to_the_bit() -> None:
    inputs = lane_change()
    assert drive(VDSimPlant(actuators=ActuatorParameters()), inputs) == drive(VDSimPlant(), inputs)


def test_a_lag_follows_its_time_constant() -> None:
    plant = VDSimPlant(actuators=LAGGING)
    plant.reset(list(CRUISE))
    for _ in range(4):  # 0.2 s
        plant.step([0.05, 0.0])
    assert plant.motion().steer_applied_rad == pytest.approx(0.05 * 0.632, rel=0.01)


def test_reset_starts_the_layers_anew() -> None:
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
