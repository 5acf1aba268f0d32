"""Parameters of platform `vds1`."""

from dataclasses import dataclass
from typing import ClassVar

from vdsim_interface.parameters.fields import choice, flag, real, text, whole
from vdsim_interface.platforms.raw import RawScaling
from vdsim_interface.values import Gear

FIRST_VERSION_WITH_VEHICLE_ID = 4


@dataclass(frozen=True)
class Vds1Parameters(RawScaling):
    """Addresses, protocol version, pedal map and the modelled body."""

    PREFIX: ClassVar[str] = "vds1"

    plant_host: str = text("127.0.0.1", "host that receives CMD and sends STATE")
    plant_port: int = whole(7001, "UDP port that receives CMD", at_least=1, at_most=65535)
    listen_host: str = text("127.0.0.1", "address on which STATE is received")
    listen_port: int = whole(
        7002, "UDP port on which STATE is received; 0: any free one", at_least=0, at_most=65535
    )
    only_from_plant: bool = flag(True, "drop STATE that does not come from plant_host")
    version: int = whole(3, "protocol version of the CMD packets", at_least=1, at_most=5)
    vehicle_id: int = whole(
        0, "vehicle in a server with several; from version 4", at_least=0, at_most=4294967295
    )
    silence_s: float = real(
        0.1, "silence after which a sender may start anew [s]", above=0, at_most=10, live=False
    )
    pedal_map: str = text("ioniq5_awd", "pedal map: name of a shipped one or a CSV file")
    keep_alive: bool = flag(
        False, "true: while a person drives, send CMD with pedals up instead of nothing"
    )
    range_km: float = real(
        400.0, "distance on a full battery, for the modelled fuel [km]", above=0, at_most=5000
    )
    initial_gear: str = choice(
        "PARK", "modelled gear at start, if the car stands", tuple(gear.name for gear in Gear)
    )

    def check_together(self) -> None:
        """A vehicle number needs a version that carries it."""
        if self.vehicle_id and self.version < FIRST_VERSION_WITH_VEHICLE_ID:
            self.refuse("vehicle_id", f"must be 0 below version {FIRST_VERSION_WITH_VEHICLE_ID}")
