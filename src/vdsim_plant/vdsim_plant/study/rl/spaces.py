"""Spaces and pictures that the environments share."""

from __future__ import annotations

import numpy as np
from gymnasium.spaces import Box

from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.study.tasks import OBSERVED, Task, TaskCars, task_named
from vdsim_plant.study.tasks.picture import Pixels, picture
from vdsim_plant.study.tasks.task_cars import LARGEST_SEEN

RENDER_MODES = ("rgb_array",)
FRAMES_PER_S = 50


def single_spaces() -> tuple[Box, Box]:
    """Return what one car sees, and its actions: steering and force, -1 to 1."""
    return (
        Box(-LARGEST_SEEN, LARGEST_SEEN, (len(OBSERVED),), np.float32),
        Box(-1.0, 1.0, (2,), np.float32),
    )


def task_of(task: str | Task) -> Task:
    """Return a task as it is, or by its name."""
    return task if isinstance(task, Task) else task_named(task)


def checked_render_mode(render_mode: str | None) -> str | None:
    """Return the mode, or raise."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise ParameterError("render_mode", f"={render_mode!r}: must be None or 'rgb_array'")
    return render_mode


def frame(cars: TaskCars, car: int) -> Pixels:
    """Return the picture of one car."""
    x, y, yaw = (float(number) for number in cars.batch.read(("X", "Y", "psi"))[car])
    steer = float(cars.batch.measured().steer_rad[car])
    return picture(cars.task.ground, cars.task.line, (x, y, yaw), steer)
