"""Platform `vds1`: any simulator or car with VDS1 over UDP, such as the built-in plant."""

from vdsim_interface.platforms.spec import Capabilities, PlatformSpec, Reported
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.platforms.vds1.platform import AUXILIARY, VDS1_GEARS, Vds1Platform
from vdsim_interface.platforms.vds1.sensors import SENSORS
from vdsim_protocol import vds1

SPEC = PlatformSpec(
    name="vds1",
    doc="VDS1 over UDP: pedals, wheel angle, D/N/R, hand brake; the rest of the body is modelled",
    capabilities=Capabilities(
        commands=frozenset({"gear", "hand_brake"}),
        auxiliary=AUXILIARY,
        slope_from="pitch",
        pedals_overlap=True,
        signals=frozenset(
            {
                "vehicle_time",
                "position",
                "heading",
                "lateral_velocity",
                "yaw_rate",
                "acceleration",
                "wheel_speeds",
            }
        ),
        reported={
            "height": Reported(),
            "attitude": Reported(),
            "vertical_velocity": Reported(),
            "roll_rate": Reported(),
            "pitch_rate": Reported(),
            "pedals": Reported(since=5),
            "gnss": Reported(since=2),
        },
    ),
    parameters=Vds1Parameters,
    create=Vds1Platform,
    gears=VDS1_GEARS,
    sensors=SENSORS,
    packet=vds1.decode,
    wire="VDS1 version {version}",
    wire_versions=vds1.VERSIONS,
)
