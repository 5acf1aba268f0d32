"""Defects that are planted in memory, and the search for a seed that finds each."""

from vdsim_simulate.planted.rows import PLANTED
from vdsim_simulate.planted.search import Found, find, planted

__all__ = ["PLANTED", "Found", "find", "planted"]
