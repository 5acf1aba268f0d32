"""Defects that are planted in memory, and the search for a seed that finds each."""

from vdsim_simulate.planted.foreign import FOREIGN
from vdsim_simulate.planted.rows import OWN
from vdsim_simulate.planted.search import Found, find, planted

PLANTED = {**OWN, **FOREIGN}

__all__ = ["FOREIGN", "OWN", "PLANTED", "Found", "find", "planted"]
