"""What an identified car says of a drive that it was not fitted to: open loop, from the start on.

The car begins at the log's first moving row and gets the inputs alone: of a log with forces
steering and pedals or torques, of one without steering and speed. Nothing is fitted to it, nor
corrected on the way; what the sensors read too much in the fitted log is added.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.study.identify.channels import BANK, CHANNELS, HEADING
from vdsim_plant.study.identify.drive_log import DriveLog
from vdsim_plant.study.identify.identification import IdentifiedCar
from vdsim_plant.study.identify.problem import Problem
from vdsim_plant.study.manoeuvres import panels

Array = NDArray[np.float64]
BANDS_HZ = (0.0, 0.05, 0.2, 0.5, 1.0, 2.0, 5.0)
COUNTED_MPS = 3.0  # slower rows do not count
LEFT_OUT_S = 1.5  # of the end, for the piece to fit in
_WANTED = ("yaw_rate_radps", "ay_mps2", "vy_mps", "ax_mps2", "vx_mps")


@dataclass(frozen=True)
class Predicted:
    """One channel of a drive: measured, and as the car says; rows that count."""

    measured: Array
    predicted: Array
    counts: NDArray[np.bool_]
    period_s: float

    @property
    def error(self) -> Array:
        """Measured less predicted, where rows count."""
        found: Array = (self.measured - self.predicted)[self.counts]
        return found

    @property
    def rms(self) -> float:
        """Root of the mean square of the error."""
        return float(np.sqrt(np.mean(self.error**2)))

    @property
    def size(self) -> float:
        """The same of what was measured."""
        return float(np.sqrt(np.mean(self.measured[self.counts] ** 2)))

    def bands(self) -> dict[str, float]:
        """Return the root of the mean square of the error in each band of frequencies."""
        error = np.where(self.counts, self.measured - self.predicted, 0.0)
        power = np.abs(np.fft.rfft(error)) ** 2
        power[1:] *= 2.0
        frequency = np.fft.rfftfreq(len(error), self.period_s)
        mean = power / len(error) / max(int(self.counts.sum()), 1)
        edges = (*BANDS_HZ, np.inf)
        return {
            f"{low:g} to {high:g} Hz" if high < np.inf else f"above {low:g} Hz": float(
                np.sqrt(mean[(frequency >= low) & (frequency < high)].sum())
            )
            for low, high in pairwise(edges)
        }


def predict(car: IdentifiedCar, log: DriveLog) -> dict[str, Predicted]:
    """Return what the car says of the measured channels of a log without a gap."""
    if len(log.stretches) != 1:
        raise ParameterError("log", f"has {len(log.stretches)} parts: must have no gap")
    if log.by_speed != car.fit.problem.log.by_speed:
        raise ParameterError("log", "must have the inputs of the log that was fitted")
    own = car.fit.problem
    columns = {k: v for k, v in log.columns.items() if k not in (HEADING.name, BANK.name)}
    for name, offset in car.sensor_offsets.items():
        if name in columns:
            columns[name] = columns[name] - offset
    plain = replace(log, columns=columns, settled=tuple(CHANNELS))
    start = replace(own.start, known={**own.start.known, **car.fit.values})
    problem = Problem(plain, start, {}, segment_s=log.duration_s - LEFT_OUT_S, threads=1)
    residuals = problem.residuals(problem.begin())[:, :, 0]
    rows = problem.starts[0] + np.arange(problem.ticks)
    counts = problem.counted[:, 0] & (np.abs(columns["vx_mps"][rows]) > COUNTED_MPS)
    found = {}
    for name in _WANTED:
        if name in problem.outputs:
            measured = log.columns[name][rows]
            error = residuals[problem.outputs.index(name)]
            found[name] = Predicted(measured, measured - error, counts, log.period_s)
    return found


def prediction_lines(found: Mapping[str, Predicted]) -> list[str]:
    """Return a prediction as rows of text: what is left, by bands of frequency."""
    lines = []
    for name, one in found.items():
        unit = CHANNELS[name].unit
        lines.append(f"{name}: {one.rms:.4g} {unit} left of {one.size:.4g}, nothing fitted to it")
        lines += [f"    {band:16}{left:.3g} {unit}" for band, left in one.bands().items()]
    return lines


def prediction_figure(found: Mapping[str, Predicted]) -> Any:
    """Draw each channel over time, and the spectrum of what is left beside that measured."""
    figure, axes = panels.new_figure(
        "Predicted, open loop", len(found), 2, size_in=(12.0, 3.0 * len(found))
    )
    for (name, one), (left, right) in zip(found.items(), axes, strict=True):
        time_s = one.period_s * np.arange(len(one.measured))
        unit, short = CHANNELS[name].unit, name.rpartition("_")[0]
        left.plot(time_s, one.measured, color=panels.GREY, linewidth=0.8, label="measured")
        left.plot(time_s, one.predicted, color=panels.BLUE, linewidth=1.0, label="predicted")
        panels.label(left, "time [s]", f"{short} [{unit}]")
        left.legend(fontsize=8)
        frequency = np.fft.rfftfreq(len(one.measured), one.period_s)[1:]
        error = np.where(one.counts, one.measured - one.predicted, 0.0)
        for values, colour in ((one.measured, panels.GREY), (error, panels.RED)):
            size = np.abs(np.fft.rfft(values))[1:] / len(values)
            right.loglog(frequency, size, color=colour, linewidth=0.6)
        panels.label(right, "frequency [Hz]", f"{short} [{unit}]", "measured, and what is left")
    return figure
