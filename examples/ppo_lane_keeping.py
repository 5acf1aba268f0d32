"""Learn a driving task: PPO in numpy, on one core of a CPU, in half a minute.

    python examples/ppo_lane_keeping.py [--task PathTracking] [--rounds 40] [--seed 0] [--save FILE]
    python examples/ppo_lane_keeping.py --every-task [--seeds 3] [--curves FILE]

256 cars drive at once. Every start draws another car and another friction. Prints the mean reward
of a step while it learns, then how far from the line unseen cars drive, against cars that are left
alone. `--every-task` prints the mean return of unseen cars beside that of the task's controller
(task_controllers.py), the median of some seeds; `--curves` writes all of it as JSON. Needs
`pip install vdsim-plant[rl]`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

# The matrices are small: threads that share them would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import gymnasium
import numpy as np
import vdsim_plant.study.rl  # registers the environments
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from task_controllers import UNSEEN, controller_of, mean_return  # beside this file
from vdsim_plant.study.tasks import TASKS, TaskCars, task_named

Array = NDArray[np.float32]

CARS, STEPS = 256, 64
TRACE = 0.95  # of advantages over time
CLIP, EPOCHS, PARTS = 0.2, 4, 8
RATE = 1e-3  # of learning, at the beginning
FURTHEST_SEEN = 8.0  # deviations
LOOKS = 5  # at how other cars drive with the policy, while it learns
OTHERS = 20_000  # seed of these cars; the policy that drives them best is kept
REACHED = 0.95  # of the controller's return


@dataclass(frozen=True)
class Settings:
    """What differs from task to task.

    Steering noise takes a car at the limit off the road whatever its policy, so what is tried is
    drawn from less and less: the logarithm of the deviation goes from `first` to `last` at most.
    """

    rounds: int = 60
    discount: float = 0.97  # of rewards over time
    first: float = -1.3
    last: float = -2.8
    scaled: bool = False
    """Whether the networks see deviations from the mean, and not what a car sees."""


SETTINGS = {
    "LaneKeeping": Settings(rounds=40),
    "PathTracking": Settings(rounds=40, scaled=True),
    "DoubleLaneChange": Settings(rounds=130, first=-1.1, last=-2.7, scaled=True),
    "SplitMuBrake": Settings(rounds=100, discount=0.99, first=-1.0, last=-1.5),
    "Drift": Settings(rounds=130, discount=0.98, first=-0.7, last=-2.5),
}


class Network:
    """Two hidden layers of tanh, trained with Adam."""

    def __init__(self, random: np.random.Generator, inputs: int, outputs: int, last: float) -> None:
        sizes, scales = (inputs, 64, 64, outputs), (1.0, 1.0, last)
        self.weights: list[Array] = []
        for a, b, scale in zip(sizes, sizes[1:], scales, strict=False):
            layer = random.normal(0.0, scale / np.sqrt(a), (a, b)).astype(np.float32)
            self.weights += [layer, np.zeros(b, dtype=np.float32)]

    def __call__(self, seen: Array) -> tuple[Array, list[Array]]:
        """Return the outputs, and the layers for `gradients`."""
        layers = [seen]
        for k in (0, 2):
            layers.append(np.tanh(layers[-1] @ self.weights[k] + self.weights[k + 1]))
        return layers[-1] @ self.weights[4] + self.weights[5], layers

    def gradients(self, layers: list[Array], error: Array) -> list[Array]:
        """Return the slope of a loss over the weights from its slope over the outputs."""
        slopes: list[Array] = []
        for k in (4, 2, 0):
            layer = layers[k // 2]
            slopes = [layer.T @ error, error.sum(axis=0), *slopes]
            error = (error @ self.weights[k].T) * (1.0 - layer * layer)
        return slopes


@dataclass
class Scale:
    """Mean and variance of what was seen so far, column by column.

    A speed that differs by a few percent, or a heading of hundredths of a radian, is lost beside
    numbers of size 1; divided by its own deviation each counts alike.
    """

    mean: Array
    square: Array
    count: float = 0.0

    @classmethod
    def of(cls, columns: int) -> Scale:
        """Return the scale of what nobody has seen yet."""
        return cls(np.zeros(columns, dtype=np.float32), np.ones(columns, dtype=np.float32))

    def __call__(self, seen: Array) -> Array:
        """Return what is seen in deviations from the mean."""
        if not self.count:
            return seen
        away = (seen - self.mean) / np.sqrt(self.square - self.mean**2 + 1e-6)
        scaled: Array = np.clip(away, -FURTHEST_SEEN, FURTHEST_SEEN, dtype=np.float32)
        return scaled

    def learn(self, seen: Array) -> None:
        """Take these rows in."""
        share = len(seen) / (self.count + len(seen))
        self.mean = (self.mean + share * (seen.mean(axis=0) - self.mean)).astype(np.float32)
        square = (seen**2).mean(axis=0)
        self.square = (self.square + share * (square - self.square)).astype(np.float32)
        self.count += len(seen)


@dataclass
class Adam:
    """Adaptive steps downhill."""

    weights: list[Array]
    step: int = 0
    mean: list[Any] = field(default_factory=list)
    square: list[Any] = field(default_factory=list)

    def descend(self, slopes: list[Array], rate: float) -> None:
        """Change the weights in place."""
        length = np.sqrt(sum(float((slope**2).sum()) for slope in slopes))
        slopes = [slope * min(1.0, 0.5 / (length + 1e-8)) for slope in slopes]
        self.mean = self.mean or [0.0 * slope for slope in slopes]
        self.square = self.square or [0.0 * slope for slope in slopes]
        self.step += 1
        for k, slope in enumerate(slopes):
            self.mean[k] = 0.9 * self.mean[k] + 0.1 * slope
            self.square[k] = 0.999 * self.square[k] + 0.001 * slope * slope
            mean = self.mean[k] / (1.0 - 0.9**self.step)
            square = self.square[k] / (1.0 - 0.999**self.step)
            self.weights[k] -= (rate * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)


class Learner:
    """Proximal policy optimisation (Schulman et al., 2017) with a Gaussian policy."""

    def __init__(self, environment: Any, seed: int, settings: Settings) -> None:
        self.environment = environment
        self.settings = settings
        self.random = np.random.default_rng(seed)
        seen_n = environment.single_observation_space.shape[0]
        self.policy = Network(self.random, seen_n, 2, 0.01)
        self.value = Network(self.random, seen_n, 1, 1.0)
        self.scale = Scale.of(seen_n)
        self.spread = np.full(2, settings.first, dtype=np.float32)  # log of the deviation
        self.steps_down = Adam([*self.policy.weights, self.spread]), Adam(self.value.weights)
        self.seen, _ = environment.reset(seed=seed)

    def learn(self, rounds: int, look: Callable[[int, float], None]) -> list[float]:
        """Return the mean reward of a step in each round; `look` sees each of them."""
        rewards = []
        for k in range(rounds):
            batch = self.drive()
            rewards.append(float(batch["reward"].mean()) / (1.0 - self.settings.discount))
            self.improve(batch, RATE * max(1.0 - k / rounds, 0.02))
            if self.settings.scaled:
                self.scale.learn(batch["raw"])
            share = (k + 1) / rounds
            most = (1.0 - share) * self.settings.first + share * self.settings.last
            np.minimum(self.spread, np.float32(most), out=self.spread)
            look(k + 1, rewards[-1])
        return rewards

    def act(self, seen: Array) -> Array:
        """Return the mean of the policy."""
        return self.policy(self.scale(seen))[0]

    def kept(self) -> tuple[list[Array], Scale]:
        """Return what the policy is now; learning on changes it no more."""
        return [layer.copy() for layer in self.policy.weights], replace(self.scale)

    def drive(self) -> dict[str, Array]:
        """Drive with the present policy; return what happened, with advantages and returns."""
        rows: dict[str, list[Any]] = {
            key: [] for key in ("raw", "action", "reward", "next", "over")
        }
        discount = self.settings.discount
        for _ in range(STEPS):
            noise = self.random.standard_normal((CARS, 2)).astype(np.float32)
            action = self.act(self.seen) + np.exp(self.spread) * noise
            seen, reward, terminated, truncated, infos = self.environment.step(action)
            after = seen
            if "final_obs" in infos:
                after = seen.copy()
                ended = np.flatnonzero(infos["_final_obs"])
                after[ended] = np.stack(infos["final_obs"][ended])
            worth = self.value(self.scale(after))[0][:, 0] * ~terminated
            rows["raw"].append(self.seen)
            rows["action"].append(action)
            # What is to come is then worth about 1, which a network learns fast.
            rows["reward"].append(((1.0 - discount) * reward).astype(np.float32))
            rows["next"].append(worth)
            rows["over"].append(terminated | truncated)
            self.seen = seen
        batch = {key: np.stack(values) for key, values in rows.items()}
        batch["seen"] = self.scale(batch["raw"])
        now = self.value(batch["seen"])[0][..., 0]
        surprise = batch["reward"] + discount * batch["next"] - now
        advantage, kept = np.zeros_like(now), np.zeros(CARS, dtype=np.float32)
        for k in reversed(range(STEPS)):
            kept = surprise[k] + discount * TRACE * ~batch["over"][k] * kept
            advantage[k] = kept
        batch["advantage"], batch["return"] = advantage, advantage + now
        batch["chance"] = self.chance(batch["action"], self.policy(batch["seen"])[0])
        return {
            key: values.reshape(CARS * STEPS, *values.shape[2:]) for key, values in batch.items()
        }

    def chance(self, action: Array, mean: Array) -> Array:
        """Return the log of the policy's density, but for a constant."""
        missed = (action - mean) * np.exp(-self.spread)
        density: Array = (-0.5 * missed * missed - self.spread).sum(axis=-1)
        return density

    def improve(self, batch: dict[str, Array], rate: float) -> None:
        """Change policy and value by what happened."""
        for _ in range(EPOCHS):
            for part in np.array_split(self.random.permutation(CARS * STEPS), PARTS):
                self.improve_by({key: values[part] for key, values in batch.items()}, rate)

    def improve_by(self, batch: dict[str, Array], rate: float) -> None:
        """Take one step downhill in the loss of the policy and in that of the value."""
        count = np.float32(len(batch["seen"]))
        advantage = batch["advantage"]
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
        mean, layers = self.policy(batch["seen"])
        ratio = np.exp(self.chance(batch["action"], mean) - batch["chance"])
        # Beyond the clip the loss is flat.
        active = np.where(advantage > 0.0, ratio < 1.0 + CLIP, ratio > 1.0 - CLIP)
        slope = (-advantage * ratio * active / count)[:, np.newaxis]
        missed = (batch["action"] - mean) * np.exp(-self.spread)
        on_mean = (slope * missed * np.exp(-self.spread)).astype(np.float32)
        on_spread = (slope * (missed * missed - 1.0)).sum(axis=0).astype(np.float32)
        downhill, downhill_value = self.steps_down
        downhill.descend([*self.policy.gradients(layers, on_mean), on_spread], rate)
        worth, layers = self.value(batch["seen"])
        error = ((worth[:, 0] - batch["return"]) / count).astype(np.float32)[:, np.newaxis]
        downhill_value.descend(self.value.gradients(layers, error), rate)


