"""Platform `morai`: MORAI SIM: Drive over its UDP messages."""

from vdsim_interface.platforms.morai.parameters import MoraiParameters
from vdsim_interface.platforms.morai.platform import MORAI_GEARS, MoraiPlatform
from vdsim_interface.platforms.spec import Capabilities, PlatformSpec

SPEC = PlatformSpec(
    name="morai",
    doc="MORAI SIM, Drive over UDP: pedals, speed or acceleration, gears, turn signals",
    capabilities=Capabilities(
        commands=frozenset({"gear", "blinker", "hand_brake"}),
        reports=frozenset({"gear"}),
        signals=frozenset({"vehicle_time", "position", "heading", "lateral_velocity", "yaw_rate"}),
    ),
    parameters=MoraiParameters,
    create=MoraiPlatform,
    gears=MORAI_GEARS,
)
