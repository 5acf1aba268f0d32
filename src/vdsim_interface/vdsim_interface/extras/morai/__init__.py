"""Platform `morai`: MORAI SIM: Drive over its UDP messages."""

from vdsim_interface.extras.morai.parameters import MoraiParameters
from vdsim_interface.extras.morai.platform import MORAI_GEARS, MoraiPlatform
from vdsim_interface.extras.morai.report import TIME_SINCE
from vdsim_interface.extras.morai.sensors import SENSORS
from vdsim_interface.platforms.spec import Capabilities, PlatformSpec, Reported
from vdsim_interface.values import Source
from vdsim_protocol import morai

SPEC = PlatformSpec(
    name="morai",
    doc="MORAI SIM, Drive over UDP: pedals, speed or acceleration, gears, turn signals",
    capabilities=Capabilities(
        commands=frozenset({"gear", "blinker", "hand_brake"}),
        reports=frozenset({"gear"}),
        driver_activity=True,  # the simulator's keyboard
        signals=frozenset({"vehicle_time", "position", "heading", "lateral_velocity", "yaw_rate"}),
        reported={
            "vehicle_time": Reported(since=TIME_SINCE, before=Source.MODELLED),
            "height": Reported(),
            "attitude": Reported(),
            "vertical_velocity": Reported(),
            # Before it the yaw rate follows from the headings.
            "yaw_rate": Reported(since=TIME_SINCE, before=Source.MODELLED),
            "roll_rate": Reported(since=TIME_SINCE),
            "pitch_rate": Reported(since=TIME_SINCE),
            "acceleration": Reported(),
            "vertical_acceleration": Reported(),
            "rear_wheel_angle": Reported(since=5),
            "pedals": Reported(),
            # The status has no receiver of its own: the fix is the position of the vehicle.
            "gnss": Reported(Source.MODELLED),
            "gnss_height": Reported(Source.MODELLED),
        },
    ),
    parameters=MoraiParameters,
    create=MoraiPlatform,
    gears=MORAI_GEARS,
    sensors=SENSORS,
    packet=morai.decode,
    wire="MORAI Ego Vehicle Status generation {version}",
    wire_versions=(1, 2, 3, 4, 5),
)
