"""Vehicle and tyre parameters: frozen, checked, loaded from files."""

from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.parameters.files import (
    load_tyre,
    load_vehicle,
    tyre_names,
    vehicle_names,
)
from vdsim_plant.parameters.mapping import from_mapping
from vdsim_plant.parameters.tyre import Mf96Parameters, TyreParameters
from vdsim_plant.parameters.vehicle import GRAVITY_MPS2, VehicleParameters

__all__ = [
    "GRAVITY_MPS2",
    "Mf96Parameters",
    "ParameterError",
    "TyreParameters",
    "VehicleParameters",
    "from_mapping",
    "load_tyre",
    "load_vehicle",
    "tyre_names",
    "vehicle_names",
]
