"""The memory of a batch: cars side by side in blocks, put there and advanced.

Car k is lane k % LANES of block k // LANES. The lanes behind the last car repeat it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.batch.kinds import Kinds
from vdsim_plant.batch.rows import Cars
from vdsim_plant.batch.workers import Workers
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.layout import LANES
from vdsim_plant.kernel.loops import advance_blocks, advance_blocks_on_roads

Array = NDArray[np.float64]
CACHE_LINE = 64  # bytes
_OUTPUTS = ((at.AX, at.DT), (at.FX, at.ARM_X))


class Blocks:
    """n cars of some kinds."""

    def __init__(self, kinds: Kinds, of: Cars, workers: Workers) -> None:
        self.n = len(of)
        self.count = -(-self.n // LANES)
        self.memory = on_cache_lines(self.count, at.SIZE, LANES)
        self._kinds = kinds
        self._workers = workers
        self._own_roads = len(set(kinds.road_starts.tolist())) > 1
        self._starts = np.zeros(self.count * LANES)
        self._substeps = np.zeros(self.n, dtype=np.int64)
        self.place(of)
        self.memory[:] = self._templates(of)
        self._run = self._bound(self.memory, self._starts)

    def place(self, of: Cars) -> None:
        """Note of which kind each car is from now on: its road and its substeps a period."""
        self._starts[:] = _filled(self._kinds.road_starts[of], self.count)
        self._substeps[:] = self._kinds.substeps[of]
        counts = sorted(set(self._substeps.tolist()))
        self._periods = counts if len(counts) > 1 else counts[0]

    def reset(self, cars: Cars | None, of: Cars, states: Array) -> None:
        """Put the cars, or all, at rows of `[X, Y, psi, vx, vy, r]`, as cars of these kinds."""
        if cars is None:
            self.memory[:] = self._templates(of)
            self._start(self.memory, self._run, self._starts, states)
            return
        if not len(cars):
            return
        count = -(-len(cars) // LANES)
        fresh = on_cache_lines(count, at.SIZE, LANES)
        fresh[:] = self._templates(of)
        starts = _filled(self._kinds.road_starts[of], count).astype(np.float64)
        self._start(fresh, self._bound(fresh, starts), starts, states)
        self.write(cars, fresh.transpose(0, 2, 1).reshape(-1, at.SIZE)[: len(cars)])

    def advance(self, substeps: int | None = None) -> None:
        """Advance all cars by these substeps, or each by those of its control period."""
        if substeps is not None:
            self._share(self._run, substeps)
        elif isinstance(self._periods, int):
            self._share(self._run, self._periods)
        else:
            self._advance_each(self._periods)

    def read(self, fields: Sequence[int], out: NDArray[np.floating]) -> None:
        """Write one number of every car into each column of `out`, which has n rows."""
        whole, rest = divmod(self.n, LANES)
        for column, field in enumerate(fields):
            place = out[:, column]
            place[: whole * LANES].reshape(whole, LANES)[:] = self.memory[:whole, field]
            if rest:
                place[whole * LANES :] = self.memory[whole, field, :rest]

    def put(self, field: int, values: Array) -> None:
        """Write one number of every car."""
        whole, rest = divmod(self.n, LANES)
        self.memory[:whole, field] = values[: whole * LANES].reshape(whole, LANES)
        if rest:
            self.memory[whole, field, :rest] = values[whole * LANES :]
            self.memory[whole, field, rest:] = values[-1]

    def write(self, cars: Cars, numbers: Array) -> None:
        """Write everything of these cars, a row each, or one row for all."""
        self.memory[cars // LANES, :, cars % LANES] = numbers
        rest = self.n % LANES
        if rest:
            self.memory[-1, :, rest:] = self.memory[-1, :, rest - 1 : rest]

    def numbers(self, first: int, last: int) -> Array:
        """Return fields [first, last) of every car, n x (last - first); the caller's own."""
        by_car = self.memory[:, first:last, :].transpose(0, 2, 1)
        copied: Array = np.ascontiguousarray(by_car).reshape(self.count * LANES, -1)
        return copied[: self.n]

    def side_by_side(self) -> Array:
        """Return a copy with the fields as rows and the cars as columns."""
        copied: Array = self.memory.transpose(1, 0, 2).reshape(at.SIZE, -1)
        return copied[:, : self.n]

    def _templates(self, of: Cars) -> Array:
        """Return the blocks of cars of these kinds, as the plants were when they were given."""
        templates = self._kinds.templates
        if len(templates) == 1:
            one: Array = templates[0][np.newaxis, :, np.newaxis]
            return one
        count = -(-len(of) // LANES)
        by_car = templates[_filled(of, count)]
        blocks: Array = by_car.reshape(count, LANES, at.SIZE).transpose(0, 2, 1)
        return blocks

    def _start(self, memory: Array, run: Callable[..., None], starts: Array, states: Array) -> None:
        """Put cars into their states, with the outputs that the first substep will use."""
        memory[:, list(at.STATE), :] = 0.0
        memory[:, at.STEER : at.DT, :] = 0.0
        memory[:, at.BRAKE : at.BRAKE + 4, :] = 0.0
        count = len(memory)
        filled = states[np.minimum(np.arange(count * LANES), len(states) - 1)]
        by_block = filled.reshape(count, LANES, -1).transpose(0, 2, 1)
        memory[:, at.X : at.YAW_RATE + 1, :] = by_block
        arms = memory[:, at.ARM_Y : at.ARM_Y + 4, :]
        rim = memory[:, [at.VX], :] - memory[:, [at.YAW_RATE], :] * arms
        memory[:, at.SPIN : at.SPIN + 4, :] = rim / memory[:, [at.RADIUS], :]
        trial = on_cache_lines(*memory.shape)
        trial[:] = memory
        self._share(self._bound(trial, starts), 1, count)
        for first, last in _OUTPUTS:
            memory[:, first:last, :] = trial[:, first:last, :]
        self._share(run, 0, count)

    def _bound(self, memory: Array, starts: Array) -> Callable[..., None]:
        """Return the compiled loop over this memory."""
        roads = self._kinds.roads
        if self._own_roads:
            return advance_blocks_on_roads.on(memory.reshape(-1), roads, starts)
        return advance_blocks.on(memory.reshape(-1), roads)

    def _share(self, run: Callable[..., None], substeps: int, count: int | None = None) -> None:
        blocks = self.count if count is None else count
        self._workers.share(lambda first, last: run(first, last, substeps), blocks)

    def _advance_each(self, counts: Sequence[int]) -> None:
        """Advance cars whose periods have different numbers of substeps.

        All are advanced; those that have done theirs are put aside, and back at the end.
        """
        aside: list[tuple[Cars, Array]] = []
        done = 0
        for count in counts:
            self.advance(count - done)
            done = count
            ready = np.flatnonzero(self._substeps == count)
            aside.append((ready, self.memory[ready // LANES, :, ready % LANES]))
        for ready, numbers in aside:
            self.write(ready, numbers)


def on_cache_lines(*shape: int) -> Array:
    """Return an array that begins where a cache line does.

    The widest vectors are as long as a line. Memory as it comes would put every one of them
    across two, which costs a twentieth of the speed.
    """
    size = math.prod(shape)
    room = np.empty(size + CACHE_LINE // 8)
    first = -room.ctypes.data % CACHE_LINE // 8
    return room[first : first + size].reshape(shape)


def _filled(values: Cars, count: int) -> Cars:
    """Return a value for each lane of `count` blocks: the last car's fills them up."""
    return values[np.minimum(np.arange(count * LANES), len(values) - 1)]
