"""PlantBatch: many cars stepped together, each bit for bit like one stepped alone."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, TypedDict, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.layout import LANES
from vdsim_plant.kernel.loops import advance_blocks
from vdsim_plant.kernel.motor_limit import limited_drive
from vdsim_plant.observation import Observation
from vdsim_plant.observation_reading import read_observation
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.vehicle import MODEL_VERSION, STATE_LIMITS, Vehicle

Array = NDArray[np.float64]
WheelRows = tuple[Array, Array]
CACHE_LINE = 64  # bytes
_SNAPSHOT_HEADER = struct.Struct("<8s16sQ")
_SNAPSHOT_MAGIC = b"batch-v%d" % MODEL_VERSION
SHARES = 4  # of the work for each thread: one that is held up leaves some to the others


class BatchWheels(TypedDict):
    """Arrays of n x 4, wheels FL, FR, RL, RR; keys and units as in WheelObservation."""

    Fx: Array
    Fy: Array
    Fz: Array
    alpha: Array
    kappa: Array
    mu: Array
    mu_peak: Array
    omega: Array
    alpha_peak: Array
    kappa_peak: Array


class BatchObservation(TypedDict):
    """Arrays of n; keys and units as in Observation."""

    X: Array
    Y: Array
    psi: Array
    vx: Array
    vy: Array
    r: Array
    ax: Array
    ay: Array
    beta: Array
    roll: Array
    pitch: Array
    t: Array
    wheel: BatchWheels


_BODY_KEYS = tuple(key for key in BatchObservation.__annotations__ if key != "wheel")
_WHEEL_KEYS = tuple(BatchWheels.__annotations__)


class PlantBatch:
    """n cars of one kind on one road, that do not touch each other.

    `threads`: how many cores share the work; it changes the speed, never a bit of the result.
    """

    def __init__(self, vehicle: Vehicle, n: int, substeps: int, threads: int = 1) -> None:
        for key, value in (("n", n), ("threads", threads)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ParameterError(key, f"={value!r}: must be a whole number, at least 1")
        if vehicle.level not in ("l1", "l2") or vehicle.tyre.tir is not None:
            raise ParameterError("batch", "needs level l1 or l2 and the mf96 tyre")
        if vehicle.assist is not None:
            raise ParameterError("batch", "has no driver assistance: assist must be none")
        self.n = n
        self._header = _SNAPSHOT_HEADER.pack(_SNAPSHOT_MAGIC, vehicle.identity, n)
        self._substeps = substeps
        self._ground, template = vehicle.core_arrays()
        self._limits = vehicle.force_limits()
        self._most_torque = vehicle.most_wheel_torque_nm()
        self._limit_to_motor = vehicle.limit_to_motor
        self._front_shares = vehicle.front_shares()
        self._count = -(-n // LANES)
        self._blocks = _on_cache_lines(self._count, at.SIZE, LANES)
        self._blocks[:] = template[np.newaxis, :, np.newaxis]
        self._run = advance_blocks.on(self._blocks.reshape(-1), self._ground)
        # Steer angle, drive torques, brake torques.
        self._inputs = np.zeros((1 + 4 + 4, self._count * LANES))
        self._threads = min(threads, self._count)
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None
        self.reset((0.0,) * len(STATE_LIMITS))

    def reset(self, states: ArrayLike) -> BatchObservation:
        """Start all cars at `[X, Y, psi, vx, vy, r]`, or each at its row of an n x 6 array."""
        values = self._rows("states", states, len(STATE_LIMITS))
        limits = np.array(list(STATE_LIMITS.values()))
        wrong = np.argwhere(~(np.abs(values) <= limits))
        if len(wrong):
            row, column = (int(place) for place in wrong[0])
            raise ParameterError(
                f"states[{row}][{column}]",
                f"={values[row, column]}: must be within +-{limits[column]:g}",
            )
        self._blocks[:, list(at.STATE), :] = 0.0
        self._blocks[:, at.STEER : at.DT, :] = 0.0
        self._blocks[:, at.BRAKE : at.BRAKE + 4, :] = 0.0
        for field in range(at.X, at.YAW_RATE + 1):
            self._put(field, values[:, field])
        arms = self._blocks[:, at.ARM_Y : at.ARM_Y + 4, :]
        rim = self._blocks[:, [at.VX], :] - self._blocks[:, [at.YAW_RATE], :] * arms
        self._blocks[:, at.SPIN : at.SPIN + 4, :] = rim / self._blocks[:, [at.RADIUS], :]
        self._look_ahead()
        return self.observe()

    def step(
        self,
        u: ArrayLike,
        torques: ArrayLike | None = None,
        brakes: ArrayLike | None = None,
    ) -> BatchObservation:
        """Hold `[delta, Fx]` for all cars, or each car's row of an n x 2 array, for one period.

        `torques` and `brakes`, four numbers or n x 4, are those of `VDSimPlant.step`.
        """
        values = self._finite_rows("u", u, 2)
        extra = None
        if torques is not None or brakes is not None:
            extra = self._wheel_torques(torques, brakes)
        if extra is None and not self._limit_to_motor:
            self._hold(values[:, 0], values[:, 1])
        else:
            self._hold_each_wheel(values[:, 0], values[:, 1], extra)
        self._advance(self._run, self._substeps)
        return self.observe()

    def _wheel_torques(self, torques: ArrayLike | None, brakes: ArrayLike | None) -> WheelRows:
        """Return both as n x 4, zero where not given."""
        none = np.zeros((self.n, 4))
        drive = none if torques is None else self._finite_rows("torques", torques, 4)
        brake = none if brakes is None else self._finite_rows("brakes", brakes, 4)
        wrong = np.argwhere(brake < 0.0)
        if len(wrong):
            row, column = (int(place) for place in wrong[0])
            key = f"brakes[{row}][{column}]"
            raise ParameterError(key, f"={brake[row, column]}: must be >= 0 N m")
        return drive, brake

    def observe(self) -> BatchObservation:
        """Return the present state; the arrays are the caller's."""
        numbers = self._observed()
        wheels = numbers[:, 12:].reshape(self.n, 4, at.OBSERVED_PER_WHEEL)
        seen: dict[str, Any] = dict(zip(_BODY_KEYS, numbers[:, :12].T, strict=True))
        seen["wheel"] = dict(zip(_WHEEL_KEYS, wheels.transpose(2, 0, 1), strict=True))
        return cast(BatchObservation, seen)

    def observation(self, car: int) -> Observation:
        """Return one car's state as `VDSimPlant.step` would."""
        if not 0 <= car < self.n:
            raise ParameterError("car", f"={car}: must be 0 to {self.n - 1}")
        block, lane = divmod(car, LANES)
        return read_observation(self._blocks[block, at.OBSERVED :, lane].tolist())

    def snapshot(self) -> bytes:
        """Return the whole state of all cars; `restore` continues from it to the bit."""
        return self._header + self._blocks.tobytes()

    def restore(self, snapshot: bytes) -> BatchObservation:
        """Take up the state of a snapshot of a batch of as many cars of this kind."""
        at_least = len(self._header)
        if len(snapshot) < at_least or not snapshot.startswith(_SNAPSHOT_MAGIC):
            raise ParameterError("snapshot", f"has {len(snapshot)} bytes: not one of a batch")
        if not snapshot.startswith(self._header):
            raise ParameterError("snapshot", f"is not of {self.n} cars of this kind on this road")
        if len(snapshot) != at_least + self._blocks.nbytes:
            raise ParameterError("snapshot", f"has {len(snapshot)} bytes: not one of a batch")
        self._blocks[:] = np.frombuffer(snapshot, offset=at_least).reshape(self._blocks.shape)
        return self.observe()

    def _finite_rows(self, key: str, given: ArrayLike, width: int) -> Array:
        values = self._rows(key, given, width)
        finite = np.isfinite(values)
        if not np.logical_and.reduce(finite, None):
            row, column = (int(place) for place in np.argwhere(~finite)[0])
            raise ParameterError(
                f"{key}[{row}][{column}]", f"={values[row, column]}: must be finite"
            )
        return values

    def _rows(self, key: str, given: ArrayLike, width: int) -> Array:
        wanted = (self.n, width)
        if type(given) is np.ndarray and given.shape == wanted and given.dtype == np.float64:
            return given
        try:
            values = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(key, "must be rows of numbers") from None
        if values.shape not in ((width,), (self.n, width)):
            raise ParameterError(
                key, f"has shape {values.shape}: must be ({self.n}, {width}) or ({width},)"
            )
        return np.broadcast_to(values, (self.n, width))

    def _hold(self, steer: Array, force: Array) -> None:
        """Write the inputs as `Vehicle.hold_force` does. The last car fills the last block up."""
        max_steer, max_force, torque_per_force = self._limits
        rows = self._inputs
        n = self.n
        np.minimum(np.maximum(steer, -max_steer), max_steer, out=rows[0, :n])
        torque = torque_per_force * np.minimum(np.maximum(force, -max_force), max_force)
        split = np.where(torque >= 0.0, *self._front_shares)
        np.multiply(torque, split, out=rows[1, :n])
        np.subtract(torque, rows[1, :n], out=rows[3, :n])
        np.negative(rows[1:4:2], out=rows[5:8:2])
        np.maximum(rows[1:8:2], 0.0, out=rows[1:8:2])  # drive torques, then brake torques
        rows[2:9:2] = rows[1:8:2]  # both wheels of an axle alike
        if n < rows.shape[1]:
            rows[:, n:] = rows[:, n - 1 : n]
        by_block = rows.reshape(len(rows), self._count, LANES).transpose(1, 0, 2)
        self._blocks[:, at.STEER : at.THROTTLE, :] = by_block[:, :5]
        self._blocks[:, at.BRAKE : at.BRAKE + 4, :] = by_block[:, 5:]

    def _hold_each_wheel(self, steer: Array, force: Array, extra: WheelRows | None) -> None:
        """Write torques that differ from wheel to wheel, as `Vehicle` does for one car."""
        max_steer, max_force, torque_per_force = self._limits
        torque = torque_per_force * np.clip(force, -max_force, max_force)
        drives = torque >= 0.0
        front = torque * np.where(drives, *self._front_shares)
        rear = torque - front
        self._put(at.STEER, np.clip(steer, -max_steer, max_steer))
        drive = np.where(drives, np.stack((front, front, rear, rear)), 0.0)
        brake = np.where(drives, 0.0, -np.stack((front, front, rear, rear)))
        if extra is not None:
            drive = np.clip(drive + extra[0].T, -self._most_torque, self._most_torque)
            brake = np.minimum(brake + extra[1].T, self._most_torque)
        if self._limit_to_motor:
            cars = self._blocks.transpose(1, 0, 2).reshape(at.SIZE, -1)[:, : self.n]
            drive = limited_drive(cars, drive)
        for wheel in range(4):
            self._put(at.TORQUE + wheel, drive[wheel])
            self._put(at.BRAKE + wheel, brake[wheel])

    def _put(self, field: int, values: Array) -> None:
        """Write one number of every car; the cars that fill up the last block repeat the last."""
        whole, rest = divmod(self.n, LANES)
        self._blocks[:whole, field] = values[: whole * LANES].reshape(whole, LANES)
        if rest:
            self._blocks[whole, field, :rest] = values[whole * LANES :]
            self._blocks[whole, field, rest:] = values[-1]

    def _observed(self) -> Array:
        numbers = self._blocks[:, at.OBSERVED :, :].transpose(0, 2, 1)
        copied: Array = np.ascontiguousarray(numbers).reshape(self._count * LANES, -1)
        return copied[: self.n]

    def _look_ahead(self) -> None:
        """Fill the outputs as a vehicle's reset does: with what the first substep will use."""
        trial = self._blocks.copy()
        self._advance(advance_blocks.on(trial.reshape(-1), self._ground), 1)
        for first, last in ((at.AX, at.DT), (at.FX, at.ARM_X)):
            self._blocks[:, first:last, :] = trial[:, first:last, :]
        self._advance(self._run, 0)

    def _advance(self, run: Callable[..., None], substeps: int) -> None:
        if self._pool is None:
            run(0, self._count, substeps)
            return
        shares = min(self._count, SHARES * self._threads)
        edges = [self._count * k // shares for k in range(shares + 1)]
        list(self._pool.map(lambda part: run(*part, substeps), pairwise(edges)))


def _on_cache_lines(*shape: int) -> Array:
    """Return an array that begins where a cache line does.

    The widest vectors are as long as a line. Memory as it comes would put every one of them
    across two, which costs a twentieth of the speed.
    """
    size = math.prod(shape)
    room = np.empty(size + CACHE_LINE // 8)
    first = -room.ctypes.data % CACHE_LINE // 8
    return room[first : first + size].reshape(shape)
