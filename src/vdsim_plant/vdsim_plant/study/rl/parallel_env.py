"""Many cars that do a task side by side, as a `pettingzoo.ParallelEnv`. Needs PettingZoo."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from vdsim_plant.study.rl.spaces import (
    RENDER_MODES,
    checked_render_mode,
    frame,
    single_spaces,
    task_of,
)
from vdsim_plant.study.tasks import Task, TaskCars

Seen = NDArray[np.float32]
Named = dict[str, Any]


class VehiclesParallelEnv(ParallelEnv[str, Any, Any]):
    """`cars_n` cars on one road, `car_0` and so on; `options` are those of `TaskCars`.

    They do not touch each other. A car whose episode is over leaves; when all have left, the
    episode is over.
    """

    metadata = {"name": "vdsim_vehicles_v0", "render_modes": list(RENDER_MODES)}  # noqa: RUF012

    def __init__(
        self,
        task: str | Task = "LaneKeeping",
        cars_n: int = 4,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.render_mode = checked_render_mode(render_mode)
        self.cars = TaskCars(task_of(task), cars_n, **options)
        self.possible_agents = [f"car_{k}" for k in range(self.cars.n)]
        self.agents: list[str] = []
        self._numbers = {agent: k for k, agent in enumerate(self.possible_agents)}
        self._spaces = {agent: single_spaces() for agent in self.possible_agents}
        self._random, _ = seeding.np_random(0)

    def observation_space(self, agent: str) -> Box:
        """Return what a car sees."""
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> Box:
        """Return steering and force, -1 to 1."""
        return self._spaces[agent][1]

    def reset(self, seed: int | None = None, options: Named | None = None) -> tuple[Named, Named]:
        """Start an episode with all cars."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        self.agents = list(self.possible_agents)
        self.cars.start(self._random)
        return self._by_name(self.cars.seen()), {agent: {} for agent in self.agents}

    def step(self, actions: Named) -> tuple[Named, Named, Named, Named, Named]:
        """Drive those that are left for one control period."""
        rows = np.zeros((self.cars.n, 2))
        for agent, action in actions.items():
            rows[self._numbers[agent]] = action
        seen, reward, terminated, truncated = self.cars.step(rows)
        infos: Named = {agent: {} for agent in self.agents}
        returned = (
            self._by_name(seen),
            {agent: float(value) for agent, value in self._by_name(reward).items()},
            {agent: bool(value) for agent, value in self._by_name(terminated).items()},
            {agent: bool(value) for agent, value in self._by_name(truncated).items()},
            infos,
        )
        over = self._by_name(terminated | truncated)
        self.agents = [agent for agent in self.agents if not over[agent]]
        return returned

    def render(self) -> Any:
        """Return the picture of the first car that is left."""
        if self.render_mode is None or not self.agents:
            return None
        return frame(self.cars, self._numbers[self.agents[0]])

    def _by_name(self, values: Any) -> Named:
        return {agent: values[self._numbers[agent]] for agent in self.agents}
