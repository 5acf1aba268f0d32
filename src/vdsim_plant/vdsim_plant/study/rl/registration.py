"""The names of the environments in Gymnasium's registry."""

from __future__ import annotations

import gymnasium

from vdsim_plant.study.tasks import TASKS

_PACKAGE = __name__.rsplit(".", 1)[0]


def _registered(name: str) -> str:
    """Register a task; its time limit is its own."""
    gymnasium.register(
        id=f"vdsim/{name}-v0",
        entry_point=f"{_PACKAGE}.vehicle_env:VehicleEnv",
        vector_entry_point=f"{_PACKAGE}.vector_env:VehicleVectorEnv",
        kwargs={"task": name},
    )
    return f"vdsim/{name}-v0"


IDS = tuple(_registered(name) for name in TASKS)
"""All registered names."""
