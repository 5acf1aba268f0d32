"""The parameters of the platform `can`."""

from dataclasses import dataclass
from typing import ClassVar

from vdsim_interface.parameters.fields import choice, real, text, whole
from vdsim_interface.platforms.raw import RawScaling

from vdsim_can.bus.channels import INTERFACE, PORT

SHIPPED = "vdsim_dbw"


@dataclass(frozen=True)
class CanParameters(RawScaling):
    """The car, its buses, and what no message of it says."""

    PREFIX: ClassVar[str] = "can"

    car: str = text(SHIPPED, "car file, or the name of a shipped one")
    interface: str = choice(
        INTERFACE,
        "kind of all buses; udp_multicast: processes of this machine, without a CAN controller",
        ("socketcan", "udp_multicast", "virtual"),
    )
    channels: str = text(
        "", "channel of each bus of the car file, as chassis=can0,body=can1; empty: its own name"
    )
    port: int = whole(PORT, "UDP port of udp_multicast", at_least=1024, at_most=65535)
    pedal_map: str = text("ioniq5_awd", "acceleration -> pedals, for a car with pedals: map or CSV")
    range_km: float = real(400.0, "distance on a full tank or battery [km]", above=0)
    wheel_radius_m: float = real(0.338, "radius of the wheels on the road [m]", above=0, at_most=2)
