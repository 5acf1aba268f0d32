"""A policy is learnt on `PlantBatch` behind Gymnasium's vector interface.

The episodes have one length and the cars start together: a batch resets as a whole. Each car of the
batch drives with a policy of its own, so one episode rates a whole population.
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from vdsim_plant import VDSimPlant

Array = npt.NDArray[np.float64]

CARS_N = 128
STEPS_N = 100
SPEED_MPS = 20.0
STEER_MAX_RAD = 0.1
START_SPREAD = np.array([0.0, 1.5, 0.05, 0.0, 0.0, 0.0])  # of X, Y [m], psi [rad], vx, vy, r


class LaneKeeping(gym.vector.VectorEnv[Any, Any, Any]):
    """Cars that start beside the middle of a straight lane and are paid for returning to it.

    Observation: Y [m], psi [rad], vy [m/s], r [rad/s]. Action: steering, -1 to 1.
    """

    def __init__(self, cars_n: int = CARS_N) -> None:
        self.num_envs = cars_n
        self.metadata = {"autoreset_mode": gym.vector.AutoresetMode.DISABLED}
        self.single_observation_space = gym.spaces.Box(-np.inf, np.inf, (4,), np.float64)
        self.single_action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float64)
        self.observation_space = batch_space(self.single_observation_space, cars_n)
        self.action_space = batch_space(self.single_action_space, cars_n)
        self._cars = VDSimPlant("ioniq5_awd", control_dt=0.05).batch(cars_n, threads=1)
        self._steps_n = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self._steps_n = 0
        starts = self.np_random.uniform(-START_SPREAD, START_SPREAD, (self.num_envs, 6))
        starts[:, 3] = SPEED_MPS
        return _observed(self._cars.reset(starts)), {}

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        steer = STEER_MAX_RAD * np.clip(actions[:, 0], -1.0, 1.0)
        force = np.zeros(self.num_envs)
        observed = self._cars.step(np.column_stack([steer, force]))
        self._steps_n += 1
        lateral, heading = observed["Y"], observed["psi"]
        rewards = -(lateral**2) - 10.0 * heading**2 - 0.05 * actions[:, 0] ** 2
        over = np.full(self.num_envs, self._steps_n >= STEPS_N)
        return _observed(observed), rewards, np.zeros_like(over), over, {}


def _observed(observation: Any) -> Array:
    return np.column_stack([observation[key] for key in ("Y", "psi", "vy", "r")])


def returns_of(environment: Any, policies: Array, seed: int) -> tuple[Array, Array]:
    """The return of each car's linear policy over one episode, and the last observation."""
    observation, _ = environment.reset(seed=seed)
    total, over = np.zeros(environment.num_envs), np.zeros(1, dtype=bool)
    while not over.all():
        actions = np.sum(policies * observation, axis=1, keepdims=True)
        observation, rewards, _, over, _ = environment.step(np.clip(actions, -1.0, 1.0))
        total += rewards
    return total, observation


def learn(environment: Any, rounds: int = 12, seed: int = 0) -> Array:
    """Cross-entropy method: draw policies, keep the best eighth, draw around these."""
    chance = np.random.default_rng(seed)
    mean, spread = np.zeros(4), np.array([1.0, 5.0, 1.0, 3.0])
    for round_number in range(rounds):
        policies = chance.normal(mean, spread, (environment.num_envs, 4))
        # Two episodes each: a single start may be kind to a bad policy.
        total = sum(returns_of(environment, policies, 2 * round_number + k)[0] for k in (0, 1))
        best = policies[np.argsort(total)[-environment.num_envs // 8 :]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.02
    return mean


@pytest.fixture(scope="module")
def learnt() -> Array:
    return learn(LaneKeeping())


def test_spaces_and_shapes_are_those_of_gymnasium() -> None:
    environment = LaneKeeping(5)
    observation, _ = environment.reset(seed=3)
    assert environment.observation_space.contains(observation)
    environment.action_space.seed(3)
    action = environment.action_space.sample()
    after, rewards, ended, cut, _ = environment.step(action)
    assert environment.observation_space.contains(after)
    assert rewards.shape == ended.shape == cut.shape == (5,)
    assert not ended.any()
    assert not cut.any()


def test_a_seed_repeats_an_episode_to_the_bit() -> None:
    policies = np.random.default_rng(1).normal(size=(CARS_N, 4))
    first, last_first = returns_of(LaneKeeping(), policies, 7)
    again, last_again = returns_of(LaneKeeping(), policies, 7)
    other, _ = returns_of(LaneKeeping(), policies, 8)
    assert np.array_equal(first, again)
    assert np.array_equal(last_first, last_again)
    assert not np.array_equal(first, other)


def test_the_wrappers_of_gymnasium_work_on_it() -> None:
    environment = RecordEpisodeStatistics(LaneKeeping(8))
    policies = np.zeros((8, 4))
    total, _ = returns_of(environment, policies, 5)
    assert environment.return_queue
    assert np.allclose(sorted(environment.return_queue), sorted(total))
    assert set(environment.length_queue) == {STEPS_N}


def test_the_learnt_policy_brings_unseen_cars_back_to_the_lane(learnt: Array) -> None:
    environment, unseen = LaneKeeping(), 10_000
    idle, _ = returns_of(environment, np.zeros((CARS_N, 4)), unseen)
    total, last = returns_of(environment, np.tile(learnt, (CARS_N, 1)), unseen)
    assert total.mean() > 0.25 * idle.mean()  # both are negative: a quarter of the cost
    assert np.abs(last[:, 0]).max() < 0.2
    assert np.abs(last[:, 1]).max() < 0.02


def test_learning_finds_the_sign_of_steering(learnt: Array) -> None:
    assert learnt[0] < 0.0, "left of the lane: steer right"
    assert learnt[1] < 0.0, "heading left: steer right"
