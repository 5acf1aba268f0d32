"""The table that `check` explores is the one that runs: the same ways lead from state to state."""

from __future__ import annotations

import random

import pytest
from vdsim_can.car import load_car
from vdsim_can.car.handshake_checks import successors
from vdsim_can.data import EXAMPLES, example
from vdsim_can.platform.handshake_run import HandshakeRun

PERIOD_S = 0.01
PERIODS_N = 30_000


@pytest.mark.parametrize("name", [name for name in EXAMPLES if load_car(example(name)).handshake])
def test_the_running_handshake_takes_the_ways_of_the_explored_table_and_no_other(name: str) -> None:
    car = load_car(example(name))
    places = {step.state: place for place, step in enumerate(car.handshake)}
    signals = sorted({c.signal for step in car.handshake for c in step.wait_for})
    run, chance = HandshakeRun(car.handshake), random.Random(name)
    taken: dict[int, set[int]] = {place: set() for place in places.values()}
    values: dict[object, float] = {}
    for period in range(PERIODS_N):
        if period % 7 == 0:  # whatever the car reports, for a while
            for signal in signals:
                low, high = car.signal(signal).raw_range()
                values[signal] = car.signal(signal).physical(chance.randint(low, high))
        assert run.step is not None
        before = places[run.step.state]
        run.update(PERIOD_S * period, values.__getitem__, wanted=chance.random() < 0.98)
        run.on_sent(car.send)
        after = places[run.step.state]
        if after != before:
            taken[before].add(after)
    explored = {place: set(ways) - {place} for place, ways in successors(car).items()}
    assert taken == explored
