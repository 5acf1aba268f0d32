"""Measurements for a pedal map: CSV columns speed_mps, pedal, accel_mps2, one row a sample.

`vdsim_pedal_sweep` measures the built-in plant; a recording of another vehicle has the same form.
`accel_mps2` is along the travel direction, on level ground, in steady state of the pedal.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from vdsim_protocol.shown import shown_plainly

from vdsim_interface.platforms.pedal_map import PedalMapError
from vdsim_interface.platforms.pedal_table import COLUMNS


class Samples(NamedTuple):
    """Samples as arrays of one length."""

    speed_mps: NDArray[np.float64]
    pedal: NDArray[np.float64]
    accel_mps2: NDArray[np.float64]


def parse_samples(lines: Iterable[str]) -> Samples:
    """Read samples from the lines of a CSV file."""
    rows = (line.strip() for line in lines)
    rows = (line for line in rows if line and not line.startswith("#"))
    header = next(rows, "")
    if header.split(",") != COLUMNS:
        raise PedalMapError(
            f"columns={shown_plainly(header or 'none')}: must be {','.join(COLUMNS)}"
        )
    values: list[tuple[float, float, float]] = []
    for number, line in enumerate(rows, start=1):
        try:
            speed, pedal, accel = map(float, line.split(","))
        except ValueError:
            raise PedalMapError(
                f"sample {number}={shown_plainly(line)}: must be three numbers"
            ) from None
        values.append((speed, pedal, accel))
    table = np.asarray(values, dtype=np.float64).reshape(-1, 3)
    if not np.isfinite(table).all():
        raise PedalMapError("samples: must be finite")
    return Samples(table[:, 0], table[:, 1], table[:, 2])
