"""Commands over time: the points of a scenario and what is commanded between them. Pure."""

from __future__ import annotations

import csv
import io
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vdsim_plant.motion import PedalInput
from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.parameters.fields import Choice, Number
from vdsim_plant.parameters.input_file import read_text

from vdsim_plant_node.settings.documents import as_group, refuse_unknown

INTERPOLATION = Choice(doc="between two points", choices=("hold", "linear"))
CONTINUOUS: Mapping[str, Number] = {
    "steer_rad": Number(
        doc="road wheel angle, left positive", unit="rad", at_least=-1.4, at_most=1.4
    ),
    "throttle": Number(doc="accelerator pedal", at_least=0.0, at_most=1.0),
    "brake": Number(doc="brake pedal", at_least=0.0, at_most=1.0),
}
COLUMNS = ("t_s", *CONTINUOUS, "gear", "handbrake")
_TIME = Number(doc="time from the start", unit="s", at_least=0.0, at_most=86_400.0)
_GEARS = {-1: -1, 0: 0, 1: 1, "R": -1, "N": 0, "D": 1}
_SWITCH = {0: False, 1: True, "off": False, "on": True}
_AT_REST = PedalInput(steer_rad=0.0, throttle=0.0, brake=0.0, gear=1, handbrake=False)


@dataclass(frozen=True)
class CommandPoint:
    """What is commanded from `t_s` on."""

    t_s: float
    pedals: PedalInput


class CommandSchedule:
    """The command at any time: the last point's, or on the straight line to the next.

    Gear and handbrake never interpolate. Before the first point: everything 0, D.
    """

    def __init__(self, points: Sequence[CommandPoint], interpolation: str = "hold") -> None:
        self.points = tuple(points)
        self.interpolation = INTERPOLATION.checked("interpolation", interpolation)
        self._times_s = [point.t_s for point in self.points]
        if not self.points:
            raise ParameterError("commands", "must hold at least one point")
        for index, (a, b) in enumerate(zip(self._times_s, self._times_s[1:], strict=False)):
            if not a < b:
                raise wrong_value(f"commands[{index + 1}].t_s", b, f"> {a:g}, the point before")

    def at(self, t_s: float) -> PedalInput:
        """The commanded pedals at `t_s` [s]."""
        index = bisect_right(self._times_s, t_s) - 1
        if index < 0:
            return _AT_REST
        here = self.points[index]
        if self.interpolation == "hold" or index + 1 == len(self.points):
            return here.pedals
        after = self.points[index + 1]
        share = (t_s - here.t_s) / (after.t_s - here.t_s)
        a, b = here.pedals, after.pedals
        return PedalInput(
            steer_rad=a.steer_rad + share * (b.steer_rad - a.steer_rad),
            throttle=a.throttle + share * (b.throttle - a.throttle),
            brake=a.brake + share * (b.brake - a.brake),
            gear=a.gear,
            handbrake=a.handbrake,
        )


def schedule_from_list(entries: object, interpolation: str = "hold") -> CommandSchedule:
    """Read points from the list of a YAML document; a key left out keeps its last value."""
    if not isinstance(entries, list):
        raise ParameterError("commands", "must be a list of points, each with t_s")
    groups = [as_group(f"commands[{index}]", entry) for index, entry in enumerate(entries)]
    return CommandSchedule(_read_points(groups), interpolation)


def schedule_from_csv(path: Path, interpolation: str = "hold") -> CommandSchedule:
    """Read points from a CSV file with a header line of known columns, t_s among them."""
    rows = csv.DictReader(io.StringIO(read_text(path, source=str(path))), strict=True)
    try:
        refuse_unknown(dict.fromkeys(rows.fieldnames or ()), COLUMNS)
        return CommandSchedule(
            _read_points([_numbers(index, row) for index, row in enumerate(rows)]), interpolation
        )
    except csv.Error as error:
        problem = f"not CSV: {error}"
        raise ParameterError(f"after line {rows.line_num}", problem, source=path.name) from None
    except ParameterError as error:
        raise error.in_file(path.name) from None


def _numbers(index: int, row: Mapping[Any, Any]) -> dict[str, object]:
    """The cells of a CSV row as numbers; an empty cell keeps the last value."""
    if None in row:
        raise ParameterError(f"commands[{index}]", "has more cells than the header")
    return {name: _cell(text) for name, text in row.items() if text not in (None, "")}


def _cell(text: str) -> object:
    try:
        return int(text) if text.strip().lstrip("+-").isdigit() else float(text)
    except ValueError:
        return text.strip()[:80]


def _read_points(groups: Iterable[Mapping[str, Any]]) -> list[CommandPoint]:
    points: list[CommandPoint] = []
    last = _AT_REST
    for index, group in enumerate(groups):
        try:
            point = _point(group, last)
        except ParameterError as error:
            raise error.within(f"commands[{index}]") from None
        points.append(point)
        last = point.pedals
    return points


def _point(group: Mapping[str, Any], last: PedalInput) -> CommandPoint:
    refuse_unknown(group, COLUMNS)
    if "t_s" not in group:
        raise ParameterError("t_s", f"missing ({_TIME.doc}: {_TIME.allowed()})")
    values = {
        name: limits.checked(name, group[name]) if name in group else getattr(last, name)
        for name, limits in CONTINUOUS.items()
    }
    gear = _one_of("gear", group["gear"], _GEARS) if "gear" in group else last.gear
    handbrake = last.handbrake
    if "handbrake" in group:
        handbrake = bool(_one_of("handbrake", group["handbrake"], _SWITCH))
    pedals = PedalInput(
        steer_rad=values["steer_rad"],
        throttle=values["throttle"],
        brake=values["brake"],
        gear=gear,
        handbrake=handbrake,
    )
    return CommandPoint(_TIME.checked("t_s", group["t_s"]), pedals)


def _one_of(key: str, value: object, allowed: Mapping[Any, int]) -> int:
    if not isinstance(value, (int, str)) or value not in allowed:
        raise wrong_value(key, value, "one of " + ", ".join(str(name) for name in allowed))
    return allowed[value]
