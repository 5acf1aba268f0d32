"""Which raw values a row sends."""

from __future__ import annotations

import math

from vdsim_can.car.rows import FieldRow
from vdsim_can.dbc.network import Signal


def raw_range_of(signal: Signal, row: FieldRow) -> tuple[int, int]:
    """Return the least and greatest raw value: of the signal's bits, and of its stated range."""
    least, most = signal.raw_range()
    if not row.whole_range and signal.minimum is not None and signal.maximum is not None:
        ends = sorted(
            (end - signal.offset) / signal.scale for end in (signal.minimum, signal.maximum)
        )
        least = max(least, math.ceil(ends[0] - 1e-9))
        most = min(most, math.floor(ends[1] + 1e-9))
    return least, most
