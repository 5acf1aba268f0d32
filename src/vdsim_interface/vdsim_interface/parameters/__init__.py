"""Checked parameters of the interface's components."""

from vdsim_interface.parameters.fields import ParameterError, Parameters
from vdsim_interface.parameters.flat import (
    Declaration,
    changed,
    declarations,
    flatten,
    from_flat,
    to_flat,
)
from vdsim_interface.parameters.vehicle import VehicleGeometry

__all__ = [
    "Declaration",
    "ParameterError",
    "Parameters",
    "VehicleGeometry",
    "changed",
    "declarations",
    "flatten",
    "from_flat",
    "to_flat",
]
