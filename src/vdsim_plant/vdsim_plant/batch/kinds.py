"""The kinds of cars in a batch: what does not change while a car drives.

Cars of a batch may differ in parameters, road and substep. Each different one is a kind, made once;
a car of the batch has the number of its kind and can become another kind when it is reset.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.actuator import ActuatorParameters
from vdsim_plant.assist.layer import substeps_between
from vdsim_plant.assist.layout import SIZE as ASSISTANCE
from vdsim_plant.batch.cuts import Cuts
from vdsim_plant.batch.rows import Cars
from vdsim_plant.kernel import exchange_layout as row
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.sensor import SensorParameters
from vdsim_plant.tyres.tir_layout import in_a_block
from vdsim_plant.vehicle import Vehicle

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class CarKind:
    """One kind: a car on its road, and how it is driven."""

    vehicle: Vehicle
    control_s: float
    substeps: int
    cuts: Cuts
    actuators: ActuatorParameters | None = None
    sensors: SensorParameters | None = None


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What turns a force intent into torques: one column for all cars, or one for each."""

    table: Array
    """The rows of kernel/exchange_layout.py."""
    limit_to_motor: NDArray[np.bool_]

    def of(self, cars: Cars) -> Limits:
        """Return the limits of cars of these kinds; one column for all where there is one kind."""
        chosen = slice(None) if self.table.shape[1] == 1 else cars
        table = np.ascontiguousarray(self.table[:, chosen])
        return Limits(table=table, limit_to_motor=self.limit_to_motor[chosen].copy())

    def change(self, cars: Any, limits: Limits) -> None:
        """Give these cars other limits."""
        self.table[:, cars] = limits.table
        self.limit_to_motor[cars] = limits.limit_to_motor


class Kinds:
    """The kinds of one batch, side by side."""

    def __init__(self, kinds: Sequence[CarKind]) -> None:
        if not kinds:
            raise ParameterError("plants", "must be at least one")
        self.all = tuple(kinds)
        for index, kind in enumerate(kinds):
            _check(index, kind, kinds[0])
        cars = [kind.vehicle for kind in kinds]
        self.first = kinds[0]
        self.tyre_law = _tyre_law(cars)
        self.templates = np.array([numbers_in_a_block(car) for car in cars])
        self.substeps = np.array([kind.substeps for kind in kinds])
        self.limits = _limits(cars)
        self.roads, self.road_starts = _roads([car.core_arrays()[0] for car in cars])
        self.identity = _identity(cars)
        self.has_ride = cars[0].has_ride
        assist = cars[0].assist
        self.assisted_substeps = (
            None if assist is None else substeps_between(assist, cars[0].substep_s)
        )
        self._surfaces = [car.surface for car in cars]

    def surfaces_of(self, of: Cars) -> NDArray[np.object_]:
        """Return the heights of the road of each of these kinds, None for a plane."""
        surfaces = np.empty(len(self.all), dtype=object)
        for number, surface in enumerate(self._surfaces):
            surfaces[number] = surface
        chosen: NDArray[np.object_] = surfaces[of]
        return chosen

    def __len__(self) -> int:
        return len(self.all)

    def number_of(self, plant: CarKind) -> int:
        """Return which kind a plant is, or which it is but for its substep, or raise."""
        car = plant.vehicle
        for exact in (True, False):
            same = [
                number
                for number, ours in enumerate(self.all)
                if (ours.vehicle.identity == car.identity if exact else car.is_like(ours.vehicle))
            ]
            for number in same:
                ours = self.all[number]
                if (ours.actuators, ours.sensors) == (plant.actuators, plant.sensors):
                    return number
            if same:
                raise ParameterError("plant", "has other actuators or sensors than the cars here")
        raise ParameterError("plant", "has other parameters, level or road than the cars here")


