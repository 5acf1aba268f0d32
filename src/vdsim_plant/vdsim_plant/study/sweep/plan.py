"""A sweep file -> the cases of the sweep, in their order; pure.

manoeuvres:                          # name: options, each a value or a list
  step_steer: {speed_mps: [20, 25]}
  straight_brake:
vehicles: [ioniq5_awd]
mu: [0.9, 0.4]
parameters:
  body.mass_kg: [1900, 2300]         # each of these
  tyre.rolling_resistance: {low: 0.01, high: 0.02}  # drawn by each seed
seeds: 3
"""

from __future__ import annotations

import difflib
import hashlib
import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vdsim_plant.ground.limits import MU_MAX
from vdsim_plant.parameters import ParameterError
from vdsim_plant.parameters.files import read_yaml
from vdsim_plant.study.manoeuvres.catalogue import MANOEUVRES
from vdsim_plant.study.manoeuvres.driving import CarAtTheStart, Ready
from vdsim_plant.study.sweep.cases import (
    PART_CASES,
    Car,
    Cases,
    Part,
    Value,
    changed_car,
    loaded_car,
    row_of,
)
from vdsim_plant.vehicle import MODEL_VERSION

KEYS = ("manoeuvres", "vehicles", "mu", "parameters", "seeds")
MOST_CASES = 1_000_000
MOST_SEEDS = 1_000_000
OF_A_CAR = ("body", "suspension", "wheels", "axles", "tyre", "aero", "brakes", "steering")
_GROUPS = (*OF_A_CAR, "drivetrain")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All runs of a sweep."""

    cases: Cases
    cars: Mapping[str, Car]
    """The car of each `Case.vehicle`, without the changes of a case."""
    varied: tuple[str, ...]
    """Names of the columns that differ between cases, the seed left out."""
    fingerprint: str
    """Of the cases, the cars in them and the version of the equations."""

    @property
    def parts_n(self) -> int:
        """How many parts there are."""
        return -(-len(self.cases) // PART_CASES)

    def numbers(self, part: int) -> range:
        """Return the numbers of a part's cases."""
        return range(part * PART_CASES, min((part + 1) * PART_CASES, len(self.cases)))

    def part(self, number: int) -> Part:
        """Return a part with the cars that it drives."""
        cases = tuple(self.cases[case] for case in self.numbers(number))
        cars = {case.vehicle: self.cars[case.vehicle] for case in cases}
        return Part(number=number, cases=cases, cars=cars)


def read_plan(path: Path) -> Plan:
    """Read a sweep file; every error names the file and the key."""
    try:
        return plan_of(read_yaml(path), path.parent)
    except ParameterError as error:
        raise error.in_file(path.name) from None


def plan_of(content: object, folder: Path = Path()) -> Plan:
    """Return the plan of a sweep file's content; vehicle files are relative to `folder`."""
    if not isinstance(content, Mapping):
        raise ParameterError("file", "must be a mapping with manoeuvres")
    _known(content, KEYS, "")
    manoeuvres = _manoeuvres(content.get("manoeuvres"))
    names = _list("vehicles", content, ["ioniq5_awd"])
    cars = dict(_vehicle(name, folder) for name in names)
    frictions = [_number("mu", value, 0.05, MU_MAX) for value in _list("mu", content, [0.9])]
    grid, drawn = _parameters(content.get("parameters"))
    seeds = content.get("seeds", 1)
    if isinstance(seeds, bool) or not isinstance(seeds, int) or not 1 <= seeds <= MOST_SEEDS:
        raise ParameterError("seeds", f"={seeds!r}: must be 1 to {MOST_SEEDS}")
    if seeds > 1 and not drawn:
        raise ParameterError("seeds", f"={seeds}: must be 1 where no parameter has low and high")
    changed = _changed_cars(cars.values(), grid, drawn)
    _check_options(manoeuvres, [*cars.values(), *changed], frictions)
    grid_n = math.prod(map(len, grid.values()))
    count = len(manoeuvres) * len(cars) * len(frictions) * grid_n * seeds
    if count > MOST_CASES:
        raise ParameterError("sweep", f"has {count} cases: must be at most {MOST_CASES}")
    cases = Cases(
        manoeuvres=manoeuvres,
        vehicles=tuple(cars),
        frictions=frictions,
        fixed=_products(grid),
        drawn=drawn,
        seeds=seeds,
    )
    varied, fingerprint = _seen(cases, cars)
    return Plan(cases=cases, cars=cars, varied=varied, fingerprint=fingerprint)


def _manoeuvres(content: object) -> list[tuple[str, dict[str, Value]]]:
    if isinstance(content, list):
        content = dict.fromkeys(content)
    if not isinstance(content, Mapping) or not content:
        raise ParameterError("manoeuvres", f"must be one or more of {', '.join(MANOEUVRES)}")
    _known(content, MANOEUVRES, "manoeuvres.")
    found: list[tuple[str, dict[str, Value]]] = []
    for name, given in content.items():
        allowed = dict(MANOEUVRES[name].options)
        options = {} if given is None else given
        if not isinstance(options, Mapping):
            raise ParameterError(f"manoeuvres.{name}", "must be a mapping of its options")
        _known(options, allowed, f"manoeuvres.{name}.")
        lists = {
            key: [
                _option(f"manoeuvres.{name}.{key}", v, allowed[key]) for v in _as_list(key, value)
            ]
            for key, value in options.items()
        }
        found += [(name, chosen) for chosen in _products(lists)]
    return found


def _option(key: str, value: object, kind: type) -> Value:
    if kind is float:
        return _number(key, value, -math.inf, math.inf)
    if not isinstance(value, str):
        raise ParameterError(key, f"={value!r}: must be text")
    return value


