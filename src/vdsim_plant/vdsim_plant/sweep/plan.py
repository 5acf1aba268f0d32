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
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vdsim_plant.manoeuvres.catalogue import MANOEUVRES
from vdsim_plant.parameters import ParameterError, TyreParameters, VehicleParameters
from vdsim_plant.parameters.files import read_yaml
from vdsim_plant.plant import VDSimPlant
from vdsim_plant.vehicle import MODEL_VERSION

KEYS = ("manoeuvres", "vehicles", "mu", "parameters", "seeds")
MOST_CASES = 1_000_000
MOST_SEEDS = 1_000_000
PART_CASES = 8
"""Cases of one part; it does not depend on the number of workers."""
OF_A_CAR = ("body", "suspension", "wheels", "axles", "tyre", "aero", "brakes", "steering")
_GROUPS = (*OF_A_CAR, "drivetrain")
Value = float | int | str


@dataclass(frozen=True, kw_only=True)
class Case:
    """One run."""

    number: int
    manoeuvre: str
    options: Mapping[str, Value]
    vehicle: str
    mu: float
    parameters: Mapping[str, float]
    seed: int


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All runs of a sweep."""

    cases: tuple[Case, ...]
    varied: tuple[str, ...]
    """Names of the columns that differ between cases, the seed left out."""
    fingerprint: str
    """Of the cases, the cars in them and the version of the equations."""

    @property
    def parts(self) -> tuple[tuple[Case, ...], ...]:
        """The cases in parts: each is one file of results."""
        return tuple(
            self.cases[first : first + PART_CASES]
            for first in range(0, len(self.cases), PART_CASES)
        )


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
    vehicles = [_vehicle(name, folder) for name in _list("vehicles", content, ["ioniq5_awd"])]
    frictions = [_number("mu", value, 0.05, 1.5) for value in _list("mu", content, [0.9])]
    grid, drawn = _parameters(content.get("parameters"))
    seeds = content.get("seeds", 1)
    if isinstance(seeds, bool) or not isinstance(seeds, int) or not 1 <= seeds <= MOST_SEEDS:
        raise ParameterError("seeds", f"={seeds!r}: must be 1 to {MOST_SEEDS}")
    if seeds > 1 and not drawn:
        raise ParameterError("seeds", f"={seeds}: must be 1 where no parameter has low and high")
    _check_cars(vehicles, grid, drawn)
    count = math.prod(
        [len(manoeuvres), len(vehicles), len(frictions), *map(len, grid.values()), seeds]
    )
    if count > MOST_CASES:
        raise ParameterError("sweep", f"has {count} cases: must be at most {MOST_CASES}")
    draws = [_drawn(seed, drawn) for seed in range(seeds)]
    combined = itertools.product(manoeuvres, vehicles, frictions, _products(grid), enumerate(draws))
    cases = tuple(
        Case(
            number=number,
            manoeuvre=name,
            options=options,
            vehicle=vehicle,
            mu=mu,
            parameters={**fixed, **draw},
            seed=seed,
        )
        for number, ((name, options), vehicle, mu, fixed, (seed, draw)) in enumerate(combined)
    )
    return Plan(cases=cases, varied=_varied(cases), fingerprint=_fingerprint(cases, vehicles))


def car_of_case(case: Case) -> tuple[VehicleParameters, TyreParameters]:
    """Return the car that a case drives."""
    return _car(case.vehicle, case.parameters)


def _car(vehicle: str, changes: Mapping[str, float]) -> tuple[VehicleParameters, TyreParameters]:
    car = VDSimPlant(vehicle)
    if changes:
        car = car.varied(changes)
    return car.vehicle.parameters, car.vehicle.tyre


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


def _check_cars(
    vehicles: Sequence[str],
    grid: Mapping[str, Sequence[float]],
    drawn: Mapping[str, tuple[float, float]],
) -> None:
    """Build the car of each single value, so that a wrong one is refused before the first run."""
    for vehicle in vehicles:
        for name, values in (*grid.items(), *drawn.items()):
            for value in values:
                try:
                    _car(vehicle, {name: value})
                except ParameterError as error:
                    raise ParameterError(f"parameters.{name}", f"={value:g}: {error}") from None


def _vehicle(name: object, folder: Path) -> str:
    if not isinstance(name, str):
        raise ParameterError("vehicles", f"={name!r}: must be a preset or a .yaml file")
    given = name
    if name.endswith(".yaml") and not Path(name).is_absolute():
        given = str(folder / name)
    try:
        VDSimPlant(given)
    except ParameterError as error:
        raise ParameterError("vehicles", f"={name}: {error}") from None
    return given


def _drawn(seed: int, ranges: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    """Return a seed's values; those of one parameter do not depend on which others there are."""
    found = {}
    for name, (low, high) in ranges.items():
        word = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
        share = float(np.random.Generator(np.random.PCG64([seed, word])).random())
        found[name] = low + share * (high - low)
    return found


def _varied(cases: Sequence[Case]) -> tuple[str, ...]:
    rows = [row_of(case) for case in cases]
    names = dict.fromkeys(name for row in rows for name in row)
    skipped = ("case", "manoeuvre", "seed")
    return tuple(
        name for name in names if name not in skipped and len({row.get(name) for row in rows}) > 1
    )


def row_of(case: Case) -> dict[str, Value]:
    """Return what a case is, as the first columns of its row of results."""
    return {
        "case": case.number,
        "manoeuvre": case.manoeuvre,
        "vehicle": Path(case.vehicle).stem,
        "seed": case.seed,
        "mu": case.mu,
        **{f"option.{name}": value for name, value in case.options.items()},
        **case.parameters,
    }


def _fingerprint(cases: Sequence[Case], vehicles: Sequence[str]) -> str:
    cars = {vehicle: VDSimPlant(vehicle).vehicle for vehicle in vehicles}
    known = [
        MODEL_VERSION,
        {name: [repr(car.parameters), repr(car.tyre)] for name, car in cars.items()},
        [asdict(case) for case in cases],
    ]
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()


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
