"""Defects that are planted in memory, and the search for a seed that finds each."""

from vdsim_simulate.planted.foreign import FOREIGN
from vdsim_simulate.planted.foreign_fourth import FOREIGN_FOURTH
from vdsim_simulate.planted.foreign_second import FOREIGN_SECOND
from vdsim_simulate.planted.foreign_third import FOREIGN_THIRD
from vdsim_simulate.planted.rows import OWN
from vdsim_simulate.planted.search import Found, find, planted

PLANTED = {**OWN, **FOREIGN, **FOREIGN_SECOND, **FOREIGN_THIRD, **FOREIGN_FOURTH}

__all__ = [
    "FOREIGN",
    "FOREIGN_FOURTH",
    "FOREIGN_SECOND",
    "FOREIGN_THIRD",
    "OWN",
    "PLANTED",
    "Found",
    "find",
    "planted",
]
