"""The memory of a batch: cars side by side in blocks, put there and advanced.

Car k is lane k % lanes of block k // lanes; how many lanes there are depends on the kind of numbers
(forms.py). The lanes behind the last car repeat it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.batch.forms import WIDE, Form, Numbers, check_form
from vdsim_plant.batch.kinds import Kinds
from vdsim_plant.batch.rows import Cars
from vdsim_plant.batch.workers import Workers
from vdsim_plant.compiled.linking import address_of
from vdsim_plant.kernel import layout as at

Array = NDArray[np.float64]
CACHE_LINE = 64  # bytes
NUMBER = 8  # bytes of a float64
SHOWN_ALONE = 64  # blocks: to show fewer takes less time than to wake another thread
_OUTPUTS = ((at.AX, at.DT), (at.FX, at.ARM_X))


class Blocks:
    """n cars of some kinds."""

    def __init__(self, kinds: Kinds, of: Cars, workers: Workers, form: Form = WIDE) -> None:
        self.n = len(of)
        self.form = form
        self.lanes = form.lanes
        self.count = -(-self.n // self.lanes)
        self._kinds = kinds
        check_form(form, kinds.tyre_law, float(kinds.templates[:, at.DT].min()))
        self._templates_in_form = form.rows(kinds.templates)
        self._size = self._templates_in_form.shape[1]
        self.memory = on_cache_lines(self.count, self._size, self.lanes, dtype=form.dtype)
        self._workers = workers
        self._starts = np.zeros(self.count * self.lanes)
        self._dt = np.zeros(self.n)
        self._rests = form.table_of_rests()
        self._shown: dict[tuple[int, ...], tuple[Callable[..., None], Callable[..., None]]] = {}
        self._substeps = np.zeros(self.n, dtype=np.int64)
        self.place(slice(None), of)
        self.memory[:] = self._templates(of)
        self._run = self._bound(self.memory, self._starts)

    def place(self, cars: Cars | slice, of: Cars) -> None:
        """Note of which kinds these cars are from now on: their roads and substeps a period."""
        self._starts[: self.n][cars] = self._kinds.road_starts[of]
        self._starts[self.n :] = self._starts[self.n - 1]
        self._dt[cars] = self._kinds.templates[of, at.DT]
        self._substeps[cars] = self._kinds.substeps[of]
        counts = sorted(set(self._kinds.substeps.tolist()))
        if len(counts) > 1:
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
        count = -(-len(cars) // self.lanes)
        fresh = on_cache_lines(count, self._size, self.lanes, dtype=self.form.dtype)
        fresh[:] = self._templates(of)
        starts = self._filled(self._kinds.road_starts[of], count).astype(np.float64)
        self._start(fresh, self._bound(fresh, starts), starts, states)
        self._put_rows(cars, fresh.transpose(0, 2, 1).reshape(-1, self._size)[: len(cars)])

    def advance(self, substeps: int | None = None) -> None:
        """Advance all cars by these substeps, or each by those of its control period."""
        if substeps is not None:
            self._share(self._run, substeps)
        elif isinstance(self._periods, int):
            self._share(self._run, self._periods)
        else:
            self._advance_each(self._periods)

    def read(self, fields: tuple[int, ...], out: NDArray[np.floating]) -> None:
        """Write these numbers of every car into `out`, a row for each car."""
        car_bytes, field_bytes = out.strides
        whole = min(car_bytes, field_bytes) >= 0 and (car_bytes | field_bytes) % NUMBER == 0
        if type(out) is np.ndarray and out.dtype == np.float64 and out.flags.behaved and whole:
            self._show(fields, out, field_bytes // NUMBER, car_bytes // NUMBER)
        else:
            out[:] = self.rows(fields)

    def rows(self, fields: tuple[int, ...], cars: Cars | None = None) -> Array:
        """Return these numbers of every car, or of some, a row for each car; the caller's own."""
        width = len(fields)
        if cars is None:
            shown = np.empty((self.n, width))
            self._show(fields, shown, 1, width)
            return shown
        shown = np.empty((len(cars), width))
        chosen = cars.astype(np.float64)
        _, show_chosen = self._shows(fields)
        show_chosen(address_of(chosen), chosen.size, address_of(shown), shown.size)
        return shown

    def put(self, field: int, values: Array) -> None:
        """Write one number of every car."""
        lanes = self.lanes
        whole, rest = divmod(self.n, lanes)
        self.memory[:whole, field] = values[: whole * lanes].reshape(whole, lanes)
        if rest:
            self.memory[whole, field, :rest] = values[whole * lanes :]
            self.memory[whole, field, rest:] = values[-1]

    def write(self, cars: Cars, numbers: Array) -> None:
        """Write everything of these cars, as one car alone has it: a row each, or one for all."""
        self._put_rows(cars, self.form.rows(numbers))

    def _put_rows(self, cars: Cars, rows: Numbers) -> None:
        self.memory[cars // self.lanes, :, cars % self.lanes] = rows
        rest = self.n % self.lanes
        if rest:
            self.memory[-1, :, rest:] = self.memory[-1, :, rest - 1 : rest]

    def side_by_side(self) -> Array:
        """Return a copy with the fields as rows and the cars as columns."""
        copied = self.memory.transpose(1, 0, 2).reshape(self._size, -1)
        wide: Array = copied[:, : self.n].astype(np.float64)
        return wide

    def _show(
        self, fields: tuple[int, ...], shown: NDArray[np.floating], field_step: int, car_step: int
    ) -> None:
        """Write these numbers of every car to an array of float64; the steps are in numbers."""
        show, _ = self._shows(fields)
        place = address_of(shown), shown.size, field_step, car_step
        if self.count < SHOWN_ALONE:
            show(*place, 0, self.count)
        else:
            self._in_parts(lambda first, last: show(*place, first, last), self.count)

    def _shows(self, fields: tuple[int, ...]) -> tuple[Callable[..., None], Callable[..., None]]:
        """Return the compiled loops that show these fields, of all cars and of chosen ones."""
        if fields not in self._shown:
            which = np.array(fields, dtype=np.float64)
            buffers = (self.memory.reshape(-1), self._rests, self._dt, which)
            self._shown[fields] = (
                self.form.show.on(*buffers),
                self.form.show_chosen.on(*buffers),
            )
        return self._shown[fields]

    def _filled(self, values: NDArray[Any], count: int) -> NDArray[Any]:
        """Return a value for each lane of `count` blocks: the last car's fills them up."""
        filled: NDArray[Any] = values[np.minimum(np.arange(count * self.lanes), len(values) - 1)]
        return filled

    def _templates(self, of: Cars) -> Numbers:
        """Return the blocks of cars of these kinds, as the plants were when they were given."""
        templates = self._templates_in_form
        if len(templates) == 1:
            one: Numbers = templates[0][np.newaxis, :, np.newaxis]
            return one
        count = -(-len(of) // self.lanes)
        by_car = templates[self._filled(of, count)]
        blocks: Numbers = by_car.reshape(count, self.lanes, -1).transpose(0, 2, 1)
        return blocks

    def _start(
        self, memory: Numbers, run: Callable[..., None], starts: Array, states: Array
    ) -> None:
        """Put cars into their states, with the outputs that the first substep will use."""
        memory[:, list(at.STATE), :] = 0.0
        memory[:, at.STEER : at.DT, :] = 0.0
        memory[:, at.BRAKE : at.BRAKE + 4, :] = 0.0
        memory[:, list(self.form.rests.values()), :] = 0.0
        count = len(memory)
        by_block = self._filled(states, count).reshape(count, self.lanes, -1).transpose(0, 2, 1)
        memory[:, at.X : at.YAW_RATE + 1, :] = by_block
        for field in range(at.X, at.YAW_RATE):
            if field in self.form.rests:
                memory[:, self.form.rests[field]] = by_block[:, field] - memory[:, field]
        arms = memory[:, at.ARM_Y : at.ARM_Y + 4, :]
        rim = memory[:, [at.VX], :] - memory[:, [at.YAW_RATE], :] * arms
        memory[:, at.SPIN : at.SPIN + 4, :] = rim / memory[:, [at.RADIUS], :]
        trial = on_cache_lines(*memory.shape, dtype=self.form.dtype)
        trial[:] = memory
        self._share(self._bound(trial, starts), 1, count)
        for first, last in _OUTPUTS:
            memory[:, first:last, :] = trial[:, first:last, :]
        self._share(run, 0, count)

    def _bound(self, memory: Numbers, starts: Array) -> Callable[..., None]:
        """Return the compiled loop over this memory."""
        loop = self.form.loops[self._kinds.tyre_law]
        return loop.on(memory.reshape(-1), self._kinds.roads, starts)

    def _share(self, run: Callable[..., None], substeps: int, count: int | None = None) -> None:
        blocks = self.count if count is None else count
        self._in_parts(lambda first, last: run(first, last, substeps), blocks)

    def _in_parts(self, run: Callable[[int, int], None], blocks: int) -> None:
        """Call `run(first, last)` for parts of the blocks that together are all of them."""
        if blocks == 1 or self._workers.threads == 1:
            run(0, blocks)
        else:
            self._workers.share(run, blocks)

    def _advance_each(self, counts: Sequence[int]) -> None:
        """Advance cars whose periods have different numbers of substeps.

        All are advanced; those that have done theirs are put aside, and back at the end.
        """
        aside: list[tuple[Cars, Numbers]] = []
        done = 0
        for count in counts:
            self.advance(count - done)
            done = count
            ready = np.flatnonzero(self._substeps == count)
            aside.append((ready, self.memory[ready // self.lanes, :, ready % self.lanes]))
        for ready, rows in aside:
            self._put_rows(ready, rows)


def on_cache_lines(*shape: int, dtype: Any = np.float64) -> NDArray[Any]:
    """Return an array that begins where a cache line does.

    The widest vectors are as long as a line. Memory as it comes would put every one of them
    across two, which costs a twentieth of the speed.
    """
    size = math.prod(shape)
    width = np.dtype(dtype).itemsize
    room = np.empty(size + CACHE_LINE // width, dtype=dtype)
    first = -room.ctypes.data % CACHE_LINE // width
    return room[first : first + size].reshape(shape)
