"""What VDSimPlant returns: typed dictionaries. The keys are the product's contract."""

from __future__ import annotations

from typing import TypedDict


class WheelObservation(TypedDict):
    """One wheel: forces in the wheel's contact frame (x where it points, y to its left).

    Fx: longitudinal contact force [N]
    Fy: lateral contact force [N]
    Fz: vertical load [N], >= 0
    alpha: slip angle [rad]; a positive angle gives a negative Fy
    kappa: slip ratio [-]; a positive ratio gives a positive Fx
    mu: friction that this wheel used [-]
    mu_peak: highest |F| / Fz of pure slip there [-], along or across; both: up to mu
    alpha_peak: size of the slip angle of the highest pure side force there [rad]
    kappa_peak: size of the slip ratio of the highest pure longitudinal force there [-]
    omega: wheel spin [rad/s]
    """

    Fx: float
    Fy: float
    Fz: float
    alpha: float
    kappa: float
    mu: float
    mu_peak: float
    alpha_peak: float
    kappa_peak: float
    omega: float


class Observation(TypedDict):
    """True state after a step. World ENU, body ISO 8855; forces of the step's last substep.

    X, Y: world position of the centre of gravity [m]
    psi: heading [rad], from world x towards world y, not wrapped
    vx, vy: velocity in the body frame [m/s]
    r: yaw rate [rad/s]
    ax, ay: acceleration of the centre of gravity, body frame [m/s2]
    beta: sideslip angle atan(vy / |vx|) [rad], 0 at rest
    roll: quasi-static, right side down is positive [rad]
    pitch: quasi-static, nose down is positive [rad]
    t: time since the reset [s]
    wheel: list of four WheelObservation, FL, FR, RL, RR [-]
    """

    X: float
    Y: float
    psi: float
    vx: float
    vy: float
    r: float
    ax: float
    ay: float
    beta: float
    roll: float
    pitch: float
    t: float
    wheel: list[WheelObservation]
