"""Low-pass filter: takes high-frequency noise out of the vehicle commands, channel by channel."""

from vdsim_interface.filter.parameters import FilterParameters
from vdsim_interface.filter.stage import LowPassFilter

__all__ = ["FilterParameters", "LowPassFilter"]
