"""Learn to keep a car in its lane: PPO in numpy, on one core of a CPU, in half a minute.

    python examples/ppo_lane_keeping.py [--task PathTracking] [--rounds 40] [--seed 0] [--save FILE]

256 cars drive at once. Every start draws another car and another friction. Prints the mean reward
of a step while it learns, then how far from the line unseen cars drive, against cars that are left
alone. Needs `pip install vdsim-plant[rl]`.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass, field
from typing import Any

# The matrices are small: threads that share them would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import gymnasium
import numpy as np
import vdsim_plant.study.rl  # registers the environments
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

Array = NDArray[np.float32]

CARS, STEPS = 256, 64
DISCOUNT, TRACE = 0.97, 0.9  # of rewards, of advantages over time
CLIP, EPOCHS, PARTS = 0.2, 4, 8
RATE = 1e-3  # of learning, at the beginning
UNSEEN = 10_000  # seed of cars that took no part in learning


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

    def __init__(self, environment: Any, seed: int) -> None:
        self.environment = environment
        self.random = np.random.default_rng(seed)
        seen_n = environment.single_observation_space.shape[0]
        self.policy = Network(self.random, seen_n, 2, 0.01)
        self.value = Network(self.random, seen_n, 1, 1.0)
        self.spread = np.full(2, -1.0, dtype=np.float32)  # log of the standard deviation
        self.steps_down = Adam([*self.policy.weights, self.spread]), Adam(self.value.weights)
        self.seen, _ = environment.reset(seed=seed)

    def learn(self, rounds: int) -> list[float]:
        """Return the mean reward of a step in each round."""
        rewards = []
        for k in range(rounds):
            batch = self.drive()
            rewards.append(float(batch["reward"].mean()))
            self.improve(batch, RATE * (1.0 - k / rounds))
            if k % 5 == 4:
                print(f"round {k + 1:3}: mean reward of a step {rewards[-1]:6.3f}", flush=True)
        return rewards

    def act(self, seen: Array) -> Array:
        """Return the mean of the policy."""
        return self.policy(seen)[0]

    def drive(self) -> dict[str, Array]:
        """Drive with the present policy; return what happened, with advantages and returns."""
        rows: dict[str, list[Any]] = {
            key: [] for key in ("seen", "action", "reward", "next", "over")
        }
        for _ in range(STEPS):
            noise = self.random.standard_normal((CARS, 2)).astype(np.float32)
            action = self.act(self.seen) + np.exp(self.spread) * noise
            seen, reward, terminated, truncated, infos = self.environment.step(action)
            after = seen
            if "final_obs" in infos:
                after = seen.copy()
                ended = np.flatnonzero(infos["_final_obs"])
                after[ended] = np.stack(infos["final_obs"][ended])
            worth = self.value(after)[0][:, 0] * ~terminated
            rows["seen"].append(self.seen)
            rows["action"].append(action)
            rows["reward"].append(reward.astype(np.float32))
            rows["next"].append(worth)
            rows["over"].append(terminated | truncated)
            self.seen = seen
        batch = {key: np.stack(values) for key, values in rows.items()}
        now = self.value(batch["seen"])[0][..., 0]
        surprise = batch["reward"] + DISCOUNT * batch["next"] - now
        advantage, kept = np.zeros_like(now), np.zeros(CARS, dtype=np.float32)
        for k in reversed(range(STEPS)):
            kept = surprise[k] + DISCOUNT * TRACE * ~batch["over"][k] * kept
            advantage[k] = kept
        batch["advantage"], batch["return"] = advantage, advantage + now
        batch["chance"] = self.chance(batch["action"], self.act(batch["seen"]))
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


def main() -> None:
    """Learn, then drive."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", default="LaneKeeping", choices=list(vdsim_plant.study.rl.TASKS))
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", help="write the policy's weights to this .npz file")
    options = parser.parse_args()
    environment = gymnasium.make_vec(
        f"vdsim/{options.task}-v0", num_envs=CARS, randomise=True,
        autoreset_mode=AutoresetMode.SAME_STEP,
    )  # fmt: skip
    learner = Learner(environment, options.seed)
    learner.learn(options.rounds)
    learnt = drive_unseen(options.task, learner.act)
    idle = drive_unseen(options.task, lambda seen: np.zeros((len(seen), 2), dtype=np.float32))
    for key in learnt:
        print(f"{key}: learnt {learnt[key]:.2f}, left alone {idle[key]:.2f}")
    if options.save:
        np.savez(options.save, *learner.policy.weights)


if __name__ == "__main__":
    main()