def _parameters(content: object) -> tuple[dict[str, list[float]], dict[str, tuple[float, float]]]:
    """Return the values of each parameter, and the ranges of those that a seed draws."""
    content = {} if content is None else content
    if not isinstance(content, Mapping):
        raise ParameterError("parameters", "must be a mapping: body.mass_kg: [1900, 2300]")
    grid: dict[str, list[float]] = {}
    drawn: dict[str, tuple[float, float]] = {}
    for name, given in content.items():
        key = f"parameters.{name}"
        if not isinstance(name, str) or name.partition(".")[0] not in _GROUPS or "." not in name:
            raise ParameterError(key, f"must be a parameter of {', '.join(_GROUPS)}")
        if isinstance(given, Mapping):
            _known(given, ("low", "high"), f"{key}.")
            low, high = (
                _number(f"{key}.{end}", given.get(end), -math.inf, math.inf)
                for end in ("low", "high")
            )
            if not low < high:
                raise ParameterError(f"{key}.high", f"={high:g}: must be above low")
            drawn[name] = (low, high)
        else:
            values = _as_list(key, given)
            grid[name] = [_number(key, value, -math.inf, math.inf) for value in values]
    return grid, drawn


def _changed_cars(
    cars: Iterable[Car],
    grid: Mapping[str, Sequence[float]],
    drawn: Mapping[str, tuple[float, float]],
) -> list[Car]:
    """Build the car of each single value, so that a wrong one is refused before the first run."""
    changed = []
    for car in cars:
        for name, values in (*grid.items(), *drawn.items()):
            for value in values:
                try:
                    changed.append(changed_car(car, {name: value}))
                except ParameterError as error:
                    raise ParameterError(f"parameters.{name}", f"={value:g}: {error}") from None
    return changed


def _check_options(
    manoeuvres: Sequence[tuple[str, Mapping[str, Value]]],
    cars: Sequence[Car],
    frictions: Sequence[float],
) -> None:
    """Refuse the value of an option that the manoeuvre takes with no car on no road."""
    values = {(name, *item): None for name, options in manoeuvres for item in options.items()}
    for name, key, value in values:
        error = None
        for (vehicle, tyre), mu in itertools.product(cars, frictions):
            error = _option_error(name, key, value, CarAtTheStart(vehicle, tyre, mu))
            if error is None:
                break
        if error is not None:
            raise ParameterError(f"manoeuvres.{name}.{key}", error.problem)


def _option_error(name: str, key: str, value: Value, car: CarAtTheStart) -> ParameterError | None:
    """Return what a manoeuvre has against an option's value with this car on this road."""
    try:
        MANOEUVRES[name].run(car, mu=car.mu, **{key: value})
    except ParameterError as error:
        return error if error.key == key else None
    except (ArithmeticError, Ready):  # the first is the row's own error
        return None
    return None


def _vehicle(name: object, folder: Path) -> tuple[str, Car]:
    """Return how the cases name a car, and the car."""
    if not isinstance(name, str):
        raise ParameterError("vehicles", f"={name!r}: must be a preset or a .yaml file")
    given = name
    if name.endswith(".yaml") and not Path(name).is_absolute():
        given = str(folder / name)
    try:
        return given, loaded_car(given)
    except ParameterError as error:
        raise ParameterError("vehicles", f"={name}: {error}") from None


def _seen(cases: Cases, cars: Mapping[str, Car]) -> tuple[tuple[str, ...], str]:
    """Go through all cases once: return which columns vary, and the fingerprint."""
    known = {name: [repr(car) for car in pair] for name, pair in cars.items()}
    text = json.dumps([MODEL_VERSION, known], sort_keys=True)
    fingerprint = hashlib.sha256(text.removesuffix("]").encode())
    first: dict[str, Value] = {}
    varied: set[str] = {"case", "manoeuvre", "seed"}
    for case in cases:
        text = json.dumps(vars(case), sort_keys=True)
        fingerprint.update(f"{', ' if case.number else ', ['}{text}".encode())
        row = row_of(case)
        if row.keys() != first.keys():
            varied |= (row.keys() ^ first.keys()) if case.number else set()
            first = {**first, **{name: row[name] for name in row if name not in first}}
        varied |= {name for name, value in row.items() if value != first[name]}
    skipped = ("case", "manoeuvre", "seed")
    fingerprint.update(b"]]")
    return (
        tuple(name for name in first if name in varied and name not in skipped),
        fingerprint.hexdigest(),
    )


def _products(lists: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(lists, chosen, strict=True)) for chosen in itertools.product(*lists.values())]


def _list(key: str, content: Mapping[Any, Any], default: list[Any]) -> list[Any]:
    return _as_list(key, content[key]) if key in content else default


def _as_list(key: str, value: Any) -> list[Any]:
    values = value if isinstance(value, list) else [value]
    if not values:
        raise ParameterError(key, "is empty: must be one value or more")
    if len({repr(item) for item in values}) < len(values):
        raise ParameterError(key, "has a value twice")
    return values


def _number(key: str, value: object, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ParameterError(key, f"={value!r}: must be a finite number")
    if not low <= value <= high:
        raise ParameterError(key, f"={value:g}: must be {low:g} to {high:g}")
    return float(value)


def _known(content: Mapping[Any, Any], allowed: Iterable[str], prefix: str) -> None:
    names = list(allowed)
    for key in content:
        if key not in names:
            near = difflib.get_close_matches(str(key), names, 1)
            hint = f"; did you mean {near[0]}?" if near else f": must be {_or(names)}"
            raise ParameterError(f"{prefix}{key}", f"is unknown{hint}")


def _or(names: Sequence[str]) -> str:
    return f"one of {', '.join(names)}" if names else "left out"
