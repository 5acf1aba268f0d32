"""The plant: a car that can be stepped, free of clock, I/O and ROS."""

from importlib import import_module
from typing import TYPE_CHECKING

from vdsim_plant.parameters.other_names import missing_name

__version__ = "1.0.0"

__all__ = [
    "ALL_STATES",
    "OBSERVED_STATES",
    "BatchObservation",
    "Linearization",
    "Observation",
    "ParameterError",
    "PlantBatch",
    "RealTimeRunner",
    "SimSession",
    "VDSimPlant",
    "WheelObservation",
    "__version__",
]

_MODULES = {
    "batch": ("BatchObservation", "PlantBatch"),
    "mpc.linearization": ("ALL_STATES", "OBSERVED_STATES", "Linearization"),
    "observation": ("Observation", "WheelObservation"),
    "parameters.errors": ("ParameterError",),
    "plant": ("VDSimPlant",),
    "realtime.runner": ("RealTimeRunner",),
    "session": ("SimSession",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

if TYPE_CHECKING:
    from vdsim_plant.batch import BatchObservation, PlantBatch
    from vdsim_plant.mpc.linearization import ALL_STATES, OBSERVED_STATES, Linearization
    from vdsim_plant.observation import Observation, WheelObservation
    from vdsim_plant.parameters.errors import ParameterError
    from vdsim_plant.plant import VDSimPlant
    from vdsim_plant.realtime.runner import RealTimeRunner
    from vdsim_plant.session import SimSession
else:

    def __getattr__(name: str) -> object:
        """Import what is asked for: who reads a car's file loads neither numpy nor a thread."""
        module = _MODULE_OF.get(name)
        if module is None:
            raise missing_name(__name__, name)
        value = getattr(import_module(f"{__name__}.{module}"), name)
        globals()[name] = value
        return value
