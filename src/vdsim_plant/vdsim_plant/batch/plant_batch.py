"""PlantBatch: many cars stepped together, each bit for bit like one stepped alone."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vdsim_plant.assist.layer import MEMORY
from vdsim_plant.batch.blocks import Blocks
from vdsim_plant.batch.columns import (
    BODY_KEYS,
    STATE_KEYS,
    WHEEL_KEYS,
    BatchObservation,
    fields_of,
)
from vdsim_plant.batch.degrees_watch import DegreesWatch
from vdsim_plant.batch.forms import NARROW, form_of
from vdsim_plant.batch.inputs import HeldInputs, WheelRows
from vdsim_plant.batch.kinds import CarKind, Kinds, numbers_in_a_block
from vdsim_plant.batch.layers import ForkedPlant, Layers
from vdsim_plant.batch.rows import (
    Cars,
    car_numbers,
    checked_count,
    chosen_cars,
    finite_rows,
    kind_numbers,
    number_rows,
    rollout_rows,
    rows_for,
)
from vdsim_plant.batch.sensor_lanes import BatchMeasured
from vdsim_plant.batch.workers import Workers
from vdsim_plant.car.one_caller import OneCaller
from vdsim_plant.kernel import exchange_layout as row
from vdsim_plant.kernel import layout as at
from vdsim_plant.motion import MOST_WIND
from vdsim_plant.observation import Observation
from vdsim_plant.observation_reading import read_observation
from vdsim_plant.parameters.errors import ParameterError, wrong_value
from vdsim_plant.ride import layout as l3
from vdsim_plant.vehicle import MODEL_VERSION, STATE_LIMITS, Vehicle

Array = NDArray[np.float64]
_SNAPSHOT_HEADER = struct.Struct("<8s16sQ")
_SNAPSHOT_MAGIC = b"batch-v%d" % MODEL_VERSION
_NARROW_MAGIC = b"bat32-v%d" % MODEL_VERSION
_OBSERVED = tuple(range(at.OBSERVED, at.SIZE))
_REST = (0.0,) * len(STATE_LIMITS)
_LIMITS = np.array(list(STATE_LIMITS.values()))


class PlantBatch:
    """n cars that do not touch each other; `VDSimPlant.batch` makes one.

    Car k is bit for bit the plant that its kind was made from, with the sensors' seed of that plant
    plus k. `threads`: how many cores share the work; it changes the speed, never a bit of the
    result. With `dtype` float32 twice as many cars fit into the processor's vectors: the batch is
    faster, and its cars are as exact as single precision lets them be, not bit for bit the plants.
    """

    def __init__(
        self,
        kinds: Sequence[CarKind],
        n: int,
        *,
        of: ArrayLike = 0,
        threads: int = 1,
        seed: int = 0,
        dtype: Any = "float64",
    ) -> None:
        """`of`: which of the kinds each car is; one number for all."""
        self.n = checked_count("n", n)
        self._threads = checked_count("threads", threads)
        self._kinds = Kinds(kinds)
        self._of = kind_numbers(of, self.n, len(self._kinds)).copy()
        self._seed = seed
        self._form = form_of(dtype)
        workers = Workers(self._threads)
        self._blocks_of_cars = Blocks(self._kinds, self._of, workers, self._form)
        self._blocks = self._blocks_of_cars.memory
        limits = self._kinds.limits
        limited = bool(limits.limit_to_motor.any())
        self._inputs = HeldInputs(self._blocks_of_cars, limits.of(self._of), some_limited=limited)
        self._layers = Layers.around(self._blocks_of_cars, self._kinds, self._of, seed)
        self._one_caller = OneCaller("a PlantBatch")
        self._degrees = DegreesWatch(float(limits.table[row.STEER_MAX].min()))
        self._restart(None, number_rows("states", _REST, self.n, len(_REST)))

    def __repr__(self) -> str:
        """Return what the cars are, how many, and on how many threads."""
        kinds = ", ".join(repr(kind.vehicle) for kind in self._kinds.all)
        dtype = ", dtype='float32'" if self._form is NARROW else ""
        return f"PlantBatch({kinds}, n={self.n}, threads={self._threads}{dtype})"

    @property
    def kinds(self) -> Cars:
        """Which of its kinds each car is, an array of n."""
        kinds: Cars = self._of.copy()
        return kinds

    def reset(
        self, states: ArrayLike = _REST, mask: ArrayLike | None = None, *, kinds: Any = None
    ) -> BatchObservation:
        """Start all cars at `[X, Y, psi, vx, vy, r]`, or each at its row of an n x 6 array.

        `mask`: n truth values; the cars where it is False drive on. There may be a row for each car
        or for each of the chosen ones. `kinds`: which kind the chosen ones are from now on, in a
        batch of several kinds; a number, or one for each row.
        """
        self.restart(states, mask, kinds=kinds)
        return self.observe()

    def restart(
        self, states: ArrayLike = _REST, mask: ArrayLike | None = None, *, kinds: Any = None
    ) -> None:
        """Do as `reset` without the observation of all cars."""
        with self._one_caller:
            cars = None if mask is None else chosen_cars(mask, self.n)
            count = self.n if cars is None else len(cars)
            values = number_rows("states", states, self.n, len(_REST), count)
            if cars is not None and len(values) != count:
                values = values[cars]
            wrong = np.argwhere(~(np.abs(values) <= _LIMITS))
            if len(wrong):
                car, column = (int(place) for place in wrong[0])
                limit = _LIMITS[column]
                raise ParameterError(
                    f"states[{car}][{column}]",
                    f"={values[car, column]}: must be within +-{limit:g}",
                )
            if kinds is not None:
                self._become(slice(None) if cars is None else cars, count, kinds)
            self._restart(cars, values)

    def step(
        self,
        u: ArrayLike,
        torques: ArrayLike | None = None,
        brakes: ArrayLike | None = None,
        wind: ArrayLike | None = None,
    ) -> BatchObservation:
        """Hold `[delta, Fx]` for all cars, or each car's row of an n x 2 array, for one period.

        `torques` and `brakes`, four numbers or n x 4, and `wind`, three or n x 3, are those of
        `VDSimPlant.step`.
        """
        self.advance(u, torques, brakes, wind)
        return self.observe()

    def advance(
        self,
        u: ArrayLike,
        torques: ArrayLike | None = None,
        brakes: ArrayLike | None = None,
        wind: ArrayLike | None = None,
    ) -> None:
        """Do as `step` without the observation, for those who `read` a few columns of it."""
        with self._one_caller:
            values = finite_rows("u", u, self.n, 2)
            self._degrees.look("u", values)
            extra = None
            if torques is not None or brakes is not None:
                extra = self._wheel_torques(torques, brakes)
            self._inputs.blow(None if wind is None else self._wind(wind))
            self._hold_for_a_period(values, extra)

    def rollout(
        self,
        inputs: ArrayLike,
        every: int = 1,
        *,
        keys: Sequence[str] = STATE_KEYS,
        out: NDArray[np.floating] | None = None,
    ) -> NDArray[np.floating]:
        """Hold each row of `inputs` for one period; return what the cars show meanwhile.

        `inputs`: n x T x 2, or 1 x T x 2 for all cars; `[delta, Fx]` each. T x 2 is for all cars
        too, where T is not n: a row might be a car then, and is refused. `keys`: names as in
        `BatchObservation`, or `wheel.Fx` and so on, which takes four columns (FL, FR, RL, RR).
        Returned is n x T // every x columns: the values after every `every`-th period. `out`: an
        array of that shape, float64 or float32, to write into; it is what is returned.
        """
        every = checked_count("every", every)
        values = rollout_rows(inputs, self.n)
        fields = fields_of(keys)
        wanted = (self.n, values.shape[1] // every, len(fields))
        if 0 < values.shape[1] < every:
            periods = f"{values.shape[1]}, the periods of the inputs"
            raise ParameterError("every", f"={every}: must be at most {periods}")
        out = rows_for(wanted, out)
        with self._one_caller:
            self._degrees.look("inputs", values)
            self._inputs.blow(None)
            for period in range(values.shape[1]):
                self._hold_for_a_period(values[:, period], None)
                if (period + 1) % every == 0:
                    self._blocks_of_cars.read(fields, out[:, period // every])
        return out

    def fork(self, plant: ForkedPlant, mask: ArrayLike | None = None) -> BatchObservation:
        """Put all cars, or those of a mask, where this plant is; they go on from it to the bit.

        The plant's actuators and sensors are included. It must be of one of the batch's kinds; its
        substep may be another, then the cars go on from the same place with their own.
        """
        with self._one_caller:
            cars = np.arange(self.n) if mask is None else chosen_cars(mask, self.n)
            if not hasattr(plant, "parts"):
                raise wrong_value("plant", plant, "a VDSimPlant")
            theirs, *_ = plant.parts()
            vehicle = theirs.vehicle
            number = self._kinds.number_of(theirs)
            if len(self._kinds) > 1:
                self._become(cars, len(cars), number)
            ours = self._kinds.all[number].vehicle
            self._blocks_of_cars.write(
                cars, _continued(vehicle, ours, self._kinds.templates[number])
            )
            self._layers.take(cars, plant)
            self._inputs.may_blow = True
            return self.observe()

    def observe(self) -> BatchObservation:
        """Return the present state; the arrays are the caller's."""
        rows = self._blocks_of_cars.rows(_OBSERVED)
        wheels = rows[:, len(BODY_KEYS) :].reshape(self.n, 4, len(WHEEL_KEYS))
        seen: dict[str, Any] = dict(zip(BODY_KEYS, rows.T, strict=False))
        seen["wheel"] = dict(zip(WHEEL_KEYS, wheels.transpose(2, 0, 1), strict=True))
        return cast(BatchObservation, seen)

    def read(
        self,
        keys: Sequence[str] = STATE_KEYS,
        out: NDArray[np.floating] | None = None,
        *,
        cars: ArrayLike | None = None,
    ) -> NDArray[np.floating]:
        """Return columns of the present observation, n x columns; names as in `rollout`.

        `cars`: the numbers of some cars, as [0, 5]; then there is a row for each of these.
        """
        fields = fields_of(keys)
        chosen = None if cars is None else car_numbers(cars, self.n)
        rows = self.n if chosen is None else len(chosen)
        out = rows_for((rows, len(fields)), out)
        if chosen is None:
            self._blocks_of_cars.read(fields, out)
        else:
            out[:] = self._blocks_of_cars.rows(fields, chosen)
        return out

    def observation(self, car: int) -> Observation:
        """Return one car's state as `VDSimPlant.step` would."""
        if not 0 <= car < self.n:
            raise ParameterError("car", f"={car}: must be 0 to {self.n - 1}")
        return read_observation(self._blocks_of_cars.rows(_OBSERVED, np.array([car]))[0].tolist())

    def measured(self) -> BatchMeasured:
        """Return the sensors' values after the last step; the true ones without sensors."""
        return self._layers.measured()

    def snapshot(self) -> bytes:
        """Return the whole state of all cars; `restore` continues from it to the bit."""
        of = self._of.tobytes() if len(self._kinds) > 1 else b""
        return self._header() + self._blocks.tobytes() + of + self._layers.snapshot()

    def restore(self, snapshot: bytes) -> BatchObservation:
        """Take up the state of a snapshot of a batch of as many cars of these kinds."""
        header = self._header()
        wrong = ParameterError("snapshot", f"has {len(snapshot)} bytes: not one of a batch")
        if len(snapshot) < len(header) or not snapshot.startswith(self._magic()):
            raise wrong
        if not snapshot.startswith(header):
            raise ParameterError("snapshot", f"is not of {self.n} cars of this kind on this road")
        blocks_end = len(header) + self._blocks.nbytes
        of_end = blocks_end + (self._of.nbytes if len(self._kinds) > 1 else 0)
        layers = self._layers.restored(snapshot[of_end:])
        if len(snapshot) < of_end or layers is None:
            raise wrong
        with self._one_caller:
            if of_end > blocks_end:
                self._become(
                    slice(None), self.n, np.frombuffer(snapshot[blocks_end:of_end], np.int64)
                )
            numbers = np.frombuffer(snapshot[len(header) : blocks_end], self._form.dtype)
            self._blocks[:] = numbers.reshape(self._blocks.shape)
            self._inputs.may_blow = True
            self._layers.restore(layers)
            return self.observe()

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = (self._kinds.all, self.n, self._of, self._threads, self._seed, self._form.name)
        return _rebuilt, (*arguments, self.snapshot())

    def _header(self) -> bytes:
        return _SNAPSHOT_HEADER.pack(self._magic(), self._kinds.identity, self.n)

    def _magic(self) -> bytes:
        return _NARROW_MAGIC if self._form is NARROW else _SNAPSHOT_MAGIC

    def _restart(self, cars: Cars | None, states: Array) -> None:
        of = self._of if cars is None else self._of[cars]
        self._blocks_of_cars.reset(cars, of, states)
        self._layers.reset(np.arange(self.n) if cars is None else cars)

    def _become(self, cars: Any, count: int, kinds: ArrayLike) -> None:
        """Make these cars cars of other kinds; what they are now comes with a reset."""
        of = kind_numbers(kinds, count, len(self._kinds))
        if len(self._kinds) == 1:
            return
        self._of[cars] = of
        self._blocks_of_cars.place(cars, of)
        self._inputs.limits.change(cars, self._kinds.limits.of(of))
        self._layers.place(self._of)

    def _hold_for_a_period(self, values: Array, extra: WheelRows | None) -> None:
        if self._layers.are_none:
            self._inputs.hold(values, extra)
            self._blocks_of_cars.advance()
        else:
            self._layers.advance(self._inputs, values, extra)

    def _wind(self, wind: ArrayLike) -> Array:
        rows = finite_rows("wind", wind, self.n, 3)
        wrong = np.argwhere(np.abs(rows) > MOST_WIND)
        if len(wrong):
            car, column = (int(place) for place in wrong[0])
            problem = f"={rows[car, column]:g}: must be within +-{MOST_WIND:g}"
            raise ParameterError(f"wind[{car}][{column}]", problem)
        return rows

    def _wheel_torques(self, torques: ArrayLike | None, brakes: ArrayLike | None) -> WheelRows:
        """Return both as n x 4, zero where not given."""
        none = np.zeros((self.n, 4))
        drive = none if torques is None else finite_rows("torques", torques, self.n, 4)
        brake = none if brakes is None else finite_rows("brakes", brakes, self.n, 4)
        wrong = np.argwhere(brake < 0.0)
        if len(wrong):
            car, wheel = (int(place) for place in wrong[0])
            key = f"brakes[{car}][{wheel}]"
            raise ParameterError(key, f"={brake[car, wheel]}: must be >= 0 N m")
        return drive, brake


