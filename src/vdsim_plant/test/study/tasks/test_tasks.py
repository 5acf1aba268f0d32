"""The driving tasks for learning, without anybody's interface."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from vdsim_plant.study.tasks import OBSERVED, TASKS, TaskCars, task_named
from vdsim_plant.study.tasks.picture import HEIGHT, WIDTH, picture
from vdsim_plant.study.tasks.reference import Circle, Curve, StraightLine
from vdsim_plant.study.tasks.task import Scene

Array = NDArray[np.float64]
KEEP = np.array([-0.6, -2.0])  # steering for the distance [2 m] and the heading [rad]


def _cars(name: str, n: int = 12, **options: Any) -> TaskCars:
    return TaskCars(task_named(name), n, **options)


def _follow(cars: TaskCars, periods: int, force: float = 0.0) -> tuple[Array, NDArray[np.bool_]]:
    """Drive by distance, heading and curvature; return the rewards and who reached an end."""
    cars.start(np.random.default_rng(0))
    seen = cars.seen()
    total, ended = np.zeros(cars.n), np.zeros(cars.n, dtype=bool)
    for _ in range(periods):
        wanted = 3.2 * 0.02 * seen[:, 9]  # of the line half a second ahead
        steer = seen[:, :2] @ KEEP * 0.15 + wanted
        push = np.full(cars.n, force)
        done = cars.step(np.column_stack([steer / cars.task.steer_max_rad, push]))
        total += done.reward * ~ended
        ended |= done.terminated
        seen = done.seen
    return total, ended


@pytest.mark.parametrize("name", TASKS)
def test_a_seed_and_the_actions_decide_every_bit(name: str) -> None:
    def driven(seed: int, threads: int) -> tuple[bytes, bytes, bytes]:
        cars = _cars(name, 40, threads=threads, randomise=True, variants=5)
        random = np.random.default_rng(seed)
        cars.start(random)
        actions = np.random.default_rng(1).uniform(-1.0, 1.0, (20, 40, 2))
        for action in actions:
            done = cars.step(action)
            cars.start(random, done.terminated)
        return done.seen.tobytes(), done.reward.tobytes(), cars.batch.snapshot()

    assert driven(3, 1) == driven(3, 2)
    assert driven(3, 1) != driven(4, 1)


@pytest.mark.parametrize("name", TASKS)
def test_what_is_seen_is_what_the_cars_do(name: str) -> None:
    cars = _cars(name)
    cars.start(np.random.default_rng(0))
    action = np.tile([0.4, -0.2], (12, 1))
    done = cars.step(action)
    truth = cars.batch.observe()
    assert done.seen.shape == (12, len(OBSERVED))
    assert done.seen.dtype == np.float32
    for column, (key, scale) in {2: ("vx", 20), 3: ("vy", 5), 4: ("r", 1), 6: ("ay", 10)}.items():
        wanted = dict(truth)[key] / scale
        assert done.seen[:, column] == pytest.approx(wanted, rel=1e-5, abs=1e-6)
    assert done.seen[:, 7:9] == pytest.approx(action)
    assert np.array_equal(cars.seen(np.array([3, 7])), done.seen[[3, 7]])


@pytest.mark.parametrize("name", ["LaneKeeping", "PathTracking", "DoubleLaneChange"])
def test_following_the_line_pays_more_than_doing_nothing(name: str) -> None:
    cars = _cars(name)
    periods = round(cars.task.duration_s / 0.02) - 1
    total, ended = _follow(cars, periods)
    idle = _cars(name)
    idle.start(np.random.default_rng(0))
    left_alone, out = np.zeros(12), np.zeros(12, dtype=bool)
    for _ in range(periods):
        done = idle.step(np.zeros((12, 2)))
        left_alone += done.reward * ~out
        out |= done.terminated
    assert total.mean() > left_alone.mean() + 50.0
    if name != "DoubleLaneChange":  # which ends where its track does
        assert not ended.any()


def test_braking_on_split_friction_ends_at_standstill_or_beside_the_lane() -> None:
    cars = _cars("SplitMuBrake")
    total, ended = _follow(cars, 500, force=-0.3)
    assert ended.all()
    locked = _cars("SplitMuBrake")
    locked.start(np.random.default_rng(0))
    out, spun = np.zeros(12, dtype=bool), np.zeros(12)
    for _ in range(400):
        done = locked.step(np.tile([0.0, -1.0], (12, 1)))
        spun += done.reward * ~out
        out |= done.terminated
    assert out.all()
    assert total.mean() > spun.mean() + 5.0  # full brakes without steering turn the car


def test_drifting_pays_for_the_angle_that_is_asked_for() -> None:
    task = task_named("Drift")
    cars = TaskCars(task, 3)
    tangent = [0.0, 0.0, 0.0, 11.0, 0.0, 11.0 / 25.0]
    slides = [0.0, 0.0, 0.5, 11.0 * math.cos(0.5), -11.0 * math.sin(0.5), 11.0 / 25.0]
    spins = [0.0, 0.0, 1.4, 11.0 * math.cos(1.4), -11.0 * math.sin(1.4), 0.5]
    cars.batch.reset([tangent, slides, spins])
    none = np.zeros((2, 3))
    judged = task.judge(cars.scene(), none, none)
    along, sliding, spinning = judged.reward
    assert sliding == pytest.approx(1.0, abs=1e-9)
    assert along < 0.4
    assert spinning < 0.4
    assert judged.ended.tolist() == [False, False, True]


def test_the_reward_of_a_drift_has_a_slope_where_every_episode_starts() -> None:
    """More sideslip and less distance pay more, from the start on; before, all paid 0 there."""
    task = task_named("Drift")
    cars = TaskCars(task, 64)
    cars.start(np.random.default_rng(0))
    start = cars.scene()
    none = np.zeros((2, 64))

    def paid(scene: Scene) -> Array:
        return task.judge(scene, none, none).reward

    now = paid(start)
    assert (paid(start._replace(vy=start.vy - 0.02 * start.vx)) > now + 0.005).all()
    assert (paid(start._replace(left=0.9 * start.left)) >= now).all()


def test_on_split_friction_braking_pays_from_the_first_step_on_even_for_who_leaves() -> None:
    """Where leaving cost more than braking paid, not to brake was the best that was found."""
    braked, coasted = (_cars("SplitMuBrake") for _ in range(2))
    for cars, force in ((braked, -0.5), (coasted, 0.0)):
        cars.start(np.random.default_rng(0))
        total, out = np.zeros(12), np.zeros(12, dtype=bool)
        for _ in range(500):
            done = cars.step(np.tile([0.0, force], (12, 1)))
            total += done.reward * ~out
            out |= done.terminated
        if cars is braked:
            assert out.all()
            paid = total
    assert paid.mean() > total.mean() + 5.0


@pytest.mark.parametrize("name", TASKS)
def test_cars_in_float32_do_the_same(name: str) -> None:
    wide, narrow = (_cars(name, randomise=True, dtype=dtype) for dtype in ("float64", "float32"))
    pushes = _follow(wide, 40), _follow(narrow, 40)
    assert pushes[0][0] == pytest.approx(pushes[1][0], abs=1e-2)
    assert wide.seen() == pytest.approx(narrow.seen(), abs=1e-3)


def test_the_time_of_a_task_is_truncation() -> None:
    cars = _cars("LaneKeeping", control_dt=0.5)
    cars.start(np.random.default_rng(0))
    ends = [cars.step(np.zeros((12, 2))).truncated.all() for _ in range(20)]
    assert ends == [False] * 19 + [True]


def test_randomised_cars_differ_and_are_drawn_again() -> None:
    cars = _cars("LaneKeeping", 64, randomise={"body.mass_kg": (2000.0, 3000.0)}, variants=16)
    assert cars.batch.kinds.tolist() == list(range(16)) * 4
    random = np.random.default_rng(0)
    cars.start(random)
    drawn = cars.batch.kinds
    assert len(set(drawn.tolist())) > 8
    mask = np.arange(64) < 32
    cars.start(random, mask)
    assert np.array_equal(cars.batch.kinds[~mask], drawn[~mask])
    assert not np.array_equal(cars.batch.kinds[mask], drawn[mask])
    force = cars.step(np.tile([0.0, 1.0], (64, 1))).seen[:, 5]
    assert len(np.unique(force)) > 8


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: task_named("Parking"), "task='Parking': must be one of LaneKeeping"),
        (lambda: _cars("Drift").step([0.0, 0.0]), r"actions: has shape \(2,\): must be \(12, 2\)"),
        (lambda: _cars("Drift", randomise={"base_mu": 0.5}), r"randomise\['base_mu'\]=0.5: must"),
        (
            lambda: _cars("Drift", randomise={"base_mu": (0.9, 0.3)}),
            r"randomise\['base_mu'\]=\(0.9, 0.3\): must be \(low, high\), finite and low <= high",
        ),
        (
            lambda: _cars("Drift", randomise={"base_mu": (0.3, 2.0)}),
            r"^randomise\['base_mu'\]\[1\]=2: base_mu=2.0: must be > 0 and <= 1.2$",
        ),
        (lambda: _cars("Drift", randomise={"base_mu": (math.nan, 1)}), r"randomise\['base_mu'\]="),
        (lambda: _cars("Drift", randomise=["base_mu"]), "randomise=.*: must be True, False or"),
        (lambda: _cars("Drift", variants=0, randomise=True), "variants=0: must be a whole number"),
        (lambda: _cars("Drift").step(np.full((12, 2), np.nan)), r"u\[0\]\[0\]=nan: must be finite"),
    ],
)
def test_what_is_wrong_is_named(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_lines_know_where_they_are() -> None:
    x, y, yaw = np.array([30.0]), np.array([1.0]), np.array([0.1 + 4.0 * math.pi])
    left, heading = StraightLine().errors(x, y, yaw)
    assert (left[0], heading[0]) == pytest.approx((1.0, 0.1))
    # A parabola: at its vertex the curvature is its second derivative.
    curve = Curve(lambda places: 0.005 * places**2, -100.0, 100.0)
    left, heading = curve.errors(np.zeros(1), np.array([0.5]), np.zeros(1))
    assert (left[0], heading[0]) == pytest.approx((0.5, 0.0), abs=1e-9)
    assert curve.curvature_ahead(np.array([-10.0]), y, np.array([10.0]))[0] == pytest.approx(0.01)
    assert curve.errors(x, 4.5 + 1.0 * y, np.arctan(0.3) * y)[1][0] == pytest.approx(0.0, abs=1e-6)
    circle = Circle(25.0)
    left, heading = circle.errors(np.array([24.0]), np.array([25.0]), np.array([0.5 * math.pi]))
    assert (left[0], heading[0]) == pytest.approx((1.0, 0.0))
    assert circle.points(0.0, 1.0).max() == pytest.approx(50.0, abs=0.01)


def test_a_picture_shows_road_line_and_car() -> None:
    """The car is in the middle and turns; slippery road is brighter."""
    task = task_named("SplitMuBrake")
    pixels = picture(task.ground, task.line, (50.0, 0.0, 0.0), 0.1)
    assert pixels.shape == (HEIGHT, WIDTH, 3)
    assert pixels.dtype == np.uint8
    assert pixels[10, 10].sum() > pixels[-10, 10].sum()  # ice on the left, which is north
    assert pixels[HEIGHT // 2, 5].tolist() == [235, 200, 60]
    body = (pixels == (190, 40, 45)).all(axis=2)
    across = picture(task.ground, task.line, (50.0, 0.0, math.pi / 2.0), 0.0)
    turned = (across == (190, 40, 45)).all(axis=2)
    assert np.ptp(np.nonzero(body)[1]) > 2 * np.ptp(np.nonzero(body)[0])
    assert np.ptp(np.nonzero(turned)[0]) > 2 * np.ptp(np.nonzero(turned)[1])


def test_a_task_is_driven_on_another_tyre_to_the_bit() -> None:
    cars = _cars("LaneKeeping", 3, tyre="road_235_55r19")
    cars.start(np.random.default_rng(2))
    plant = cars.plant
    assert plant.vehicle.tyre.model == "pac2002"
    begun = [cars.batch.observation(car) for car in range(3)]
    cars.step(np.array([[0.3, -0.4]] * 3))
    inputs = [0.3 * cars.task.steer_max_rad, -0.4 * cars.task.brake_max_n]
    for car, start in enumerate(begun):
        plant.reset([start[key] for key in ("X", "Y", "psi", "vx", "vy", "r")])  # type: ignore[literal-required]
        assert plant.step(inputs) == cars.batch.observation(car)


def test_a_task_is_driven_on_springs_with_assistance_and_a_motor() -> None:
    """ABS lets a full brake stop the car where nobody steers; without it the car turns."""
    task = task_named("SplitMuBrake")
    helped = replace(task, assist="passenger_car", level="l3", limit_to_motor=True)
    turned = []
    for one in (task, helped):
        cars = TaskCars(one, 4)
        cars.start(np.random.default_rng(0))
        for _ in range(60):
            cars.step(np.tile([0.0, -1.0], (4, 1)))
        turned.append(float(np.abs(cars.scene().heading).max()))
    assert turned[1] < 0.25 * turned[0]
