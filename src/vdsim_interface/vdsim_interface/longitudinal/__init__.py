"""Acceleration -> pedals: one map per vehicle, and its fit from measurements."""

from vdsim_interface.longitudinal.pedal_map import PedalMap, PedalMapError
from vdsim_interface.longitudinal.table import load_pedal_map, write_pedal_map

__all__ = ["PedalMap", "PedalMapError", "load_pedal_map", "write_pedal_map"]