def _rebuilt(
    kinds: Sequence[CarKind],
    n: int,
    of: Cars,
    threads: int,
    seed: int,
    dtype: str,
    snapshot: bytes,
) -> PlantBatch:
    batch = PlantBatch(kinds, n, of=of, threads=threads, seed=seed, dtype=dtype)
    batch.restore(snapshot)
    return batch


def _continued(vehicle: Vehicle, ours: Vehicle, template: Array) -> Array:
    """Return the numbers of a car that goes on from where `vehicle` is."""
    numbers = numbers_in_a_block(vehicle)
    if vehicle.substep_s == ours.substep_s:
        return numbers
    ratio = ours.substep_s / vehicle.substep_s
    moved: Array = template.copy()
    for field in (*at.STATE, *range(at.STEER, at.DT), at.GRAVITY_X, at.GRAVITY_Y):
        moved[field] = numbers[field]
    for first, last in ((at.FX, at.STANDING_LENGTH), (at.BRAKE, at.BRAKE + 4)):
        moved[first:last] = numbers[first:last]
    moved[at.OBSERVED : at.SIZE] = numbers[at.OBSERVED : at.SIZE]
    if vehicle.has_ride:
        moved[l3.STATE.start : l3.PARTS] = numbers[l3.STATE.start : l3.PARTS]
    if vehicle.assist is not None:
        moved[-MEMORY:] = numbers[-MEMORY:]
    moved[at.CHANGE_X : at.YAW_CHANGE + 1] *= ratio
    substeps = numbers[at.SUBSTEPS] / ratio
    whole = round(substeps)
    moved[at.SUBSTEPS] = whole if abs(whole - substeps) < 1e-6 else substeps
    moved[at.SAME_FROM : at.SAME_YAW_TO + 1] = 0.0  # friction is looked up again
    return moved
