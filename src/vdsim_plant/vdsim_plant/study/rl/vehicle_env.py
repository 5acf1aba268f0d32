"""One car and its task as a `gymnasium.Env`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vdsim_plant.study.rl.spaces import (
    FRAMES_PER_S,
    RENDER_MODES,
    checked_render_mode,
    frame,
    single_spaces,
    task_of,
)
from vdsim_plant.study.tasks import Task, TaskCars

Seen = NDArray[np.float32]


class VehicleEnv(gymnasium.Env[Seen, NDArray[np.float32]]):
    """One car; `options` are those of `TaskCars`.

    Observation: float32, `vdsim_plant.study.tasks.OBSERVED`. Action: steering and force, -1 to 1.
    An episode is truncated at the task's `duration_s`.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": FRAMES_PER_S}  # noqa: RUF012

    def __init__(
        self, task: str | Task = "LaneKeeping", render_mode: str | None = None, **options: Any
    ) -> None:
        self.render_mode = checked_render_mode(render_mode)
        self.observation_space, self.action_space = single_spaces()
        self.cars = TaskCars(task_of(task), 1, **options)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Start a new episode."""
        super().reset(seed=seed, options=options)
        self.cars.start(self.np_random)
        return self.cars.seen()[0], {}

    def step(self, action: ArrayLike) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Drive for one control period."""
        done = self.cars.step(np.asarray(action, dtype=np.float64).reshape(1, -1))
        ends = bool(done.terminated[0]), bool(done.truncated[0])
        return done.seen[0], float(done.reward[0]), *ends, {}

    def render(self) -> Any:
        """Return the picture of the car, height x width x 3."""
        return None if self.render_mode is None else frame(self.cars, 0)
