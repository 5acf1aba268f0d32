"""The plant: a car that can be stepped, free of clock, I/O and ROS."""

from importlib import import_module
from typing import TYPE_CHECKING

from vdsim_plant.batch import BatchObservation, PlantBatch
from vdsim_plant.mpc.linearization import ALL_STATES, OBSERVED_STATES, Linearization
from vdsim_plant.observation import Observation, WheelObservation
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.parameters.other_names import missing_name
from vdsim_plant.plant import VDSimPlant
from vdsim_plant.session import SimSession

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

if TYPE_CHECKING:
    from vdsim_plant.realtime.runner import RealTimeRunner
else:

    def __getattr__(name: str) -> object:
        if name == "RealTimeRunner":  # a shell: whoever imports the plant loads no thread and clock
            return import_module("vdsim_plant.realtime.runner").RealTimeRunner
        raise missing_name(__name__, name)
