"""Whether a car stands, as speed and wheels agree: one wrong signal alone shows no standstill."""

from vdsim_interface.values import VehicleFeedback
from vdsim_interface.values.speeds import WHEEL_MARGIN_MPS


def wheels_stand(wheel_mps: float, at_most_mps: float) -> bool:
    """Whether the wheels are about as slow as a limit for the speed, or not reported (nan)."""
    return not abs(wheel_mps) > at_most_mps + WHEEL_MARGIN_MPS


def stands(feedback: VehicleFeedback, at_most_mps: float) -> bool:
    """Whether speed and wheels of a report are within a limit; a speed that is no number is not."""
    return abs(feedback.odometry.velocity_mps) <= at_most_mps and wheels_stand(
        feedback.wheel_mps, at_most_mps
    )
