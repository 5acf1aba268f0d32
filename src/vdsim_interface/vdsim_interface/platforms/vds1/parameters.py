"""Parameters of platform `vds1`."""

from dataclasses import dataclass
from typing import ClassVar

from vdsim_interface.parameters.fields import choice, real, text
from vdsim_interface.parameters.vds1_link import Vds1LinkParameters
from vdsim_interface.platforms.raw import RawScaling
from vdsim_interface.values import Gear


@dataclass(frozen=True)
class Vds1Parameters(Vds1LinkParameters, RawScaling):
    """Addresses, protocol version, pedal map and the modelled body."""

    PREFIX: ClassVar[str] = "vds1"

    silence_s: float = real(
        0.1, "silence after which a sender may restart its sequence [s]", at_least=0.01, at_most=10
    )
    pedal_map: str = text("ioniq5_awd", "pedal map: name of a shipped one or a CSV file")
    range_km: float = real(
        400.0, "distance on a full battery, for the modelled fuel [km]", above=0, at_most=5000
    )
    initial_fuel_percent: float = real(
        100.0, "modelled fuel or charge at the start [%]", at_least=0, at_most=100
    )
    initial_gear: str = choice(
        "PARK", "modelled gear at start, if the car stands", tuple(gear.name for gear in Gear)
    )
