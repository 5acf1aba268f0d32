"""Many cars that do a task as a `gymnasium.vector.VectorEnv`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from vdsim_plant.parameters.errors import ParameterError
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
Numbers = NDArray[np.float64]
Truths = NDArray[np.bool_]
Returned = tuple[Seen, Numbers, Truths, Truths, dict[str, Any]]


class VehicleVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """`num_envs` cars, stepped together; `options` are those of `TaskCars`.

    All draws come from one generator: a seed and the actions decide every bit, whatever `threads`
    is. `autoreset_mode`: `NextStep` (the step after an end starts the next episode), `SameStep`
    (the last observation is in `final_obs`), or `Disabled` (`reset(options={"reset_mask": ...})`).
    """

    def __init__(
        self,
        task: str | Task = "LaneKeeping",
        num_envs: int = 1,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Any,
    ) -> None:
        mode = AutoresetMode(autoreset_mode)
        self._mode = mode
        self.render_mode = checked_render_mode(render_mode)
        self.single_observation_space, self.single_action_space = single_spaces()
        self.cars = TaskCars(task_of(task), num_envs, **options)
        self.num_envs = self.cars.n
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": FRAMES_PER_S,
            "autoreset_mode": mode,
        }
        self._over = np.zeros(self.num_envs, dtype=np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Start new episodes, in all cars or in those of `options["reset_mask"]`."""
        super().reset(seed=seed, options=options)
        mask = None if options is None else options.get("reset_mask")
        if mask is not None:
            mask = np.asarray(mask)
            if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
                problem = f"must be {self.num_envs} of True or False, one True at least"
                raise ParameterError("options['reset_mask']", problem)
        self.cars.start(self.np_random, mask)
        self._over[slice(None) if mask is None else mask] = False
        return self.cars.seen(), {}

    def step(self, actions: ArrayLike) -> Returned:
        """Drive for one control period."""
        over = self._over
        if self._mode is AutoresetMode.DISABLED and over.any():
            car = int(np.argmax(over))
            raise ParameterError(f"actions[{car}]", "the car's episode is over: reset it first")
        seen, reward, terminated, truncated = self.cars.step(actions)
        if self._mode is AutoresetMode.NEXT_STEP and over.any():
            self._start(over, seen)
            reward[over] = 0.0
            terminated, truncated = terminated & ~over, truncated & ~over
        infos: dict[str, Any] = {}
        self._over = terminated | truncated
        if self._mode is AutoresetMode.SAME_STEP and self._over.any():
            infos = self._finals(seen)
            self._start(self._over, seen)
            self._over = np.zeros(self.num_envs, dtype=np.bool_)
        return seen, reward, terminated, truncated, infos

    def render(self) -> tuple[Any, ...] | None:
        """Return the pictures of all cars."""
        if self.render_mode is None:
            return None
        return tuple(frame(self.cars, car) for car in range(self.num_envs))

    def _start(self, mask: Truths, seen: Seen) -> None:
        """Start these cars again and put what they see first into `seen`."""
        self.cars.start(self.np_random, mask)
        cars = np.flatnonzero(mask)
        seen[cars] = self.cars.seen(cars)

    def _finals(self, seen: Seen) -> dict[str, Any]:
        """Return the last observations of the episodes that are over."""
        final = np.full(self.num_envs, None, dtype=object)
        for car in np.flatnonzero(self._over):
            final[car] = seen[car].copy()
        over = self._over.copy()
        return {"final_obs": final, "_final_obs": over, "final_info": {}, "_final_info": over}
