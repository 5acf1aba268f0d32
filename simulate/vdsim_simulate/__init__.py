"""The whole interface and its car in one thread, on virtual time, by seed (docs/simulate.md)."""

from vdsim_simulate.fault_table import fault
from vdsim_simulate.oracles import Violation, oracle
from vdsim_simulate.record import Record
from vdsim_simulate.world import World

__all__ = ["Record", "Violation", "World", "fault", "oracle"]
