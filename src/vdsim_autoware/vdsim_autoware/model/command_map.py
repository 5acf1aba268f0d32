"""Autoware's maps as CSV: `accel_map.csv`, `brake_map.csv`, `steer_map.csv`, acceleration maps.

The first row holds speeds [m/s], the first column commands, the cells what the command gives there:
an acceleration [m/s2], or a rate of the wheel angle [rad/s]. Linear between the points, constant
beyond them.
"""

from __future__ import annotations

import csv
import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from vdsim_interface.parameters.fields import ParameterError

LARGEST_CELLS = 100_000


@dataclass(frozen=True)
class CommandMap:
    """`values[command][speed]`."""

    speeds: tuple[float, ...]
    commands: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]

    def value(self, command: float, speed: float) -> float:
        """Return what a command gives at a speed."""
        column = [interpolated(self.speeds, row, speed) for row in self.values]
        return interpolated(self.commands, column, command)

    def command(self, value: float, speed: float) -> float:
        """Return the command that gives a value: the first one, or the last where none does."""
        column = [interpolated(self.speeds, row, speed) for row in self.values]
        for index, (low, high) in enumerate(pairwise(column)):
            if min(low, high) <= value <= max(low, high):
                share = (value - low) / (high - low) if high != low else 0.0
                first, second = self.commands[index], self.commands[index + 1]
                return first + share * (second - first)
        is_before = abs(value - column[0]) <= abs(value - column[-1])
        return self.commands[0] if is_before else self.commands[-1]


def interpolated(points: Sequence[float], values: Sequence[float], at: float) -> float:
    """Return the value at a point, linear between rising points, constant beyond them."""
    if at <= points[0]:
        return values[0]
    if at >= points[-1]:
        return values[-1]
    index = bisect_right(points, at)
    low, high = points[index - 1], points[index]
    share = (at - low) / (high - low)
    return values[index - 1] + share * (values[index] - values[index - 1])


def parse_command_map(name: str, path: str, content: str) -> CommandMap:
    """Read a map; `name` is the parameter that holds the path, for the errors."""

    def refuse(rule: str) -> ParameterError:
        return ParameterError(name, path, rule)

    try:
        rows = list(csv.reader(content.splitlines()))
    except csv.Error as error:
        raise refuse(f"is not CSV: {error}") from None
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise refuse("must have a row of speeds and at least one row of values")
    width = len(rows[0])
    if len(rows) * width > LARGEST_CELLS:
        raise refuse(f"must have at most {LARGEST_CELLS} cells")
    speeds = _numbers(rows[0][1:])
    if speeds is None:
        raise refuse("row 1: must be a name and numbers")
    commands, values = [], []
    for number, row in enumerate(rows[1:], start=2):
        numbers = _numbers(row)
        if numbers is None or len(numbers) != width:
            raise refuse(f"row {number}: must be {width} numbers")
        commands.append(numbers[0])
        values.append(numbers[1:])
    for what, points in (("speeds of row 1", speeds), ("commands of column 1", tuple(commands))):
        if any(second <= first for first, second in pairwise(points)):
            raise refuse(f"the {what} must rise")
    return CommandMap(speeds, tuple(commands), tuple(values))


def _numbers(cells: Sequence[str]) -> tuple[float, ...] | None:
    try:
        numbers = tuple(float(cell) for cell in cells)
    except ValueError:
        return None
    return numbers if all(math.isfinite(number) for number in numbers) else None
