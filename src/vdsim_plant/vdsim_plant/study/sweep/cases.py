"""The cases of a sweep: every combination, each made when it is asked for; pure.

A million cases cost no memory, and a part of them carries the cars that it drives, so that it can
run where no vehicle file is.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vdsim_plant.parameters import TyreParameters, VehicleParameters
from vdsim_plant.plant import VDSimPlant

PART_CASES = 8
"""Cases of one part; it does not depend on the number of workers."""
Value = float | int | str
Row = dict[str, Any]
Car = tuple[VehicleParameters, TyreParameters]
Ranges = Mapping[str, tuple[float, float]]


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
class Part:
    """Cases that one worker drives in one go; their rows are one file."""

    number: int
    cases: tuple[Case, ...]
    cars: Mapping[str, Car]
    """The car of each `Case.vehicle`."""


@dataclass(frozen=True, kw_only=True)
class Cases:
    """Every combination of the axes, the last one, the seed, fastest."""

    manoeuvres: Sequence[tuple[str, Mapping[str, Value]]]
    vehicles: Sequence[str]
    frictions: Sequence[float]
    fixed: Sequence[Mapping[str, float]]
    """Values of the parameters that are listed."""
    drawn: Ranges
    """Ranges of the parameters that a seed draws."""
    seeds: int

    def __len__(self) -> int:
        """Return how many there are."""
        return math.prod(self._sizes)

    def __iter__(self) -> Iterator[Case]:
        """Return all, in their order."""
        return (self[number] for number in range(len(self)))

    def __getitem__(self, number: int) -> Case:
        """Return a case by its number."""
        if not 0 <= number < len(self):
            raise IndexError(number)
        rest, places = number, []
        for size in reversed(self._sizes):
            rest, place = divmod(rest, size)
            places.append(place)
        seed, fixed, friction, vehicle, manoeuvre = places
        name, options = self.manoeuvres[manoeuvre]
        return Case(
            number=number,
            manoeuvre=name,
            options=options,
            vehicle=self.vehicles[vehicle],
            mu=self.frictions[friction],
            parameters={**self.fixed[fixed], **drawn_values(seed, self.drawn)},
            seed=seed,
        )

    @property
    def _sizes(self) -> tuple[int, ...]:
        axes = (self.manoeuvres, self.vehicles, self.frictions, self.fixed)
        return (*map(len, axes), self.seeds)


def drawn_values(seed: int, ranges: Ranges) -> dict[str, float]:
    """Return a seed's values; those of one parameter do not depend on which others there are."""
    found = {}
    for name, (low, high) in ranges.items():
        word = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
        share = float(np.random.Generator(np.random.PCG64([seed, word])).random())
        found[name] = low + share * (high - low)
    return found


def loaded_car(vehicle: str) -> Car:
    """Return the car of a preset or a vehicle file."""
    car = VDSimPlant(vehicle).vehicle
    return car.parameters, car.tyre


def changed_car(car: Car, changes: Mapping[str, float]) -> Car:
    """Return a car with other values of some parameters."""
    if not changes:
        return car
    changed = VDSimPlant(car[0], tyre=car[1]).varied(changes).vehicle
    return changed.parameters, changed.tyre


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
