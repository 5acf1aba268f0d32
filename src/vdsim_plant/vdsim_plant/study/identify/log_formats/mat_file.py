"""Reads MATLAB files up to version 7: vectors of one length, channels by name."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat

from vdsim_plant.parameters.checked_file import FileError, read_bytes
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.parameters.input_file import as_parameter
from vdsim_plant.study.identify.channels import TIME
from vdsim_plant.study.identify.log_formats.named_sources import Source, taken

Array = NDArray[np.float64]
LARGEST_BYTES = 1 << 30


def read_mat(path: Path, sources: Mapping[str, Source]) -> tuple[Array, dict[str, Array]]:
    """Return (time, channels); rows whose time does not rise are left out, time begins at 0."""
    try:
        content = loadmat(BytesIO(read_bytes(path, largest_bytes=LARGEST_BYTES, source=path.name)))
    except FileError as error:
        raise as_parameter(error, path.name) from None
    except Exception as error:  # whatever a damaged file, or one of version 7.3, makes of scipy
        raise ParameterError(
            "file",
            f"is no MATLAB file up to version 7: {type(error).__name__}",
            source=path.name,
        ) from None
    vectors = {
        name: np.asarray(values, dtype=np.float64).ravel()
        for name, values in content.items()
        if not name.startswith("__")
        and getattr(values, "dtype", None) is not None
        and values.dtype.kind in "fiub"
        and values.size > 1
        and values.size == max(values.shape)
    }
    try:
        columns = taken(vectors, sources, "vector")
    except ParameterError as error:
        raise error.in_file(path.name) from None
    if TIME.name not in columns:
        raise ParameterError(
            TIME.name, "is missing: name it, --field time_s=t for example", source=path.name
        )
    time_s = columns.pop(TIME.name)
    lengths = {name: len(values) for name, values in columns.items() if len(values) != len(time_s)}
    if lengths:
        name, count = next(iter(lengths.items()))
        problem = f"has {count} values: must be {len(time_s)}, as time_s"
        raise ParameterError(name, problem, source=path.name)
    rising = np.concatenate(([True], time_s[1:] > np.maximum.accumulate(time_s)[:-1]))
    return time_s[rising] - time_s[0], {name: values[rising] for name, values in columns.items()}
