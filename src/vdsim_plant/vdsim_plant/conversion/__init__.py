"""Files of other simulators -> files of this plant: VDSim's flat vehicle and tyre YAML."""

from vdsim_plant.conversion.flat_file import FlatFile, read_flat
from vdsim_plant.conversion.flat_tyre import ConvertedTyre, convert_tyre
from vdsim_plant.conversion.flat_vehicle import ConvertedVehicle, convert_vehicle

__all__ = [
    "ConvertedTyre",
    "ConvertedVehicle",
    "FlatFile",
    "convert_tyre",
    "convert_vehicle",
    "read_flat",
]
