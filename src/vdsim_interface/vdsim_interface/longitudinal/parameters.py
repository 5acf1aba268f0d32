"""Parameters of the acceleration loop."""

from dataclasses import dataclass
from typing import ClassVar

from vdsim_interface.parameters.fields import Parameters, choice, real


@dataclass(frozen=True)
class AccelerationParameters(Parameters):
    """From the acceleration that is asked for to the one that the car has."""

    PREFIX: ClassVar[str] = "acceleration"

    vehicle_commands: str = choice(
        "flat_road",
        "what the acceleration of a vehicle command means: flat_road (its sender compensates the "
        "slope) or kinematic (the interface does)",
        ("flat_road", "kinematic"),
    )
    estimate_1ps: float = real(
        6.0, "bandwidth of the estimate of slope and pedal error [1/s]", above=0, at_most=20
    )
    estimate_max_mps2: float = real(
        4.5, "bound of that estimate, beyond the slope that is reported [m/s2]", above=0, at_most=15
    )
    response_s: float = real(
        0.08, "lag of drive and brake, where the vehicle does not report its pedals [s]",
        at_least=0, at_most=1,
    )  # fmt: skip
    slip_max: float = real(
        0.09, "slip of a wheel above which pedals are reduced [-]", above=0, at_most=0.15
    )
    rise_max_mps3: float = real(9.0, "fastest rise of the drive [m/s3]", above=0, at_most=1000)
