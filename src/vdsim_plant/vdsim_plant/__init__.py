"""The plant: a car that can be stepped, free of clock, I/O and ROS."""

from vdsim_plant.batch import BatchObservation, PlantBatch
from vdsim_plant.mpc.linearization import ALL_STATES, OBSERVED_STATES, Linearization
from vdsim_plant.observation import Observation, WheelObservation
from vdsim_plant.plant import VDSimPlant

__all__ = [
    "ALL_STATES",
    "OBSERVED_STATES",
    "BatchObservation",
    "Linearization",
    "Observation",
    "PlantBatch",
    "VDSimPlant",
    "WheelObservation",
]
