"""What the brake is as an acceleration: a matter of the gear, not of the speed alone."""

from vdsim_interface.values import Gear, travel_direction


def braking_accel(gear: Gear, velocity_mps: float, decel_mps2: float) -> float:
    """Return the acceleration that every platform turns into brake, never into throttle [m/s2].

    An acceleration along the direction of the gear is throttle, whichever way the car rolls: one
    that stands in R, or rolls back a little in D, is braked by the sign of its gear. Only P and N
    have no direction; there that of the motion counts, forward for a car at rest. `decel_mps2` is
    at least 0; the result is positive towards the front (ISO 8855 x).
    """
    return -travel_direction(gear, velocity_mps) * decel_mps2
