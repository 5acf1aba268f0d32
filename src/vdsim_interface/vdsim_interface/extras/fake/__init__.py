"""Platform `fake`: a kinematic car in the same process, no wire."""

from vdsim_interface.extras.fake.platform import FAKE_GEARS, FakeParameters, FakePlatform
from vdsim_interface.platforms.spec import Capabilities, PlatformSpec, Reported
from vdsim_interface.values import Source

SPEC = PlatformSpec(
    name="fake",
    doc="kinematic car in the same process, no wire: for tests and first steps",
    capabilities=Capabilities(
        commands=frozenset({"gear", "hand_brake"}),
        reports=frozenset({"gear", "hand_brake"}),
        rear_steering=True,
        slope_from="pitch",
        pedals_overlap=True,
        signals=frozenset({"position", "heading", "lateral_velocity", "yaw_rate", "acceleration"}),
        reported={
            "rear_wheel_angle": Reported(),
            "attitude": Reported(),
            "gnss": Reported(Source.MODELLED),  # the car's position, without a receiver
        },
    ),
    parameters=FakeParameters,
    create=FakePlatform,
    gears=FAKE_GEARS,
)
