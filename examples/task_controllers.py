"""A controller for each driving task: what a policy that learns has to reach.

    python examples/task_controllers.py [--task Drift] [--cars 128]

Lane, path and double lane change: LQR with preview, on the single track with linear tyres at the
task's speed, which knows the next second of the line. SplitMuBrake and Drift: linear feedback of
what a car sees, with the gains below. Prints the mean return of an episode of unseen cars, and of
cars that are left alone. Needs numpy and scipy alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm, solve_discrete_are
from vdsim_plant.study.tasks import TASKS, TaskCars, task_named

Array = NDArray[np.float64]
Controller = Callable[[TaskCars, Array], Array]

UNSEEN = 10_000  # seed of the cars and of their starts
PERIOD_S = 0.02
PREVIEW = 50  # periods
COSTS = np.diag([1.0, 4.0, 0.0, 0.05])  # of distance [m], heading [rad], side speed, yaw rate
STEERING_COST = 60.0  # of the wheel angle [rad], squared
FORCE_PER_MPS = 0.5  # share of the most force for each m/s that the speed is off

# Columns of what is seen (vdsim_plant.study.tasks.OBSERVED), scaled as there: distance, heading,
# speeds, yaw rate, accelerations; the last number is constant.
SEEN = (0, 1, 2, 3, 4, 5, 6)
# Columns of the tables: steering and force. Found by the cross-entropy method on other cars.
SPLIT_GAINS = np.array(
    [
        [-1.258, -0.099],
        [-1.424, -1.023],
        [0.016, -0.257],
        [0.445, 0.836],
        [-0.317, -1.234],
        [-0.047, -0.268],
        [-1.18, -0.45],
        [0.153, -0.396],
    ]
)
DRIFT_GAINS = np.array(
    [
        [-0.757, -0.027],
        [-2.045, -0.186],
        [0.952, -0.395],
        [2.315, 0.288],
        [-0.688, -2.879],
        [0.659, -0.345],
        [1.18, 1.669],
        [1.92, 1.636],
    ]
)


def single_track(car: TaskCars) -> tuple[Array, Array, Array]:
    """Return x' = A x + B delta + D kappa over a period; x: distance, heading, vy, yaw rate."""
    vehicle, u = car.plant.vehicle.parameters, car.task.speed_mps
    body, axles = vehicle.body, vehicle.axles
    m, inertia = body.mass_kg, body.yaw_inertia_kgm2
    a, b = body.cg_to_front_axle_m, body.cg_to_rear_axle_m
    cf, cr = axles.cornering_stiffness_front_n_per_rad, axles.cornering_stiffness_rear_n_per_rad
    rates = np.zeros((6, 6))  # with the inputs, delta and kappa, behind the state
    rates[0, :3] = 0.0, u, 1.0
    rates[1, 3:] = 1.0, 0.0, -u
    rates[2, 2:5] = -(cf + cr) / (m * u), (b * cr - a * cf) / (m * u) - u, cf / m
    moment = -(a * a * cf + b * b * cr) / (inertia * u)
    rates[3, 2:5] = (b * cr - a * cf) / (inertia * u), moment, a * cf / inertia
    step = expm(rates * PERIOD_S)
    return step[:4, :4], step[:4, 4:5], step[:4, 5:6]


def lqr_with_preview(cars: TaskCars) -> Controller:
    """Return optimal preview control of the line's next second, and a hand on the speed."""
    a, b, d = single_track(cars)
    cost = np.array([[STEERING_COST]])
    p = solve_discrete_are(a, b, COSTS, cost)
    inverse = np.linalg.inv(cost + b.T @ p @ b)
    feedback = (inverse @ b.T @ p @ a)[0]
    closed = (a - b @ feedback[np.newaxis]).T
    seen_ahead = p @ d
    ahead = np.empty(PREVIEW)
    for k in range(PREVIEW):
        ahead[k] = (inverse @ b.T @ seen_ahead)[0, 0]
        seen_ahead = closed @ seen_ahead

    def act(cars: TaskCars, _: Array) -> Array:
        scene, line = cars.scene(), cars.task.line
        x = np.column_stack([scene.left, scene.heading, scene.vy, scene.yaw_rate])
        delta = -(x @ feedback)
        for k, gain in enumerate(ahead):
            delta -= gain * line.curvature_ahead(scene.x, scene.y, scene.vx * k * PERIOD_S)
        force = FORCE_PER_MPS * (cars.task.speed_mps - scene.vx)
        return np.column_stack([delta / cars.task.steer_max_rad, force])

    return act


def linear(gains: Array) -> Controller:
    """Return the feedback of what is seen by a table of gains, 8 x 2."""

    def act(_: TaskCars, seen: Array) -> Array:
        columns = np.column_stack([seen[:, SEEN], np.ones(len(seen))])
        return np.clip(columns @ gains, -1.0, 1.0)

    return act


def controller_of(cars: TaskCars) -> tuple[str, Controller]:
    """Return the controller of a task and its name."""
    gains = {"SplitMuBrake": SPLIT_GAINS, "Drift": DRIFT_GAINS}.get(cars.task.name)
    if gains is None:
        return "LQR with preview", lqr_with_preview(cars)
    return "linear feedback", linear(gains)


def mean_return(cars: TaskCars, act: Controller, seed: int = UNSEEN) -> float:
    """Drive an episode of each car; return the mean of their rewards' sums."""
    cars.start(np.random.default_rng(seed))
    seen = cars.seen()
    total, drives = np.zeros(cars.n), np.ones(cars.n, dtype=bool)
    while drives.any():
        done = cars.step(act(cars, seen))
        total += done.reward * drives
        drives &= ~(done.terminated | done.truncated)
        seen = done.seen
    return float(total.mean())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", choices=list(TASKS), help="one of them")
    parser.add_argument("--cars", type=int, default=128)
    options = parser.parse_args()
    print("| task | controller | its return | left alone |")
    print("|---|---|---|---|")
    for name in [options.task] if options.task else TASKS:
        cars = TaskCars(task_named(name), options.cars, randomise=True, variants_seed=UNSEEN)
        title, act = controller_of(cars)
        alone = mean_return(cars, lambda cars, _: np.zeros((cars.n, 2)))
        print(f"| {name} | {title} | {mean_return(cars, act):.0f} | {alone:.0f} |")


if __name__ == "__main__":
    main()
