"""The road: friction everywhere, slope, and its compiled form for the numeric core."""

from typing import TYPE_CHECKING

from vdsim_plant.ground.compilation import compile_ground, is_uniform_or_striped
from vdsim_plant.ground.description import Ground, flat, polygons_from, x_patches_from
from vdsim_plant.ground.grid import MuGrid, grid_from_csv
from vdsim_plant.ground.heights import HeightGrid, heights_from_csv
from vdsim_plant.ground.limits import MU_MAX
from vdsim_plant.ground.mapping import ground_from_mapping, ground_names, load_ground
from vdsim_plant.ground.shapes import PolygonPatch, SplitMu, XPatch, rectangle
from vdsim_plant.parameters.other_names import missing_name

__all__ = [
    "MU_MAX",
    "Ground",
    "HeightGrid",
    "MuGrid",
    "PolygonPatch",
    "SplitMu",
    "XPatch",
    "compile_ground",
    "flat",
    "grid_from_csv",
    "ground_from_mapping",
    "ground_names",
    "heights_from_csv",
    "is_uniform_or_striped",
    "load_ground",
    "polygons_from",
    "rectangle",
    "x_patches_from",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        raise missing_name(__name__, name)
