"""What the tests of the plant share: drives, a reference bicycle, energy, a fresh process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from vdsim_plant.study.accuracy.single_track import CRUISE as CRUISE
from vdsim_plant.study.accuracy.single_track import bicycle as bicycle
from vdsim_plant.study.accuracy.single_track import lane_change as lane_change
from vdsim_plant.vehicle import Vehicle

from vdsim_plant import Observation, VDSimPlant

PACKAGE_ROOT = Path(__file__).resolve().parents[1]
FRICTIONS = (0.05, 0.1, 0.3, 0.5, 0.9, 1.2)


def drive(
    plant: VDSimPlant, inputs: Iterable[tuple[float, float]], state0: Iterable[float] = CRUISE
) -> list[Observation]:
    """Reset, hold each input for a period, return all observations."""
    seen = [plant.reset(list(state0))]
    seen += [plant.step(list(u)) for u in inputs]
    return seen


def column(seen: list[Observation], key: str) -> NDArray[np.float64]:
    """Return one quantity of the car over time."""
    return np.array([dict(obs)[key] for obs in seen], dtype=np.float64)


def wheels(seen: list[Observation], key: str) -> NDArray[np.float64]:
    """Return one quantity of the wheels over time, n x 4."""
    return np.array([[dict(wheel)[key] for wheel in obs["wheel"]] for obs in seen])


def circle_use(seen: list[Observation]) -> NDArray[np.float64]:
    """Return |F| - mu Fz [N] of each wheel over time: 0 at the limit, never above."""
    force = np.hypot(wheels(seen, "Fx"), wheels(seen, "Fy"))
    return force - wheels(seen, "mu") * wheels(seen, "Fz")


def kinetic_energy_j(vehicle: Vehicle) -> float:
    """Return the energy of body and wheels."""
    m = vehicle.motion()
    body = vehicle.parameters.body
    wheel = vehicle.parameters.wheels
    inertias = (wheel.inertia_front_kgm2,) * 2 + (wheel.inertia_rear_kgm2,) * 2
    return 0.5 * (
        body.mass_kg * (m.vx_mps**2 + m.vy_mps**2)
        + body.yaw_inertia_kgm2 * m.yaw_rate_radps**2
        + sum(j * w**2 for j, w in zip(inertias, m.wheel_spin_radps, strict=True))
    )


def in_fresh_process(code: str, **environment: str) -> str:
    """Run Python code in a process of its own and return what it printed."""
    changed: Mapping[str, str] = {**os.environ, "PYTHONPATH": str(PACKAGE_ROOT), **environment}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=dict(changed), check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
