"""The plant: a car that can be stepped, free of clock, I/O and ROS."""

from vdsim_plant.batch import BatchObservation, PlantBatch
from vdsim_plant.observation import Observation, WheelObservation
from vdsim_plant.plant import VDSimPlant

__all__ = [
    "BatchObservation",
    "Observation",
    "PlantBatch",
    "VDSimPlant",
    "WheelObservation",
]
