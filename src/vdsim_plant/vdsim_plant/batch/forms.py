"""The two kinds of numbers that a batch may compute with, and where a block has which of a car."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.car.loops import (
    advance_blocks,
    advance_blocks_full,
    advance_narrow_blocks,
    advance_narrow_blocks_full,
    advance_narrow_tir_blocks,
    advance_ride_blocks,
    advance_ride_blocks_full,
    advance_tir_blocks,
    hold_axles,
    hold_narrow_axles,
    show_cars,
    show_chosen,
    show_narrow_cars,
    show_narrow_chosen,
)
from vdsim_plant.compiled.linking import Loop
from vdsim_plant.kernel import exchange_layout as rest_of
from vdsim_plant.kernel import layout as at
from vdsim_plant.narrow import layout as more
from vdsim_plant.parameters.errors import ParameterError, wrong_value

Array = NDArray[np.float64]
Numbers = NDArray[Any]
"""Of the form's own kind."""

SHORTEST_NARROW_S = 1e-4
_RESTS = {at.SUBSTEPS: more.SUBSTEPS_REST} | {
    first + k: more.X_REST + k for first in (at.X, at.OBSERVED + at.X) for k in range(at.YAW_RATE)
}

_WIDE_LOOPS = {
    "mf96": advance_blocks,
    "full mf96": advance_blocks_full,
    "tir": advance_tir_blocks,
    "l3": advance_ride_blocks,
    "full l3": advance_ride_blocks_full,
}
_NARROW_LOOPS = {
    "mf96": advance_narrow_blocks,
    "full mf96": advance_narrow_blocks_full,
    "tir": advance_narrow_tir_blocks,
}

PAIRED = (at.X, at.Y, at.YAW, at.VX, at.VY, at.SUBSTEPS)


@dataclass(frozen=True, kw_only=True)
class Form:
    """float64 or float32."""

    dtype: Any
    lanes: int
    fields: int
    """Numbers of a car, without those of a property file; `at.SIZE` of them are the layout's."""
    loops: Mapping[str, Loop]
    """By `Kinds.tyre_law`."""
    hold: Loop
    show: Loop
    show_chosen: Loop
    rests: Mapping[int, int]
    """Which field has what another one cannot hold; the value is the sum of both."""

    @property
    def name(self) -> str:
        """The name that `dtype` has."""
        return str(np.dtype(self.dtype).name)

    def table_of_rests(self) -> Array:
        """Return for each field of the layout where its rest is, as kernel/exchange_layout.py."""
        table = np.full(at.SIZE, rest_of.NO_REST)
        table[list(self.rests)] = list(self.rests.values())
        if at.SUBSTEPS in self.rests:
            table[at.OBSERVED_TIME] = rest_of.TIME
        return table

    def rows(self, numbers: Array) -> Numbers:
        """Return cars' numbers, a row each, in this form; friction is looked up again."""
        if not self.rests:
            return numbers
        size = numbers.shape[-1]
        rows: Numbers = np.zeros((*numbers.shape[:-1], max(size, self.fields)), dtype=self.dtype)
        rows[..., :size] = numbers
        rows[..., at.SAME_FROM : at.SAME_YAW_TO + 1] = 0.0
        for field in PAIRED:
            rows[..., self.rests[field]] = numbers[..., field] - rows[..., field]
        return rows


WIDE = Form(
    dtype=np.float64,
    lanes=at.LANES,
    fields=at.SIZE,
    loops=_WIDE_LOOPS,
    hold=hold_axles,
    show=show_cars,
    show_chosen=show_chosen,
    rests={},
)
NARROW = Form(
    dtype=np.float32,
    lanes=more.LANES,
    fields=more.SIZE,
    loops=_NARROW_LOOPS,
    hold=hold_narrow_axles,
    show=show_narrow_cars,
    show_chosen=show_narrow_chosen,
    rests=_RESTS,
)


def form_of(dtype: Any) -> Form:
    """Return the form that a user means with float64 or float32, a name or a type of numpy."""
    try:
        wanted = np.dtype(dtype) if dtype is not None else None
    except TypeError:
        wanted = None
    for form in (WIDE, NARROW):
        if wanted == form.dtype and wanted is not None:
            return form
    raise wrong_value("dtype", dtype, "float64 or float32")


def check_form(form: Form, tyre_law: str, shortest_s: float, *, assisted: bool) -> None:
    """Raise for cars that the form has no loop for, or whose moves it does not resolve."""
    if tyre_law not in form.loops:
        raise ParameterError("dtype", f"={form.name}: must be float64 with level l3")
    if form is NARROW and assisted:
        raise ParameterError("dtype", f"={form.name}: must be float64 with assist")
    if form is NARROW and shortest_s < SHORTEST_NARROW_S:
        problem = f"={shortest_s:g}: must be >= {SHORTEST_NARROW_S:g} with dtype=float32"
        raise ParameterError("substep_dt", problem)
