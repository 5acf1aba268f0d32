"""The memory of a batch: cars side by side in blocks, put there and advanced.

Car k is lane k % lanes of block k // lanes; how many lanes there are depends on the kind of numbers
(forms.py). The lanes behind the last car repeat it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.assist.layer import GIVE_BACK, TAKE, forget
from vdsim_plant.assist.loops import assist_blocks
from vdsim_plant.batch.forms import WIDE, Form, Numbers, check_form
from vdsim_plant.batch.kinds import Kinds
from vdsim_plant.batch.rows import Cars
from vdsim_plant.batch.workers import Workers
from vdsim_plant.compiled.linking import Loop, address_of
from vdsim_plant.compiled.memory import on_cache_lines
from vdsim_plant.kernel import layout as at
from vdsim_plant.ride import layout as l3
from vdsim_plant.ride.assembly import place

Array = NDArray[np.float64]
NUMBER = 8  # bytes of a float64
BLOCKS_IN_CACHE = 8  # of the second level; a call for fewer would take longer than what it does
SHOWN_ALONE = 64  # blocks: to show fewer takes less time than to wake another thread
ROOM_KEPT = 16  # blocks: of more the memory counts, of fewer the time to get it
_OUTPUTS = ((at.AX, at.DT), (at.FX, at.ARM_X))


@dataclass(frozen=True)
class _Room:
    """Memory in which cars start, and more to try a substep out in, with the loops over both."""

    memory: Numbers
    trial: Numbers
    starts: Array
    run: Callable[..., None]
    try_out: Callable[..., None]


class Blocks:
    """n cars of some kinds."""

    def __init__(self, kinds: Kinds, of: Cars, workers: Workers, form: Form = WIDE) -> None:
        self.n = len(of)
        self.form = form
        self.lanes = form.lanes
        self.count = -(-self.n // self.lanes)
        self._kinds = kinds
        assisted = kinds.assisted_substeps is not None
        check_form(form, kinds.tyre_law, float(kinds.templates[:, at.DT].min()), assisted=assisted)
        self._at_rest = _at_rest(form, kinds.templates)
        self._size = self._at_rest.shape[1]
        self.memory = self._new_memory(self.count)
        self._workers = workers
        self._starts = np.zeros(self.count * self.lanes)
        self._dt = np.zeros(self.n)
        self._rests = form.table_of_rests()
        self._shows: dict[tuple[Loop, tuple[int, ...]], Callable[..., None]] = {}
        self._substeps = np.zeros(self.n, dtype=np.int64)
        self.place(slice(None), of)
        self._run = self._bound(self.memory, self._starts)
        self._room: _Room | None = None

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
            trial = self._new_memory(self.count)
            try_out = self._bound(trial, self._starts)
            self._start(_Room(self.memory, trial, self._starts, self._run, try_out), of, states)
            return
        if not len(cars):
            return
        count = -(-len(cars) // self.lanes)
        room = self._room_for(count)
        room.starts[: count * self.lanes] = self._filled(self._kinds.road_starts[of], count)
        self._start(room, of, states)
        rows = room.memory[:count].transpose(0, 2, 1).reshape(-1, self._size)
        self._put_rows(cars, rows[: len(cars)])

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
        show = self._bound_to(self.form.show_chosen, fields)
        show(address_of(chosen), chosen.size, address_of(shown), shown.size)
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
        show = self._bound_to(self.form.show, fields)
        place = address_of(shown), shown.size, field_step, car_step
        if self.count < SHOWN_ALONE:
            show(*place, 0, self.count)
        else:
            self._in_parts(lambda first, last: show(*place, first, last), self.count)

    def _bound_to(self, loop: Loop, fields: tuple[int, ...]) -> Callable[..., None]:
        """Return a compiled loop that shows these fields."""
        if (loop, fields) not in self._shows:
            which = np.array(fields, dtype=np.float64)
            memory = self.memory.reshape(-1)
            self._shows[loop, fields] = loop.on(memory, self._rests, self._dt, which)
        return self._shows[loop, fields]

    def _filled(self, values: NDArray[Any], count: int) -> NDArray[Any]:
        """Return a value for each lane of `count` blocks: the last car's fills them up."""
        filled: NDArray[Any] = values[np.minimum(np.arange(count * self.lanes), len(values) - 1)]
        return filled

    def _blocks_at_rest(self, of: Cars) -> Numbers:
        """Return the blocks of cars of these kinds."""
        templates = self._at_rest
        if len(templates) == 1:
            one: Numbers = templates[0][np.newaxis, :, np.newaxis]
            return one
        count = -(-len(of) // self.lanes)
        by_car = templates[self._filled(of, count)]
        blocks: Numbers = by_car.reshape(count, self.lanes, -1).transpose(0, 2, 1)
        return blocks

    def _start(self, room: _Room, of: Cars, states: Array) -> None:
        """Put cars into their states, with the outputs that the first substep will use."""
        count = -(-len(of) // self.lanes)
        memory, trial = room.memory[:count], room.trial[:count]
        memory[:] = self._blocks_at_rest(of)
        by_block = self._filled(states, count).reshape(count, self.lanes, -1).transpose(0, 2, 1)
        memory[:, at.X : at.YAW_RATE + 1, :] = by_block
        for field in range(at.X, at.YAW_RATE):
            if field in self.form.rests:
                memory[:, self.form.rests[field]] = by_block[:, field] - memory[:, field]
        arms = memory[:, at.ARM_Y : at.ARM_Y + 4, :]
        rim = memory[:, at.VX, np.newaxis] - memory[:, at.YAW_RATE, np.newaxis] * arms
        memory[:, at.SPIN : at.SPIN + 4, :] = rim / memory[:, at.RADIUS, np.newaxis]
        if self._kinds.has_ride:
            self._stand(memory, of)
        if self._kinds.assisted_substeps is not None:
            forget(memory.transpose(1, 0, 2), memory[:, at.YAW_RATE])
        trial[:] = memory
        self._share(room.try_out, 1, count)
        for first, last in _OUTPUTS:
            memory[:, first:last, :] = trial[:, first:last, :]
        self._share(room.run, 0, count)

    def _stand(self, memory: Numbers, of: Cars) -> None:
        """Put the bodies and wheels of cars of level l3 on the roads under them."""
        memory[:, l3.STATE.start : l3.PARTS] = 0.0
        uneven = self._filled(self._kinds.surfaces_of(of), len(memory))
        for car, surface in enumerate(uneven):
            if surface is not None:
                numbers = memory[car // self.lanes, :, car % self.lanes].copy()
                place(numbers, surface)
                memory[car // self.lanes, :, car % self.lanes] = numbers

    def _room_for(self, count: int) -> _Room:
        """Return a place to start cars in before they come into the memory."""
        if self._room is not None and len(self._room.memory) >= count:
            return self._room
        memory, trial = self._new_memory(count), self._new_memory(count)
        starts = np.zeros(count * self.lanes)
        run, try_out = self._bound(memory, starts), self._bound(trial, starts)
        room = _Room(memory, trial, starts, run, try_out)
        if count <= ROOM_KEPT:
            self._room = room
        return room

    def _new_memory(self, count: int) -> Numbers:
        return on_cache_lines(count, self._size, self.lanes, dtype=self.form.dtype)

    def _bound(self, memory: Numbers, starts: Array) -> Callable[..., None]:
        """Return the compiled loop over this memory."""
        numbers = memory.reshape(-1)
        run = self.form.loops[self._kinds.tyre_law].on(numbers, self._kinds.roads, starts)
        between = self._kinds.assisted_substeps
        if between is None:
            return run
        return partial(run_assisted, run, assist_blocks.on(numbers, starts), between)

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


def run_assisted(
    run: Callable[..., None],
    decide: Callable[..., None],
    between: int,
    first: int,
    last: int,
    substeps: int,
) -> None:
    """Do as `run`, with the assistance's decisions `between` substeps apart.

    Some blocks at a time take all their substeps, so that they stay in the processor's cache.
    """
    if substeps == 0:
        run(first, last, 0)
        return
    for begin in range(first, last, BLOCKS_IN_CACHE):
        end = min(begin + BLOCKS_IN_CACHE, last)
        decide(begin, end, TAKE)
        done = 0
        while done < substeps:
            part = min(between, substeps - done)
            decide(begin, end, part)
            run(begin, end, part)
            done += part
        decide(begin, end, GIVE_BACK)


def _at_rest(form: Form, templates: Array) -> Numbers:
    """Return the plants' numbers in a form, without what they did when they were given."""
    rows: Numbers = form.rows(templates).copy()
    for fields in (slice(at.STEER, at.DT), slice(at.BRAKE, at.BRAKE + 4), list(at.STATE)):
        rows[:, fields] = 0.0
    rows[:, list(form.rests.values())] = 0.0
    return rows
