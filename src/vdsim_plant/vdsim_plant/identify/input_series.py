"""What steers, drives and brakes each variant of a car, substep by substep.

The commands of a log go through each variant's actuators: dead time and lag are exact, and a
substep gets the mean of what the actuator does meanwhile. Variants with the same actuator share a
series. Measured inputs, where no command was logged, are taken as straight between two rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.identify.actuation import realized
from vdsim_plant.identify.channels import COMMAND_NAMES, TORQUES
from vdsim_plant.identify.drive_log import DriveLog
from vdsim_plant.identify.unknowns import STEER_OFFSET
from vdsim_plant.kernel import logged

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
Values = Mapping[str, float]
SUBSTEP_S = 1e-3
KEPT = 24  # series
_KINDS = logged.BRAKE_FULL
_STEERING = (
    *("command_steer_rad", "command_steering_wheel_rad"),
    *("steer_rad", "steering_wheel_rad"),
)
"""What may steer the car; the first that a log has does."""


@dataclass(frozen=True)
class Series:
    """An input over the whole log: a channel behind an actuator (delay, lag [s]), scaled."""

    name: str
    actuator: tuple[float, float] | None = None
    scale: float = 1.0
    offset: float = 0.0


class InputSeries:
    """The inputs of a log at each substep."""

    def __init__(self, log: DriveLog, max_angle_rad: float) -> None:
        self._log = log
        self._most = max_angle_rad
        self.substeps = max(1, math.ceil(log.period_s / SUBSTEP_S - 1e-9))
        self.substep_s = log.period_s / self.substeps
        self._stretches = [(a * self.substeps, b * self.substeps) for a, b in log.stretches]
        gear = log.columns.get("command_gear")
        self._gear = np.ones(log.rows) if gear is None else np.sign(np.round(gear))
        self._kept: dict[tuple[str, tuple[float, float] | None], Array] = {}

    def of(self, variants: Sequence[Values]) -> tuple[Rows, Array]:
        """Return where each variant's series begin, kind x variant, and all series in one.

        Where there is no such input the place is -1.
        """
        begins: dict[Series, int] = {}
        size = self._log.rows * self.substeps
        places = np.full((_KINDS, len(variants)), -1, dtype=np.int64)
        for index, values in enumerate(variants):
            for kind, series in self._of_one(values):
                places[kind, index] = begins.setdefault(series, size * len(begins))
        return places, np.concatenate([self._made(series) for series in begins])

    def brakes(self, variants: Sequence[Values]) -> Array:
        """Return each wheel's torque of the whole brake, wheel x variant [N m]."""
        full = 0.5 * np.array([v["brakes.max_torque_nm"] for v in variants])
        front = np.array([v["brakes.front_share"] for v in variants])
        return np.stack((full * front, full * front, full * (1.0 - front), full * (1.0 - front)))

    def backwards(self, rows: Rows) -> Array:
        """Return -1 in reverse, else 1: the sign of what holds the car back."""
        signs: Array = np.where(self._gear[rows] < 0.0, -1.0, 1.0)
        return signs

    def _of_one(self, values: Values) -> list[tuple[int, Series]]:
        """Return kind and series of each input of a car with these values."""
        log = self._log
        name = next(name for name in _STEERING if log.has(name))
        ratio = values["steering.ratio"] if "wheel" in name else 1.0
        actuator = _actuator(values, "steering") if name in COMMAND_NAMES else None
        steering = Series(name, actuator, scale=1.0 / ratio, offset=values[STEER_OFFSET])
        if not log.has("command_throttle", "command_brake"):
            torques = [Series(name) for name in TORQUES]
            return [
                (logged.STEER_FROM, steering),
                *((logged.TORQUE_FROM + wheel, torque) for wheel, torque in enumerate(torques)),
            ]
        return [
            (logged.STEER_FROM, steering),
            (logged.THROTTLE_FROM, Series("command_throttle", _actuator(values, "throttle"))),
            (logged.BRAKE_FROM, Series("command_brake", _actuator(values, "brake"))),
        ]

    def _made(self, series: Series) -> Array:
        base = self._followed(series.name, series.actuator)
        made: Array = base * series.scale + series.offset
        if series.name == "command_throttle":
            made = np.clip(made, 0.0, 1.0) * np.repeat(self._gear, self.substeps)
        elif series.name == "command_brake":
            made = np.clip(made, 0.0, 1.0)
        elif series.name in _STEERING:
            made = np.clip(made, -self._most, self._most)
        return made

    def _followed(self, name: str, actuator: tuple[float, float] | None) -> Array:
        """Return what an actuator makes of a command, or a measured input, at each substep."""
        key = (name, actuator)
        if key in self._kept:
            return self._kept[key]
        if actuator is None:
            found = self._straight(self._log.columns[name])
        else:
            _, found = realized(
                np.repeat(self._log.columns[name], self.substeps),
                self._stretches,
                period_s=self.substep_s,
                delay_s=actuator[0],
                lag_s=actuator[1],
            )
        if len(self._kept) >= KEPT:
            self._kept.pop(next(iter(self._kept)))
        self._kept[key] = found
        return found

    def _straight(self, values: Array) -> Array:
        found = np.empty(len(values) * self.substeps)
        for first, last in self._log.stretches:
            substeps = (np.arange((last - first) * self.substeps) + 0.5) / self.substeps
            found[first * self.substeps : last * self.substeps] = np.interp(
                substeps, np.arange(last - first), values[first:last]
            )
        return found


def _actuator(values: Values, name: str) -> tuple[float, float]:
    return values[f"actuator.{name}.delay_s"], values[f"actuator.{name}.lag_s"]
