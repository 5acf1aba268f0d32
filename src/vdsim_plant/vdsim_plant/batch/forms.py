"""The two kinds of numbers that a batch may compute with, and where a block has which of a car."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.compiled.linking import Loop
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.loops import (
    advance_blocks,
    advance_blocks_full,
    advance_narrow_blocks,
    advance_narrow_blocks_full,
    advance_tir_blocks,
)
from vdsim_plant.narrow import layout as more
from vdsim_plant.parameters.errors import ParameterError, wrong_value

Array = NDArray[np.float64]
Numbers = NDArray[Any]
"""Of the form's own kind."""

SHORTEST_NARROW_S = 1e-4
_MOTION_N = at.YAW_RATE - at.X
_RUNS = (
    (at.X, more.X_REST, _MOTION_N),
    (at.OBSERVED + at.X, more.X_REST, _MOTION_N),
    (at.SUBSTEPS, more.SUBSTEPS_REST, 1),
)
_RESTS = {first + k: rest + k for first, rest, width in _RUNS for k in range(width)}

_WIDE_LOOPS = {
    "mf96": advance_blocks,
    "full mf96": advance_blocks_full,
    "tir": advance_tir_blocks,
}
_NARROW_LOOPS = {"mf96": advance_narrow_blocks, "full mf96": advance_narrow_blocks_full}

PAIRED = (at.X, at.Y, at.YAW, at.VX, at.VY, at.SUBSTEPS)


@dataclass(frozen=True, kw_only=True)
class Form:
    """float64 or float32."""

    dtype: Any
    lanes: int
    fields: int
    """Numbers of a car; the first `at.SIZE` of them are those of the layout."""
    loops: Mapping[str, Loop]
    """By `Kinds.tyre_law`."""
    rests: Mapping[int, int]
    """Which field has what another one cannot hold; the value is the sum of both."""
    runs: tuple[tuple[int, int, int], ...]
    """The same: first field, its rest, and how many fields follow one another with theirs."""

    @property
    def name(self) -> str:
        """The name that `dtype` has."""
        return str(np.dtype(self.dtype).name)

    def rows(self, numbers: Array) -> Numbers:
        """Return cars' numbers, a row each, in this form; friction is looked up again."""
        if not self.rests:
            return numbers
        rows: Numbers = np.zeros((*numbers.shape[:-1], self.fields), dtype=self.dtype)
        rows[..., : at.SIZE] = numbers
        rows[..., at.SAME_FROM : at.SAME_YAW_TO + 1] = 0.0
        for field in PAIRED:
            rows[..., self.rests[field]] = numbers[..., field] - rows[..., field]
        return rows


WIDE = Form(dtype=np.float64, lanes=at.LANES, fields=at.SIZE, loops=_WIDE_LOOPS, rests={}, runs=())
NARROW = Form(
    dtype=np.float32,
    lanes=more.LANES,
    fields=more.SIZE,
    loops=_NARROW_LOOPS,
    rests=_RESTS,
    runs=_RUNS,
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


def check_form(form: Form, tyre_law: str, shortest_s: float) -> None:
    """Raise for cars that the form has no loop for, or whose moves it does not resolve."""
    if tyre_law not in form.loops:
        raise ParameterError("dtype", f"={form.name}: must be float64 with tyres of property files")
    if form is NARROW and shortest_s < SHORTEST_NARROW_S:
        problem = f"={shortest_s:g}: must be >= {SHORTEST_NARROW_S:g} with dtype=float32"
        raise ParameterError("substep_dt", problem)
