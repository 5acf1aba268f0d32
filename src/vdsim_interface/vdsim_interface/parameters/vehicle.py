"""The car's geometry, as the stages need it."""

from dataclasses import dataclass
from typing import ClassVar

from vdsim_interface.parameters.fields import Parameters, flag, real


@dataclass(frozen=True)
class VehicleGeometry(Parameters):
    """Geometry of the car; the defaults are those of the built-in ioniq5_awd."""

    PREFIX: ClassVar[str] = "vehicle"
    LIVE: ClassVar[bool] = True

    wheelbase_m: float = real(2.97, "distance between the axles [m]", at_least=0.1, at_most=20)
    front_wheel_angle_max_rad: float = real(
        0.55, "mechanical limit of the front road wheels [rad]", above=0, at_most=1.5, live=False
    )
    rear_wheel_angle_max_rad: float = real(
        0.0,
        "mechanical limit of the rear road wheels [rad]; 0: not steered",
        at_least=0,
        at_most=1.5,
        live=False,
    )
    understeer_gradient_rad_s2pm: float = real(
        0.0,
        "extra front wheel angle per lateral acceleration [rad s2/m]; 0: kinematic steering",
        at_least=-0.05,
        at_most=0.05,
    )
    curvature_correction: bool = flag(
        True, "correct the wheel angle slowly by the yaw rate, at high_level"
    )