def drive_unseen(task: str, act: Any) -> dict[str, float]:
    """Drive a whole episode with cars that start from an unseen seed; return how well."""
    environment = gymnasium.make_vec(
        f"vdsim/{task}-v0", num_envs=128, randomise=True, variants_seed=UNSEEN,
        autoreset_mode=AutoresetMode.SAME_STEP,
    )  # fmt: skip
    seen, _ = environment.reset(seed=UNSEEN)
    rewards, kept = np.zeros(128), np.ones(128, dtype=bool)
    truncated = np.zeros(128, dtype=bool)
    away = []
    while kept.any():
        away.append(np.abs(2.0 * seen[kept, 0]))
        seen, reward, terminated, truncated, _ = environment.step(act(seen))
        rewards += reward * kept
        kept &= ~(terminated | truncated)
    return {
        "reward of an episode": float(rewards.mean()),
        "mean distance from the line, m": float(np.concatenate(away).mean()),
    }


def cars_of(task: str) -> Any:
    """Return the cars that a policy learns with."""
    return gymnasium.make_vec(
        f"vdsim/{task}-v0", num_envs=CARS, randomise=True,
        autoreset_mode=AutoresetMode.SAME_STEP, dtype="float32", substep_dt=1e-3,
    )  # fmt: skip


