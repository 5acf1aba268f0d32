"""Low-pass filter: removes high-frequency noise from the vehicle commands, for each channel."""

from vdsim_interface.filter.low_pass import LowPassFilter
from vdsim_interface.filter.parameters import FilterParameters

__all__ = ["FilterParameters", "LowPassFilter"]
