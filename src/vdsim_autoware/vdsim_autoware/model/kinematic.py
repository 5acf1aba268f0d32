"""What makes the kinematic level move as Autoware's models of the same names do.

Their acceleration is that of the car. Ours is force by mass, and the maps of the pedals include
what the turning wheels take, which rolling without slip has not: its acceleration is larger by
that share. Their models with gears do not roll back in a gear that drives (the fall guard).
"""

from __future__ import annotations

import math

from vdsim_plant.parameters import VehicleParameters

GRAVITY_MPS2 = 9.81
CREEPS_MPS = 0.05
HOLD_MPS2 = -2.0
"""What holds a car that is not to roll back: the interface's brake at standstill."""
WITHOUT_FALL_GUARD = frozenset({"DELAY_STEER_ACC_GEARED_WO_FALL_GUARD"})


def share_of_mass(car: VehicleParameters) -> float:
    """Return the mass as a share of mass and turning wheels."""
    wheels, mass_kg = car.wheels, car.body.mass_kg
    turning = 2.0 * (wheels.inertia_front_kgm2 + wheels.inertia_rear_kgm2)
    return mass_kg / (mass_kg + turning / wheels.radius_m**2)


def without_falling(accel_mps2: float, speed_mps: float, rise: float) -> float:
    """Return the acceleration on level ground that keeps a car from rolling back.

    All along the travel direction; `rise` of the road, positive uphill [-].
    """
    pull_mps2 = -GRAVITY_MPS2 * math.sin(math.atan(rise))
    if speed_mps < CREEPS_MPS and accel_mps2 + pull_mps2 <= 0.0 and pull_mps2 < 0.0:
        return min(accel_mps2, HOLD_MPS2)
    return accel_mps2
