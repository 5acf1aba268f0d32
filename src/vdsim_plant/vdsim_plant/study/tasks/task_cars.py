"""n cars that do a task: the whole of a learning environment, without anybody's interface."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vdsim_plant.batch import PlantBatch
from vdsim_plant.batch.rows import checked_count
from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.plant import VDSimPlant
from vdsim_plant.study.tasks.task import OBSERVED, Scene, Task

Array = NDArray[np.float64]
Seen = NDArray[np.float32]
Truths = NDArray[np.bool_]
Cars = NDArray[np.int64]
Ranges = dict[str, tuple[float, float]]

_STATES = ("X", "Y", "psi", "vx", "vy", "r", "ax", "ay")
_SCALES = np.array([1 / 2, 1, 1 / 20, 1 / 5, 1, 1 / 10, 1 / 10, 1, 1, 50, 50, 50], dtype=np.float32)
_LOOK_AHEAD_S = (0.5, 1.0, 0.2)
LARGEST_SEEN = 100.0
"""Observations are cut there; those of a car on the road are about 1."""


class Step(NamedTuple):
    """What a step returns, arrays of n."""

    seen: Seen
    reward: Array
    terminated: Truths
    truncated: Truths


class TaskCars:
    """The cars of a task, started and stepped together.

    `tyre`: another than that of the task's car, as for `VDSimPlant`.
    `randomise`: True for the task's own ranges, or names and ranges. The cars are drawn beforehand,
    `variants` of them from `variants_seed`; each start draws one of them. `dtype`: that of the
    batch; float32 is faster.
    """

    def __init__(
        self,
        task: Task,
        n: int,
        *,
        threads: int = 1,
        control_dt: float = 0.02,
        substep_dt: float = 5e-4,
        tyre: str | None = None,
        randomise: bool | Mapping[str, tuple[float, float]] = False,
        variants: int = 64,
        variants_seed: int = 0,
        dtype: Any = "float64",
    ) -> None:
        self.task = task
        self.n = checked_count("n", n)
        plant = VDSimPlant(
            task.config,
            tyre=tyre,
            ground=task.ground,
            level=task.level,
            assist=task.assist,
            limit_to_motor=task.limit_to_motor,
            control_dt=control_dt,
            substep_dt=substep_dt,
        )
        self.plant = plant
        ranges = _checked_ranges(plant, task, randomise)
        plants = _variants(plant, ranges, checked_count("variants", variants), variants_seed)
        self._kinds_n = len(plants)
        kinds = [variant.parts()[0] for variant in plants]
        of = np.arange(self.n) % len(kinds)
        self.batch = PlantBatch(kinds, self.n, of=of, threads=threads, dtype=dtype)
        self._last_step = round(task.duration_s / plant.control_dt)
        self._numbers = np.empty((len(_STATES), self.n))
        self._inputs = np.empty((self.n, 2))
        self._actions = np.zeros((2, self.n))
        self.steps = np.zeros(self.n, dtype=np.int64)
        self._forces = np.array([task.brake_max_n, task.drive_max_n])

    def start(self, random: np.random.Generator, mask: Truths | None = None) -> None:
        """Start all cars, or those of the mask, from places that `random` draws."""
        count = self.n if mask is None else int(np.count_nonzero(mask))
        if not count:
            return
        states = self.task.starts(random, count)
        kinds = random.integers(self._kinds_n, size=count) if self._kinds_n > 1 else None
        self.batch.restart(states, mask, kinds=kinds)
        chosen: Truths | slice = slice(None) if mask is None else mask
        self.steps[chosen] = 0
        self._actions[:, chosen] = 0.0

    def step(self, actions: ArrayLike) -> Step:
        """Apply actions, n x 2 from -1 to 1, for one control period."""
        before = self._actions
        action = self._drive(actions)
        scene = self.scene()
        reward, ended = self.task.judge(scene, action, before)
        self.steps += 1
        return Step(self._seen(scene, action), reward, ended, self.steps >= self._last_step)

    def seen(self, cars: Cars | None = None) -> Seen:
        """Return what all cars see, or these, a row each."""
        if cars is None:
            return self._seen(self.scene(), self._actions)
        numbers = np.ascontiguousarray(self.batch.read(_STATES, cars=cars).T, dtype=np.float64)
        return self._seen(self._scene_of(numbers), self._actions[:, cars])

    def scene(self) -> Scene:
        """Return where all cars are."""
        self.batch.read(_STATES, out=self._numbers.T)
        return self._scene_of(self._numbers)

    def _scene_of(self, numbers: Array) -> Scene:
        x, y, yaw, vx, vy, yaw_rate, ax, ay = numbers
        left, heading = self.task.line.errors(x, y, yaw)
        return Scene(
            x=x,
            y=y,
            yaw=yaw,
            vx=vx,
            vy=vy,
            yaw_rate=yaw_rate,
            ax=ax,
            ay=ay,
            left=left,
            heading=heading,
        )

    def _drive(self, actions: ArrayLike) -> Array:
        """Turn actions into inputs and hold them for a period; return them, 2 x n."""
        given = np.asarray(actions, dtype=np.float64)
        if given.shape != (self.n, 2):
            raise ParameterError("actions", f"has shape {given.shape}: must be ({self.n}, 2)")
        action = np.empty((2, self.n))
        np.clip(given.T, -1.0, 1.0, out=action)
        brake_n, drive_n = self._forces
        np.multiply(action[0], self.task.steer_max_rad, out=self._inputs[:, 0])
        force = np.where(action[1] > 0.0, drive_n, brake_n)
        np.multiply(action[1], force, out=self._inputs[:, 1])
        self.batch.advance(self._inputs)
        self._actions = action
        return action

    def _seen(self, scene: Scene, action: Array) -> Seen:
        rows = np.empty((len(OBSERVED), len(scene.x)), dtype=np.float32)
        rows[0], rows[1] = scene.left, scene.heading
        rows[2], rows[3], rows[4] = scene.vx, scene.vy, scene.yaw_rate
        rows[5], rows[6] = scene.ax, scene.ay
        rows[7:9] = action
        for row, ahead_s in zip(rows[9:], _LOOK_AHEAD_S, strict=True):
            row[:] = self.task.line.curvature_ahead(scene.x, scene.y, ahead_s * scene.vx)
        rows *= _SCALES[:, np.newaxis]
        np.clip(rows, -LARGEST_SEEN, LARGEST_SEEN, out=rows)
        return np.ascontiguousarray(rows.T)


def _checked_ranges(
    plant: VDSimPlant, task: Task, randomise: bool | Mapping[str, tuple[float, float]]
) -> Ranges:
    """Return the range of each name, both of whose ends make a plant."""
    given = {True: task.vary, False: {}}[randomise] if isinstance(randomise, bool) else randomise
    if not isinstance(given, Mapping):
        raise wrong_value("randomise", given, "True, False or names with (low, high)")
    ranges = {}
    for name, ends in given.items():
        key = f"randomise[{name!r}]"
        try:
            low, high = (float(end) for end in ends)
        except (TypeError, ValueError, OverflowError):
            raise wrong_value(key, ends, "(low, high)") from None
        if not -math.inf < low <= high < math.inf:
            raise wrong_value(key, ends, "(low, high), finite and low <= high")
        for index, end in enumerate((low, high)):
            try:
                plant.varied({name: end})
            except ParameterError as error:
                raise ParameterError(f"{key}[{index}]", f"={end:g}: {error}") from None
        ranges[name] = low, high
    return ranges


def _variants(plant: VDSimPlant, ranges: Ranges, count: int, seed: int) -> list[VDSimPlant]:
    """Return plants with values drawn from the ranges; this one alone where nothing varies."""
    if not ranges:
        return [plant]
    random = np.random.default_rng(seed)
    drawn = {name: random.uniform(*ends, count).tolist() for name, ends in ranges.items()}
    return [plant.varied({name: of[k] for name, of in drawn.items()}) for k in range(count)]
