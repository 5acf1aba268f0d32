"""What steers, drives and brakes each variant of a car, substep by substep.

The commands of a log go through each variant's actuators: dead time and lag are exact, and a
substep gets the mean of what the actuator does meanwhile. Variants with the same actuator share a
series. Measured inputs, where no command was logged, are taken as straight between two rows; wheel
torques straight or held, and late by a delay. A steering angle of a log without forces goes through
a dead time and a lag as a command does: its sensor, and what gives way between it and the road.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import savgol_filter

from vdsim_plant.kernel import logged
from vdsim_plant.study.identify.actuation import realized
from vdsim_plant.study.identify.candidates import (
    SCALE,
    STEER_OFFSET,
    TORQUE_DELAY,
)
from vdsim_plant.study.identify.channels import BANK, COMMAND_NAMES, TORQUES
from vdsim_plant.study.identify.drive_log import DriveLog

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
Values = Mapping[str, float]
SUBSTEP_S = 1e-3
SPEED_MEAN_S = 0.5  # a measured speed that is held is smoothed over so much
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
    delay_s: float | None = None
    """Of a wheel torque."""


class InputSeries:
    """The inputs of a log at each substep."""

    def __init__(self, log: DriveLog, max_angle_rad: float, *, held_torque: bool = False) -> None:
        self._log = log
        self._held_torque = held_torque
        self._most = max_angle_rad
        self.substeps = max(1, math.ceil(log.period_s / SUBSTEP_S - 1e-9))
        self.substep_s = log.period_s / self.substeps
        self._stretches = [(a * self.substeps, b * self.substeps) for a, b in log.stretches]
        gear = log.columns.get("command_gear")
        self._gear = np.ones(log.rows) if gear is None else np.sign(np.round(gear))
        self._kept: dict[tuple[str, tuple[float, float] | None], Array] = {}

    @property
    def banked(self) -> bool:
        """Whether the log has the road's bank."""
        return self._log.has(BANK.name)

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
        commanded = name in COMMAND_NAMES or log.by_speed
        actuator = _actuator(values, "steering") if commanded else None
        scale = values[SCALE] / ratio
        steering = Series(name, actuator, scale=scale, offset=values[STEER_OFFSET])
        bank = [(logged.BANK_FROM, Series(BANK.name))] if log.has(BANK.name) else []
        if log.by_speed:
            return [(logged.STEER_FROM, steering), (logged.SPEED_FROM, Series("vx_mps")), *bank]
        if not log.has("command_throttle", "command_brake"):
            torques = [Series(name, delay_s=values[TORQUE_DELAY]) for name in TORQUES]
            return [
                *bank,
                (logged.STEER_FROM, steering),
                *((logged.TORQUE_FROM + wheel, torque) for wheel, torque in enumerate(torques)),
            ]
        return [
            *bank,
            (logged.STEER_FROM, steering),
            (logged.THROTTLE_FROM, Series("command_throttle", _actuator(values, "throttle"))),
            (logged.BRAKE_FROM, Series("command_brake", _actuator(values, "brake"))),
        ]

    def _made(self, series: Series) -> Array:
        if series.delay_s is not None:
            return self._late(series.name, series.delay_s)
        if series.name == "vx_mps":
            return self._straight(self._smoothed(self._log.columns["vx_mps"]))
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
            values = self._log.columns[name]
            held = name in COMMAND_NAMES
            _, found = realized(
                np.repeat(values, self.substeps) if held else self._straight(values),
                self._stretches,
                period_s=self.substep_s,
                delay_s=actuator[0],
                lag_s=actuator[1],
            )
        if len(self._kept) >= KEPT:
            self._kept.pop(next(iter(self._kept)))
        self._kept[key] = found
        return found

    def _late(self, name: str, delay_s: float) -> Array:
        """Return the mean over each substep of a wheel torque that acts late.

        A straight line between rows, or steps: both by what has acted since the stretch's start.
        """
        values, period = self._log.columns[name], self._log.period_s
        found = np.empty(len(values) * self.substeps)
        for first, last in self._log.stretches:
            rows = values[first:last]
            count = last - first
            edges = np.arange(count * self.substeps + 1) / self.substeps - delay_s / period
            if self._held_torque:
                acted = np.concatenate(([0.0], np.cumsum(rows)))
                inside = np.interp(edges, np.arange(count + 1), acted)
                inside += np.minimum(edges, 0.0) * rows[0]
                inside += np.maximum(edges - count, 0.0) * rows[-1]
                made = np.diff(inside) * self.substeps
            else:
                made = np.interp(0.5 * (edges[1:] + edges[:-1]), np.arange(count), rows)
            found[first * self.substeps : last * self.substeps] = made
        return found

    def _smoothed(self, values: Array) -> Array:
        """Return a channel without its noise: parabolas over `SPEED_MEAN_S`."""
        found = np.empty(len(values))
        for first, last in self._log.stretches:
            width = 2 * round(0.5 * SPEED_MEAN_S / self._log.period_s) + 1
            width = min(width, (last - first - 1) // 2 * 2 + 1)
            found[first:last] = savgol_filter(values[first:last], width, min(2, width - 1))
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
