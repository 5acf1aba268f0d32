"""A recording (`.vds`) as a log for `vdsim_identify`: played again, as a table is read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from vdsim_plant.parameters import ParameterError
from vdsim_plant.study.identify.channels import TIME, columns_of
from vdsim_plant.study.identify.log_formats.log_files import commands_ahead

from vdsim_plant_node.runs.recording import RecordingError
from vdsim_plant_node.runs.run_table import COLUMNS, tables_of_ticks
from vdsim_plant_node.scenario.recorded import RecordedRun

Array = NDArray[np.float64]


def read_recording(path: Path) -> tuple[Array, dict[str, Array]]:
    """Return (time, channels) of a recording of one vehicle."""
    try:
        run = RecordedRun(path)
        tables = tables_of_ticks([*run.start(), *run])
    except RecordingError as error:
        raise ParameterError("recording", str(error)) from None
    except OSError as error:
        raise ParameterError(
            "file", f"cannot be read: {error.strerror}", source=path.name
        ) from None
    if len(tables) != 1:
        raise ParameterError(
            "recording", f"has {len(tables)} vehicles: must be of one", source=path.name
        )
    columns = {
        name: np.array(tables[0][COLUMNS[place]])
        for name, place in columns_of(list(COLUMNS)).items()
    }
    return commands_ahead(columns.pop(TIME.name), columns)
