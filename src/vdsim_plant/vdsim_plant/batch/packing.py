"""Arrays as bytes, for the snapshots of a batch's layers."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_HEADER = struct.Struct("<2q")


def packed(arrays: Sequence[NDArray[Any]]) -> bytes:
    """Return arrays of one or two dimensions and 8 bytes a number as bytes."""
    parts = []
    for array in arrays:
        rows = array.reshape(1, -1) if array.ndim == 1 else array
        parts.append(_HEADER.pack(*rows.shape) + np.ascontiguousarray(array).tobytes())
    return b"".join(parts)


def unpacked(content: bytes, like: Sequence[NDArray[Any]]) -> list[NDArray[Any]] | None:
    """Return the arrays in these bytes, in kind and width as those; None where they are others."""
    arrays = []
    place = 0
    for model in like:
        if len(content) < place + _HEADER.size:
            return None
        rows, columns = _HEADER.unpack_from(content, place)
        place += _HEADER.size
        wanted = model.shape[-1]
        fits = columns == wanted and 0 <= rows <= (len(content) - place) // (8 * wanted)
        if not fits or (model.ndim == 1 and rows != 1):
            return None
        flat = np.frombuffer(content, model.dtype, rows * columns, place).copy()
        arrays.append(flat if model.ndim == 1 else flat.reshape(rows, columns))
        place += flat.nbytes
    return arrays if place == len(content) else None
