"""Driving tasks as environments of Gymnasium and PettingZoo. Importing this registers their names.

`gymnasium.make("vdsim/LaneKeeping-v0")` is one car, `make_vec(name, num_envs=4096)` are many.
Needs Gymnasium (`pip install vdsim-plant[rl]`).
"""

from vdsim_plant.study.rl.registration import IDS
from vdsim_plant.study.rl.vector_env import VehicleVectorEnv
from vdsim_plant.study.rl.vehicle_env import VehicleEnv
from vdsim_plant.study.tasks import TASKS

__all__ = ["IDS", "TASKS", "VehicleEnv", "VehicleVectorEnv"]
