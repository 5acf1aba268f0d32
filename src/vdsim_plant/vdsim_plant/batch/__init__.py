"""Many cars stepped together, each bit for bit like one stepped alone."""

from vdsim_plant.batch.columns import BatchObservation, BatchWheels
from vdsim_plant.batch.plant_batch import PlantBatch
from vdsim_plant.batch.sensor_lanes import BatchMeasured

__all__ = ["BatchMeasured", "BatchObservation", "BatchWheels", "PlantBatch"]
