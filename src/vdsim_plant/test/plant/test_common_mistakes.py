"""What newcomers get wrong, and what the plant says about it."""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pytest
from vdsim_plant.parameters import ParameterError

from vdsim_plant import VDSimPlant

DEGREES = r"=5: is 286 degrees, the car's limit is 0\.55 rad \(32 degrees\); angles are in rad"


def plant_at_speed() -> VDSimPlant:
    plant = VDSimPlant(control_dt=0.01)
    plant.reset([0, 0, 0, 20.0, 0, 0])
    return plant


# --- degrees in place of radians


def test_a_steering_angle_in_degrees_warns_once() -> None:
    plant = plant_at_speed()
    with pytest.warns(UserWarning, match=r"u\[0\] \(delta\)" + DEGREES):
        plant.step([5.0, 0.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plant.step([5.0, 0.0])
        plant.step([-30.0, 0.0])


@pytest.mark.parametrize("delta", [0.55, -1.1, 0.0])
def test_an_angle_near_the_cars_limit_is_cut_without_a_word(delta: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plant_at_speed().step([delta, 0.0])


def test_a_warning_changes_no_bit() -> None:
    with pytest.warns(UserWarning, match=DEGREES):
        cut = plant_at_speed().step([5.0, 0.0])
    assert cut == plant_at_speed().step([0.55, 0.0])


@pytest.mark.parametrize("rows", [[5.0, 0.0], [[0.1, 0.0], [5.0, 0.0], [0.0, 0.0]]])
def test_a_batch_warns_once_too(rows: list[float]) -> None:
    batch = VDSimPlant(control_dt=0.01).batch(3)
    with pytest.warns(UserWarning, match=r"u\[[01]\]\[0\]" + DEGREES):
        batch.step(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batch.step(rows)
    with pytest.warns(UserWarning, match=DEGREES):
        VDSimPlant(control_dt=0.01).batch(3).rollout(np.full((3, 4, 2), 5.0))


# --- periods that the default substep does not divide


@pytest.mark.parametrize("control_dt", [1 / 60, 1 / 30, 1 / 144, 0.0123])
def test_a_substep_that_divides_the_period_is_proposed_and_works(control_dt: float) -> None:
    # [VS-2.5]
    with pytest.raises(ParameterError, match=r"substep_dt=0\.0005: must divide control_dt") as no:
        VDSimPlant(control_dt=control_dt)
    proposal = str(no.value).rpartition("control_dt / ")[2].partition(" ")[0]
    plant = VDSimPlant(control_dt=control_dt, substep_dt=control_dt / int(proposal))
    assert plant.substep_dt <= 5e-4
    for _ in range(10):
        plant.step([0.0, 0.0])
    assert plant.motion().time_s == pytest.approx(10 * control_dt)


# --- one plant, several callers


class StepsWhileRead:
    """An input that uses the plant while the plant reads it, as a second thread would."""

    def __init__(self, use: Callable[[], object]) -> None:
        self.use = use

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        self.use()
        return np.zeros(2)


@pytest.mark.parametrize(
    "use",
    [lambda it: it.step([0, 0]), lambda it: it.reset(), lambda it: it.restore(it.snapshot())],
)
def test_a_call_during_a_step_is_refused(use: Callable[[object], object]) -> None:
    for it in (plant_at_speed(), plant_at_speed().batch(3)):
        with pytest.raises(RuntimeError, match="is used by two threads at once: give each its own"):
            it.step(StepsWhileRead(lambda it=it: use(it)))  # type: ignore[misc]
        it.step([0.0, 0.0])  # and it goes on


def test_no_step_of_two_threads_is_lost_silently() -> None:
    plant = plant_at_speed()
    done = [0, 0]

    def drive(who: int) -> None:
        for _ in range(2000):
            with suppress(RuntimeError):
                plant.step([0.0, 0.0])
                done[who] += 1

    threads = [threading.Thread(target=drive, args=(who,)) for who in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert plant.motion().time_s == pytest.approx(0.01 * sum(done))


def test_a_wrong_input_leaves_the_plant_usable() -> None:
    plant = plant_at_speed()
    with pytest.raises(ParameterError):
        plant.step([math.nan, 0.0])
    assert plant.step([0.0, 0.0])["t"] == pytest.approx(0.01)


# --- is a row a car or a period?


def test_rows_that_may_be_cars_or_periods_are_refused_with_both_ways_to_write_them() -> None:
    batch = plant_at_speed().batch(3)
    u = np.array([[0.0, 1000.0], [0.0, 2000.0], [0.0, 3000.0]])
    with pytest.raises(ParameterError, match=r"inputs: has shape \(3, 2\).*\[:, None\].*\[None\]"):
        batch.rollout(u)
    assert batch.rollout(u[:, None]).shape == (3, 1, 6)
    batch.reset()
    same = batch.rollout(u[None])
    assert same.shape == (3, 3, 6)
    assert (same[0] == same[2]).all()
    assert batch.rollout(u[:2]).shape == (3, 2, 6)
    assert plant_at_speed().batch(1).rollout(u[:1]).shape == (1, 1, 6)
