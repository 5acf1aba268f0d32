"""Heights from an OpenCRG file (ASAM): a curved strip of road becomes a grid in x and y.

The file is read by PyPI's pyopencrg, an extra of this package that is imported on first use. Beyond
the strip the height of its nearest node goes on.
"""

from __future__ import annotations

import importlib
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.ground.heights import HeightGrid
from vdsim_plant.ground.limits import ParameterError, checked_number
from vdsim_plant.parameters.input_file import check_file

MOST_NODES = 4_000_000
LEAST_CELL_M = 0.01
LARGEST_BYTES = 1 << 30


def heights_from_crg(path: str | Path, *, cell_m: float = 0.1) -> HeightGrid:
    """Return the heights of an OpenCRG file over the rectangle around its road."""
    cell_m = checked_number("cell_m", cell_m)
    if not cell_m >= LEAST_CELL_M:
        raise ParameterError("cell_m", f"={cell_m:g}: must be >= {LEAST_CELL_M:g} m")
    try:
        reader: Any = importlib.import_module("pyopencrg")
    except ImportError:
        problem = "needs pyopencrg: pip install 'vdsim_plant[crg]'"
        raise ParameterError("crg", problem) from None
    check_file(Path(path), largest_bytes=LARGEST_BYTES)
    try:
        road = reader.read(str(path))
        xs, ys = (np.asarray(each, dtype=np.float64) for each in road.grid_xy())
    except Exception as error:  # whatever is wrong with somebody's file
        line = " ".join(str(error).split())[:200]
        raise ParameterError("crg", f"={path!s}: {line or type(error).__name__}") from None
    x0, x1, y0, y1 = (float(each) for each in (xs.min(), xs.max(), ys.min(), ys.max()))
    columns = max(2, math.ceil((x1 - x0) / cell_m) + 1)
    rows = max(2, math.ceil((y1 - y0) / cell_m) + 1)
    if rows * columns > MOST_NODES:
        problem = f"={cell_m:g}: gives {rows} x {columns} nodes, at most {MOST_NODES} are allowed"
        raise ParameterError("cell_m", problem)
    x, y = np.meshgrid(x0 + cell_m * np.arange(columns), y0 + cell_m * np.arange(rows))
    z = np.asarray(road.xy_to_z(x.ravel(), y.ravel()), dtype=np.float64).reshape(x.shape)
    return HeightGrid(values=_filled(z), cell_m=cell_m, x0_m=x0, y0_m=y0)


def _filled(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return heights where those that are not known are that of the nearest known node."""
    unknown = ~np.isfinite(z)
    if not unknown.any():
        return z
    if unknown.all():
        raise ParameterError("crg", "holds no height")
    from scipy.ndimage import distance_transform_edt

    nearest = distance_transform_edt(unknown, return_distances=False, return_indices=True)
    filled: NDArray[np.float64] = z[tuple(nearest)]
    return filled
