"""What VDSimPlant returns: typed dictionaries. The keys are the product's contract."""

from __future__ import annotations

from typing import TypedDict


class WheelObservation(TypedDict):
    """One wheel: forces in the wheel's contact frame (x where it points, y to its left)."""

    Fx: float  # longitudinal contact force [N]
    Fy: float  # lateral contact force [N]
    Fz: float  # vertical load [N], >= 0
    alpha: float  # slip angle [rad]; a positive angle gives a negative Fy
    kappa: float  # slip ratio; a positive ratio gives a positive Fx
    mu: float  # friction that this wheel used
    mu_peak: float  # highest |F| / Fz of pure slip there, along or across; both: up to mu
    alpha_peak: float  # size of the slip angle of the highest pure side force there [rad]
    kappa_peak: float  # size of the slip ratio of the highest pure longitudinal force there
    omega: float  # wheel spin [rad/s]


class Observation(TypedDict):
    """True state after a step. World ENU, body ISO 8855; forces of the step's last substep."""

    X: float  # world position of the centre of gravity [m]
    Y: float
    psi: float  # heading [rad], from world x towards world y, not wrapped
    vx: float  # velocity in the body frame [m/s]
    vy: float
    r: float  # yaw rate [rad/s]
    ax: float  # acceleration of the centre of gravity, body frame [m/s2]
    ay: float
    beta: float  # sideslip angle atan(vy / |vx|) [rad], 0 at rest
    roll: float  # quasi-static, right side down is positive [rad]
    pitch: float  # quasi-static, nose down is positive [rad]
    t: float  # time since the reset [s]
    wheel: list[WheelObservation]  # FL, FR, RL, RR
