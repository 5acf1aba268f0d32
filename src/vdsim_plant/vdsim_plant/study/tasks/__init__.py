"""Driving tasks for learning: what n cars see, what they are paid for, when an episode ends.

    actions -> TaskCars.step -> PlantBatch -> Task.judge -> observation, reward, end

Numpy alone: the environments of `vdsim_plant.study.rl` put them into the interfaces of others.
"""

from vdsim_plant.study.tasks.catalogue import TASKS, task_named
from vdsim_plant.study.tasks.task import OBSERVED, Task
from vdsim_plant.study.tasks.task_cars import TaskCars

__all__ = ["OBSERVED", "TASKS", "Task", "TaskCars", "task_named"]