def learn_one(task: str, rounds: int, seed: int) -> Learner:
    """Learn a task, and say how it goes."""
    learner = Learner(cars_of(task), seed, SETTINGS[task])

    def look(done: int, reward: float) -> None:
        if done % 5 == 0:
            print(f"round {done:3}: mean reward of a step {reward:6.3f}", flush=True)

    learner.learn(rounds, look)
    return learner


def driven_by(learner: Learner, task: str, seed: int) -> float:
    """Return the mean return of cars that took no part in learning."""
    cars = TaskCars(task_named(task), 128, randomise=True, variants_seed=seed)
    return mean_return(
        cars, lambda _, seen: learner.act(seen.astype(np.float32)).astype(np.float64), seed
    )


def curve_of(task: str, seed: int) -> dict[str, Any]:
    """Return control steps, CPU seconds and other cars' mean return, then that of unseen cars."""
    settings = SETTINGS[task]
    learner = Learner(cars_of(task), seed, settings)
    curve: dict[str, Any] = {"steps": [], "cpu_s": [], "return": []}
    begun, aside, best = time.process_time(), 0.0, learner.kept()

    def look(done: int, _: float) -> None:
        nonlocal aside, best
        if done % (settings.rounds // LOOKS):
            return
        now = time.process_time()
        reached = driven_by(learner, task, OTHERS)
        if reached >= max(curve["return"], default=reached):
            best = learner.kept()
        curve["steps"].append(done * STEPS * CARS)
        curve["cpu_s"].append(round(now - begun - aside, 1))
        curve["return"].append(round(reached, 1))
        aside += time.process_time() - now

    learner.learn(settings.rounds, look)
    learner.policy.weights, learner.scale = best
    curve["unseen"] = round(driven_by(learner, task, UNSEEN), 1)
    return curve


def learn_every_task(seeds: int, tasks: list[str], curves: str | None) -> int:
    """Print the table of docs/learning.md; return how many tasks are not learnt."""
    print("| task | steps | CPU | learnt, median (worst) | its controller | share |")
    print("|---|---|---|---|---|---|")
    found: dict[str, Any] = {}
    missed = 0
    for task in tasks:
        cars = TaskCars(task_named(task), 128, randomise=True, variants_seed=UNSEEN)
        goal = mean_return(cars, controller_of(cars)[1])
        learnt = [curve_of(task, seed) for seed in range(seeds)]
        last = sorted(curve["unseen"] for curve in learnt)
        middle = statistics.median(last)
        missed += middle < REACHED * goal
        steps, cpu = learnt[0]["steps"][-1], statistics.median(c["cpu_s"][-1] for c in learnt)
        print(
            f"| {task} | {steps / 1e6:.2f} M | {cpu:.0f} s | {middle:.0f} ({last[0]:.0f})"
            f" | {goal:.0f} | {100 * middle / goal:.0f} % |",
            flush=True,
        )
        found[task] = {"controller": round(goal, 1), "curves": learnt}
        if curves:
            Path(curves).write_text(json.dumps(found, indent=1), encoding="utf-8")
    return missed


def main() -> int:
    """Learn, then drive."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", choices=list(vdsim_plant.study.rl.TASKS), help="LaneKeeping")
    parser.add_argument("--rounds", type=int, help="of learning; the task's own")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", help="write the policy's weights and its scale to this .npz file")
    parser.add_argument("--every-task", action="store_true", help="or the one of --task")
    parser.add_argument("--seeds", type=int, default=3, help="of --every-task")
    parser.add_argument("--curves", help="write what --every-task found to this file")
    options = parser.parse_args()
    task = options.task or "LaneKeeping"
    if options.every_task:
        tasks = [options.task] if options.task else list(TASKS)
        return learn_every_task(options.seeds, tasks, options.curves)
    learner = learn_one(task, options.rounds or SETTINGS[task].rounds, options.seed)
    learnt = drive_unseen(task, learner.act)
    idle = drive_unseen(task, lambda seen: np.zeros((len(seen), 2), dtype=np.float32))
    for key in learnt:
        print(f"{key}: learnt {learnt[key]:.2f}, left alone {idle[key]:.2f}")
    if options.save:
        scale = learner.scale
        np.savez(options.save, *learner.policy.weights, mean=scale.mean, square=scale.square)
    return 0


if __name__ == "__main__":
    sys.exit(main())
