"""Parameters of twist_adapter and ackermann_adapter: what they pass on at most."""

import math
from dataclasses import dataclass, field

from vdsim_interface.parameters.fields import Parameters, flag, real
from vdsim_interface.parameters.vehicle import VehicleGeometry


@dataclass(frozen=True)
class AdapterParameters(Parameters):
    """Limits, and which of the two messages is received."""

    vehicle: VehicleGeometry = field(default_factory=VehicleGeometry)
    stamped: bool = flag(
        False, "receive the message with a header (TwistStamped, AckermannDriveStamped)"
    )
    forward_speed_max_mps: float = real(30.0, "largest speed forward [m/s]", above=0, at_most=100)
    backward_speed_max_mps: float = real(
        3.0, "largest speed backward [m/s]; 0: never backward", at_least=0, at_most=30
    )
    lateral_accel_max_mps2: float = real(
        4.0, "largest speed^2 * curvature; the speed is reduced [m/s2]", above=0, at_most=15
    )
    turning_speed_min_mps: float = real(
        0.05,
        "speed below which a command that turns is refused: a car does not turn on the spot [m/s]",
        above=0,
        at_most=1,
    )

    @property
    def curvature_max_1pm(self) -> float:
        """Curvature of the path with the front wheels at their limit [1/m]."""
        return math.tan(self.vehicle.front_wheel_angle_max_rad) / self.vehicle.wheelbase_m
