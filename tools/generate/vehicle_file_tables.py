"""The key tables of docs/vehicle-files.md, from the declarations of the parameter files."""

from __future__ import annotations

from functools import partial

from vdsim_plant.parameters.reference import reference_table
from vdsim_plant.vehicle_command import FILE_KINDS

PARTS = {f"{kind} keys": partial(reference_table, table) for kind, table in FILE_KINDS.items()}
