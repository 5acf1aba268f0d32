"""Low-pass filter: takes high-frequency noise out of the vehicle commands, channel by channel."""

from vdsim_interface.filter.low_pass import LowPassFilter
from vdsim_interface.filter.parameters import FilterParameters

__all__ = ["FilterParameters", "LowPassFilter"]
