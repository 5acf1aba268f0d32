"""The plant: a car that can be stepped, free of clock, I/O and ROS."""

from vdsim_plant.batch import BatchObservation, PlantBatch
from vdsim_plant.mpc.linearization import ALL_STATES, OBSERVED_STATES, Linearization
from vdsim_plant.observation import Observation, WheelObservation
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.plant import VDSimPlant

__version__ = "0.1.0"

__all__ = [
    "ALL_STATES",
    "OBSERVED_STATES",
    "BatchObservation",
    "Linearization",
    "Observation",
    "ParameterError",
    "PlantBatch",
    "VDSimPlant",
    "WheelObservation",
    "__version__",
]