def _check(index: int, kind: CarKind, first: CarKind) -> None:
    key = f"plants[{index}]"
    level = kind.vehicle.level
    if level == "kinematic":
        raise ParameterError("batch", "needs level l1, l2 or l3")
    if level == "l3" and kind.vehicle.tyre.tir is not None:
        raise ParameterError("batch", "needs the tyre mf96 at level l3: no property file")
    if (level == "l3") != (first.vehicle.level == "l3"):
        raise ParameterError(f"{key}.level", f"={level}: all must be l3, or none")
    if kind.vehicle.tyre.model != first.vehicle.tyre.model:
        problem = f"={kind.vehicle.tyre.model}: must be {first.vehicle.tyre.model}, as the first"
        raise ParameterError(f"{key}.tyre.model", f"{problem} one's")
    _check_assistance(key, kind, first)
    if kind.control_s != first.control_s:
        problem = f"={kind.control_s:g}: must be {first.control_s:g}, as the first one's"
        raise ParameterError(f"{key}.control_dt", problem)
    for name in ("actuators", "sensors"):
        if (getattr(kind, name) is None) != (getattr(first, name) is None):
            raise ParameterError(f"{key}.{name}", "must be given for all plants or for none")
    if (kind.actuators or kind.sensors) and kind.substeps != first.substeps:
        raise ParameterError(f"{key}.substep_dt", "must be that of the first one, with layers")
    if kind.sensors and first.sensors and kind.sensors.delays_s() != first.sensors.delays_s():
        raise ParameterError(f"{key}.sensors", "must have the delays of the first one's")


def _check_assistance(key: str, kind: CarKind, first: CarKind) -> None:
    """Raise where the assistance of two kinds would not decide at the same times."""
    ours, theirs = kind.vehicle.assist, first.vehicle.assist
    if (ours is None) != (theirs is None):
        raise ParameterError(f"{key}.assist", "must be given for all plants or for none")
    if ours is None or theirs is None:
        return
    if kind.vehicle.substep_s != first.vehicle.substep_s:
        raise ParameterError(f"{key}.substep_dt", "must be that of the first one, with assist")
    if ours.period_s != theirs.period_s:
        problem = f"={ours.period_s:g}: must be {theirs.period_s:g}, as the first one's"
        raise ParameterError(f"{key}.assist.period_s", problem)


def numbers_in_a_block(vehicle: Vehicle) -> Array:
    """Return a car's numbers as a block holds them; those of its assistance come last."""
    car = vehicle.core_arrays()[1]
    if vehicle.tyre.tir is None:
        return car
    if vehicle.assist is None:
        return in_a_block(car)
    return np.concatenate([in_a_block(car[:-ASSISTANCE]), car[-ASSISTANCE:]])


def _tyre_law(cars: Sequence[Vehicle]) -> str:
    """Return what all these cars' forces come from: "mf96" or "tir", "l3" with a body on springs.

    "full" is the MF96 tyre with load sensitivity or curvature.
    """
    if cars[0].tyre.tir is not None:
        return "tir"
    law = "l3" if cars[0].has_ride else "mf96"
    return law if all(car.tyre.mf96.is_plain for car in cars) else f"full {law}"


def _limits(cars: Sequence[Vehicle]) -> Limits:
    steer, force, per_force = np.array([car.force_limits() for car in cars]).T
    drive, brake = np.array([car.front_shares() for car in cars]).T
    table = np.empty((row.LIMITS, len(cars)))
    table[row.STEER_MAX] = steer
    table[row.FORCE_MAX] = force
    table[row.TORQUE_PER_FORCE] = per_force
    table[row.DRIVE_FRONT] = drive
    table[row.BRAKE_FRONT] = brake
    table[row.WHEEL_TORQUE_MAX] = [car.most_wheel_torque_nm() for car in cars]
    return Limits(table=table, limit_to_motor=np.array([car.limit_to_motor for car in cars]))


def _roads(roads: Sequence[Array]) -> tuple[Array, Cars]:
    """Return the different roads one after the other, and where that of each kind begins."""
    starts: dict[bytes, int] = {}
    parts: list[Array] = []
    size = 0
    of_kinds = []
    for road in roads:
        same = road.tobytes()
        if same not in starts:
            starts[same] = size
            parts.append(road)
            size += road.size
        of_kinds.append(starts[same])
    return np.concatenate(parts), np.array(of_kinds)


def _identity(cars: Sequence[Vehicle]) -> bytes:
    if len(cars) == 1:
        return cars[0].identity
    return hashlib.blake2b(b"".join(car.identity for car in cars), digest_size=16).digest()
