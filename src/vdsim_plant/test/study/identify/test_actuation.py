"""Delay and lag of a whole log against the actuators of the plant, step by step."""

from __future__ import annotations

import numpy as np
import pytest
from vdsim_plant.actuator import ActuatorLayer, ActuatorParameters, ChannelParameters
from vdsim_plant.motion import PedalInput
from vdsim_plant.study.identify.actuation import realized

PERIOD_S = 0.01
FINE = 100  # ticks of the plant's layer in a period


@pytest.mark.parametrize(("delay_s", "lag_s"), [(0.0, 0.05), (0.02, 0.1), (0.0234, 0.03)])
def test_position_and_mean_are_those_of_the_plants_actuator(delay_s: float, lag_s: float) -> None:
    command = np.repeat(np.random.default_rng(1).uniform(-1.0, 1.0, 12), 5)
    command[0] = 0.0
    position, mean = realized(
        command, [(0, len(command))], period_s=PERIOD_S, delay_s=delay_s, lag_s=lag_s
    )
    layer = ActuatorLayer(
        ActuatorParameters(steering=ChannelParameters(delay_s=delay_s, lag_s=lag_s))
    )
    tick = PERIOD_S / FINE
    seen = []
    for value in command:
        held = PedalInput(steer_rad=float(value), throttle=0.0, brake=0.0, gear=1)
        seen += [layer.realize_pedals(held, tick).steer_rad for _ in range(FINE)]
    fine = np.array(seen).reshape(-1, FINE)
    # The layer's value of a tick is that at its end: half a tick ahead in the mean.
    assert np.allclose(position[1:], fine[:-1, -1], atol=5e-3)
    assert np.allclose(mean, fine.mean(axis=1), atol=5e-3)


def test_stretches_know_nothing_of_each_other() -> None:
    command = np.concatenate((np.zeros(20), np.ones(20)))
    position, mean = realized(
        command, [(0, 20), (20, 40)], period_s=PERIOD_S, delay_s=0.05, lag_s=0.1
    )
    assert np.all(position[:20] == 0.0)
    assert np.allclose(position[20:], 1.0)
    assert np.allclose(mean[20:], 1.0)


def test_a_change_of_the_delay_by_less_than_a_period_changes_the_position_smoothly() -> None:
    command = np.concatenate((np.zeros(5), np.ones(30)))
    positions = [
        realized(command, [(0, 35)], period_s=PERIOD_S, delay_s=delay, lag_s=0.05)[0][12]
        for delay in np.linspace(0.018, 0.022, 9)
    ]
    steps = np.diff(positions)
    assert np.all(steps < 0.0)
    assert np.max(np.abs(np.diff(steps))) < 0.05 * np.max(np.abs(steps))
