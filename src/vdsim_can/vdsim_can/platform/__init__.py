"""Platform `can`: any car that a car file describes, on its CAN buses."""

from vdsim_interface.platforms.spec import Capabilities, PlatformSpec
from vdsim_interface.values import Gear

from vdsim_can.platform.creation import capable, create
from vdsim_can.platform.parameters import CanParameters

SPEC = PlatformSpec(
    name="can",
    doc="a car on CAN, described by DBC files and a page of YAML",
    capabilities=Capabilities(),
    parameters=CanParameters,
    create=create,
    gears={gear: gear.name for gear in Gear},
    wire="CAN",
    capable=capable,
)
