"""A drive, sample by sample, as arrays: what the metrics and the plots are made from."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.observation import Observation

Array = NDArray[np.float64]
WHEELS = ("fl", "fr", "rl", "rr")
_BODY_KEYS = {
    "time_s": "t",
    "x_m": "X",
    "y_m": "Y",
    "yaw_rad": "psi",
    "vx_mps": "vx",
    "vy_mps": "vy",
    "yaw_rate_radps": "r",
    "ax_mps2": "ax",
    "ay_mps2": "ay",
    "sideslip_rad": "beta",
    "roll_rad": "roll",
}
_WHEEL_KEYS = {
    "fx_n": "Fx",
    "fy_n": "Fy",
    "fz_n": "Fz",
    "alpha_rad": "alpha",
    "kappa": "kappa",
    "mu": "mu",
}


@dataclass(frozen=True, eq=False)
class Trace:
    """Row 0 is the start; row k is the state after step k and the command held during it.

    World ENU, body ISO 8855, wheel forces in the contact frame; wheel arrays have the columns
    FL, FR, RL, RR.
    """

    time_s: Array
    x_m: Array
    y_m: Array
    yaw_rad: Array
    vx_mps: Array
    vy_mps: Array
    yaw_rate_radps: Array
    ax_mps2: Array
    ay_mps2: Array
    sideslip_rad: Array
    roll_rad: Array
    steer_rad: Array
    fx_command_n: Array
    fx_n: Array
    fy_n: Array
    fz_n: Array
    alpha_rad: Array
    kappa: Array
    mu: Array

    @property
    def speed_mps(self) -> Array:
        """Speed of the centre of gravity."""
        speed: Array = np.hypot(self.vx_mps, self.vy_mps)
        return speed

    @property
    def friction_use(self) -> Array:
        """|F| / (mu Fz) of each wheel; 0 for a wheel in the air."""
        limit = self.mu * self.fz_n
        used = np.hypot(self.fx_n, self.fy_n)
        return np.divide(used, limit, out=np.zeros_like(used), where=limit > 0.0)

    def columns(self) -> dict[str, Array]:
        """Return every column by name, wheel arrays as four."""
        columns: dict[str, Array] = {}
        for item in fields(self):
            values = getattr(self, item.name)
            if values.ndim == 1:
                columns[item.name] = values
            else:
                columns |= {f"{item.name}_{w}": values[:, k] for k, w in enumerate(WHEELS)}
        return columns

    def save_csv(self, path: str | Path) -> None:
        """Write all columns, one row a sample, every digit."""
        columns = self.columns()
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*(c.tolist() for c in columns.values()), strict=True))


def trace_of(observations: Sequence[Observation], commands: Sequence[tuple[float, float]]) -> Trace:
    """Return the trace of observations (the start first) and the command before each of them."""
    body = {
        name: np.array([obs[key] for obs in observations])  # type: ignore[literal-required]
        for name, key in _BODY_KEYS.items()
    }
    wheels = {
        name: np.array([[wheel[key] for wheel in obs["wheel"]] for obs in observations])  # type: ignore[literal-required]
        for name, key in _WHEEL_KEYS.items()
    }
    steer_rad, fx_command_n = np.array(commands).T
    return Trace(**body, **wheels, steer_rad=steer_rad, fx_command_n=fx_command_n)
