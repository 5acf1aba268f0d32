"""DriveLog: what was commanded and measured, on an even grid of time; pure.

One log may have gaps and resets; `stretches` are its parts without one. A
command in row k is in force from that row's time on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.study.identify.channels import (
    BANK,
    CHANNELS,
    COMMAND_NAMES,
    MEASURED_NAMES,
    SPINS,
    TIME,
    TORQUES,
)

Array = NDArray[np.float64]
SHORTEST_PERIOD_S = 0.01
LONGEST_PERIOD_S = 0.1
HARDEST_MPS2 = 50.0
RESET_NOISES = 10.0  # standard deviations
LONGEST_GAP = 2.5  # periods
DEFAULT_MOVING_MPS = 0.5
ROLLING_MPS = 2.0
"""Above it a wheel's speed over the car's shows its radius."""
SLIDING_MPS = 1.5
SLIDING_SHARE = 0.15
"""A wheel slides when it is further than both together from rolling: more than a bend does."""
SPIN_LINE_S = 0.05
BANK_MEAN_S = 1.0
STRAIGHT_MPS2 = 0.5
RESTING_MPS = 1.0
RESTING_MEAN_S = 0.2
RESTING_MARGIN_S = 0.2
"""Coming to rest is a step of the acceleration: when it comes says all, and nothing is smooth."""
UNKNOWN_COMMANDS_S = 0.5
"""The actuators still follow commands from before a stretch for so long."""


@dataclass(frozen=True)
class DriveLog:
    """Rows at an even period; `stretches` are (first, last + 1) of the parts without a break."""

    period_s: float
    columns: Mapping[str, Array]
    stretches: tuple[tuple[int, int], ...]
    settled: tuple[str, ...] = ()
    """Channels whose offset is known, and taken out."""

    @property
    def rows(self) -> int:
        """How many, those between two stretches included."""
        return len(self.columns["vx_mps"])

    @property
    def duration_s(self) -> float:
        """Time that the log covers, gaps left out."""
        return sum(last - first for first, last in self.stretches) * self.period_s

    def has(self, *names: str) -> bool:
        """Whether all these channels were logged."""
        return all(name in self.columns for name in names)

    @property
    def by_speed(self) -> bool:
        """Whether the measured speed is an input, for want of pedals and wheel torques."""
        return not (self.has("command_throttle", "command_brake") or self.has(*TORQUES))

    @property
    def measured(self) -> tuple[str, ...]:
        """The measured channels that the log has."""
        return tuple(name for name in MEASURED_NAMES if name in self.columns)


def make_log(time_s: Array, columns: Mapping[str, Array], *, source: str = "") -> DriveLog:
    """Bring raw columns to an even grid: commands held, measured values averaged or interpolated.

    Faster than 100 Hz is averaged down to it: the same information in fewer rows.
    """
    try:
        return _even(np.asarray(time_s, dtype=np.float64), columns)
    except ParameterError as error:
        raise error.in_file(source) from None


def _even(time_s: Array, columns: Mapping[str, Array]) -> DriveLog:
    if len(time_s) < 100:
        raise ParameterError("rows", f"={len(time_s)}: must be 100 or more")
    steps = np.diff(time_s)
    if not np.all(np.isfinite(time_s)) or np.any(steps <= 0.0):
        row = int(np.argmin(np.where(np.isfinite(steps), steps, -1.0))) + 1
        raise ParameterError(f"time_s[{row}]", f"={time_s[row]}: must be finite and rising")
    typical = float(np.median(steps))
    if typical > LONGEST_PERIOD_S:
        raise ParameterError(
            "period", f"={typical:.3g} s: must be at most {LONGEST_PERIOD_S:g} s (10 Hz)"
        )
    for name, values in columns.items():
        _check(name, values)
    period = max(typical, SHORTEST_PERIOD_S)
    breaks = np.diff(time_s) > LONGEST_GAP * max(typical, period)
    if "vx_mps" in columns:
        breaks |= _resets(time_s, columns["vx_mps"])
    parts = _between(breaks)
    grids = [_grid(time_s[first:last], period) for first, last in parts]
    kept = [(part, grid) for part, grid in zip(parts, grids, strict=True) if len(grid) > 1]
    collected: dict[str, Array] = {}
    for name, values in columns.items():
        held = name in COMMAND_NAMES
        pieces = [
            _on_grid(time_s[first:last], values[first:last], grid, period, held=held)
            for (first, last), grid in kept
        ]
        collected[name] = np.concatenate(pieces)
    edges = np.cumsum([0, *(len(grid) for _, grid in kept)]).tolist()
    return DriveLog(period, collected, tuple(pairwise(edges)))


def _check(name: str, values: Array) -> None:
    channel = CHANNELS[name]
    wrong = np.flatnonzero(~((values >= channel.low) & (values <= channel.high)))
    if len(wrong):
        row = int(wrong[0])
        unit = "" if " to " in channel.unit else f" {channel.unit}"
        raise ParameterError(
            f"{name}[{row}]",
            f"={values[row]:.6g}: must be finite, {channel.low:g} to {channel.high:g}{unit}",
        )


def joined(logs: Sequence[DriveLog]) -> DriveLog:
    """Put several logs one behind the other; only the channels that all of them have."""
    first = logs[0]
    for number, log in enumerate(logs[1:], start=2):
        if abs(log.period_s - first.period_s) > 0.02 * first.period_s:
            raise ParameterError(
                f"log {number}", f"period {log.period_s:g} s: must be that of the first log"
            )
    names = [name for name in first.columns if all(log.has(name) for log in logs)]
    columns = {name: np.concatenate([log.columns[name] for log in logs]) for name in names}
    stretches: list[tuple[int, int]] = []
    offset = 0
    for log in logs:
        stretches += [(low + offset, high + offset) for low, high in log.stretches]
        offset += log.rows
    return DriveLog(first.period_s, columns, tuple(stretches))


def segment_starts(
    log: DriveLog, ticks: int, moving_mps: float = DEFAULT_MOVING_MPS
) -> NDArray[np.int64]:
    """Return the first row of each piece of `ticks` periods in which the car moves."""
    starts: list[int] = []
    skipped = round(UNKNOWN_COMMANDS_S / log.period_s)
    for first, last in log.stretches:
        starts += range(first + skipped, last - ticks, ticks)
    speed = np.abs(log.columns["vx_mps"])
    moving = [start for start in starts if np.median(speed[start : start + ticks]) > moving_mps]
    return np.array(moving, dtype=np.int64)


def at_start(log: DriveLog, name: str, starts: NDArray[np.int64], line_s: float) -> Array:
    """Return a channel at each start, by a straight line through what follows."""
    count = max(4, round(line_s / log.period_s))
    line = np.stack((np.ones(count), np.arange(count)), axis=1)
    found: Array = log.columns[name][starts[:, np.newaxis] + np.arange(count)]
    return np.asarray(found @ np.linalg.pinv(line)[0], dtype=np.float64)


def rolling_rows(log: DriveLog) -> NDArray[np.bool_]:
    """Return the rows in which the car is neither at rest nor about to be."""
    found = np.zeros(log.rows, dtype=bool)
    mean = max(1, round(RESTING_MEAN_S / log.period_s))
    margin = 2 * round(RESTING_MARGIN_S / log.period_s) + 1
    for first, last in log.stretches:
        speed = log.columns["vx_mps"][first:last]
        slow = np.abs(uniform_filter1d(speed, mean, mode="nearest")) < RESTING_MPS
        found[first:last] = ~maximum_filter1d(slow, margin, mode="nearest")
    return found


def sliding_wheels(log: DriveLog, starts: NDArray[np.int64]) -> Array:
    """Return the wheels' speeds at each start [rad/s], NaN where one rolls; start x wheel.

    A wheel that is locked or spins would settle to rolling only after seconds, if at all.
    """
    found = np.full((len(starts), len(SPINS)), np.nan)
    if not log.has(*SPINS):
        return found
    speed = log.columns["vx_mps"]
    forward = np.abs(speed) > ROLLING_MPS
    if not np.any(forward):
        return found
    for wheel, name in enumerate(SPINS):
        spin = log.columns[name]
        per_speed = float(np.median(spin[forward] / speed[forward]))
        at_first = at_start(log, name, starts, SPIN_LINE_S)
        vx = at_start(log, "vx_mps", starts, SPIN_LINE_S)
        slides = np.abs(at_first - per_speed * vx) > per_speed * (
            SLIDING_MPS + SLIDING_SHARE * np.abs(vx)
        )
        found[slides, wheel] = at_first[slides]
    return found


def with_bank(log: DriveLog, tilt: float) -> DriveLog:
    """Return a log with the road's bank, which its accelerometer shows, in place of `ay_mps2`.

    The car turns with speed times yaw rate; the tyres push with what the accelerometer feels, less
    what it tilts with the body (`tilt`: roll angle per side force over weight, times the rolled
    sensor's share of gravity). The difference is gravity's. The sensor's offset is what it shows
    straight on.
    """
    if not log.has("ay_mps2", "yaw_rate_radps"):
        raise ParameterError("bank", "needs ay_mps2 and yaw_rate_radps")
    columns = dict(log.columns)
    turning = columns["vx_mps"] * columns["yaw_rate_radps"]
    felt = columns.pop("ay_mps2")
    bank = np.empty(log.rows)
    width = max(3, round(BANK_MEAN_S / log.period_s))
    smooth = np.empty((2, log.rows))
    for first, last in log.stretches:
        for row, values in enumerate((turning, felt)):
            smooth[row, first:last] = uniform_filter1d(values[first:last], width, mode="nearest")
    straight = np.abs(smooth[0]) < STRAIGHT_MPS2
    if not straight.any():
        raise ParameterError("bank", "needs a part of the log that is driven straight")
    offset = np.median(smooth[1, straight] - smooth[0, straight])
    bank = smooth[0] - (smooth[1] - offset) / (1.0 + tilt)
    columns[BANK.name] = np.clip(bank, BANK.low, BANK.high)
    return replace(log, columns=columns)


def with_true_yaw_rate(log: DriveLog) -> tuple[DriveLog, float]:
    """Return a log whose yaw rate has lost the sensor's offset, and the offset [rad/s].

    A logged heading turns as far as the yaw rate says, or the difference is the offset's.
    """
    if not log.has("heading_rad", "yaw_rate_radps"):
        return log, 0.0
    columns = dict(log.columns)
    heading, rate = columns.pop("heading_rad"), columns["yaw_rate_radps"]
    turned = rated = 0.0
    for first, last in log.stretches:
        turned += float(np.unwrap(heading[first:last])[[0, -1]] @ (-1.0, 1.0))
        inner = rate[first:last]
        rated += log.period_s * float(0.5 * (inner[1:] + inner[:-1]).sum())
    offset = (rated - turned) / log.duration_s
    columns["yaw_rate_radps"] = rate - offset
    return replace(log, columns=columns, settled=("yaw_rate_radps",)), offset


def noise_of(values: Array, stretches: Sequence[tuple[int, int]]) -> float:
    """Return the standard deviation of white noise on a channel, whatever the car does.

    The third difference removes what is smooth; the median, what is not.
    """
    thirds = np.concatenate(
        [np.diff(values[first:last], 3) for first, last in stretches if last - first > 3]
    )
    white = float(np.median(np.abs(thirds))) / 0.6745 / math.sqrt(20.0)
    scale = float(np.sqrt(np.mean(values**2)))
    return max(white, 1e-3 * scale, 1e-9)


def steered_by_command(log: DriveLog) -> bool:
    """Return whether a command steers, and not a measured angle."""
    return log.has("command_steer_rad") or log.has("command_steering_wheel_rad")


def missing_of(log_columns: Mapping[str, object]) -> list[str]:
    """Return what a log must have and has not, as text for people."""
    missing = [TIME.name] if TIME.name not in log_columns else []
    if "vx_mps" not in log_columns:
        missing.append("vx_mps")
    steering = (
        *("command_steer_rad", "command_steering_wheel_rad"),
        *("steer_rad", "steering_wheel_rad"),
    )
    if not any(name in log_columns for name in steering):
        missing.append("one of " + ", ".join(steering))
    pedals = all(name in log_columns for name in ("command_throttle", "command_brake"))
    torques = all(name in log_columns for name in TORQUES)
    turns = any(name in log_columns for name in ("yaw_rate_radps", "ay_mps2", "vy_mps"))
    if not (pedals or torques or turns):
        missing.append(
            "command_throttle and command_brake, wheel_torque_nm_fl to _rr, or one of "
            "yaw_rate_radps, ay_mps2, vy_mps"
        )
    return missing


def _resets(time_s: Array, vx_mps: Array) -> NDArray[np.bool_]:
    """Return where the speed changes as no car's does: the car was reset between two rows."""
    noise = noise_of(vx_mps, [(0, len(vx_mps))])
    found: NDArray[np.bool_] = (
        np.abs(np.diff(vx_mps)) > HARDEST_MPS2 * np.diff(time_s) + RESET_NOISES * noise
    )
    return found


def _between(breaks: NDArray[np.bool_]) -> list[tuple[int, int]]:
    cuts = np.flatnonzero(breaks) + 1
    edges = [0, *cuts.tolist(), len(breaks) + 1]
    return list(pairwise(edges))


def _grid(time_s: Array, period: float) -> Array:
    count = int((time_s[-1] - time_s[0]) / period + 1e-6) + 1
    grid: Array = time_s[0] + period * np.arange(count)
    return grid


def _on_grid(time_s: Array, values: Array, grid: Array, period: float, *, held: bool) -> Array:
    if len(grid) == len(time_s) and np.max(np.abs(grid - time_s)) < 0.02 * period:
        return np.array(values, dtype=np.float64)
    if held:
        place = np.searchsorted(time_s, grid + 1e-6 * period, side="right") - 1
        return np.asarray(values[np.clip(place, 0, len(values) - 1)], dtype=np.float64)
    if len(time_s) < 1.5 * len(grid):
        return np.asarray(np.interp(grid, time_s, values), dtype=np.float64)
    # The mean of what lies half a period before and after each point.
    sums = np.concatenate(([0.0], np.cumsum(values)))
    low = np.searchsorted(time_s, grid - 0.5 * period)
    high = np.maximum(np.searchsorted(time_s, grid + 0.5 * period), low + 1)
    high = np.minimum(high, len(values))
    low = np.minimum(low, high - 1)
    return np.asarray((sums[high] - sums[low]) / (high - low), dtype=np.float64)
