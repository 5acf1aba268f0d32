"""Parameters of the velocity controller."""

from dataclasses import dataclass
from typing import ClassVar

from vdsim_interface.parameters.fields import Parameters, real
from vdsim_interface.values.speeds import STANDSTILL_MPS


@dataclass(frozen=True)
class ControllerParameters(Parameters):
    """PID gains, shape of the reference, standstill and change of direction."""

    PREFIX: ClassVar[str] = "controller"
    LIVE: ClassVar[bool] = True

    kp_1ps: float = real(0.9, "acceleration per speed error [1/s]", at_least=0, at_most=20)
    ki_1ps2: float = real(
        0.0,
        "acceleration per integrated error [1/s2]; 0: the acceleration loop removes steady errors",
        at_least=0,
        at_most=20,
    )
    kd: float = real(0.05, "acceleration per measured acceleration [-]", at_least=0, at_most=2)
    derivative_cutoff_hz: float = real(
        3.0, "low-pass of the measured acceleration [Hz]", above=0, at_most=50
    )
    feed_forward: float = real(
        1.0, "gain of the reference's acceleration [-]", at_least=0, at_most=2
    )
    reference_smoothing_s: float = real(
        0.15, "time constant of the reference's smoothing [s]", at_least=0, at_most=2
    )
    integral_max_mps2: float = real(
        1.5, "bound of the integral part [m/s2]", at_least=0, at_most=10
    )
    reference_lead_max_mps: float = real(
        1.0, "largest lead of the reference over the measured speed [m/s]", above=0, at_most=10
    )
    accel_max_mps2: float = real(
        2.0, "slope of the reference, speeding up [m/s2]", at_least=0.1, at_most=15
    )
    decel_max_mps2: float = real(
        2.5, "slope of the reference, slowing down [m/s2]", at_least=0.1, at_most=15
    )
    output_max_mps2: float = real(
        3.0, "bound of the commanded speeding up [m/s2]", at_least=0.1, at_most=15
    )
    output_brake_max_mps2: float = real(
        5.0, "bound of the commanded slowing down [m/s2]", at_least=0.1, at_most=15
    )
    standstill_speed_mps: float = real(
        STANDSTILL_MPS, "standstill: measured speed below this [m/s]", above=0, at_most=1
    )
    final_decel_mps2: float = real(
        0.6, "minimum deceleration in the final approach to standstill [m/s2]", above=0, at_most=5
    )
    launch_accel_mps2: float = real(
        0.6, "acceleration that requests a gear at standstill [m/s2]", above=0, at_most=5
    )
    direction_pause_s: float = real(
        0.3, "time at standstill before the direction is changed [s]", at_least=0.05, at_most=5
    )
    rear_steer_share: float = real(
        0.0, "share of the path's curvature steered by the rear wheels [-]", at_least=0, at_most=0.5
    )

    def check_together(self) -> None:
        """Check that the reference's slope is within the bounds of the output."""
        self.check_order("accel_max_mps2", "<=", "output_max_mps2")
        self.check_order("decel_max_mps2", "<=", "output_brake_max_mps2")
