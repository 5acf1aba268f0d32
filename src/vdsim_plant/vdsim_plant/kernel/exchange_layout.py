"""What the tables mean that exchange.py reads. Plain constants: they load no compiler."""

from __future__ import annotations

# --- rows of a table of limits, which has one column for all cars or one for each
STEER_MAX = 0  # [rad]
FORCE_MAX = 1  # of an intent [N]
TORQUE_PER_FORCE = 2  # at a wheel, of the torques of one side [m]
DRIVE_FRONT = 3  # share of the front axle
BRAKE_FRONT = 4
WHEEL_TORQUE_MAX = 5  # [N m]
LIMITS = 6

# --- what a table of rests says of a field that has none
NO_REST = -1.0  # the block has all digits of it
TIME = -2.0  # it is substeps times dt, and substeps has a rest
