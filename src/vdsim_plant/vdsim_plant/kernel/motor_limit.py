"""What the motor can give at the present speed, in plain Python: for inputs that are torques.

The pedal path has the motor in the loop over substeps (stages.py). Torques and forces are asked of
the wheels; `share_possible` tells which share of them a car with this motor can deliver. The same
operations for one car and for the lanes of a block, so that both have the same bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.kernel import layout as at

Array = NDArray[np.float64]


def limited_drive(car: Array, drive: Array) -> Array:
    """Return the drive torques at the wheels (4, or 4 x n) that the motor can give [N m].

    `car` is a buffer, of one car or of n side by side. The torques that drive are reduced in
    proportion where their sum exceeds what the motor gives at the present speed, and so are those
    that brake: the distribution over the wheels stays.
    """
    possible = most_torque(car)
    return drive * np.where(
        drive > 0.0,
        _share(possible, _over_wheels(np.maximum(drive, 0.0))),
        _share(possible, _over_wheels(np.maximum(-drive, 0.0))),
    )


def most_torque(car: Array) -> Array:
    """Return the sum of the wheels' torques at full throttle and the present speed [N m]."""
    front = 0.5 * (car[at.SPIN] + car[at.SPIN + 1])
    rear = 0.5 * (car[at.SPIN + 2] + car[at.SPIN + 3])
    split = car[at.MOTOR_SPLIT_FRONT]
    speed = np.abs(split * front + (1.0 - split) * rear) * car[at.MOTOR_RATIO]
    place = np.clip(speed * car[at.MOTOR_STEP_INVERSE], 0.0, at.MOTOR_POINTS - 1.001)
    below = place.astype(np.int64)
    table = car[at.MOTOR_TABLE : at.MOTOR_TABLE + at.MOTOR_POINTS]
    low = np.take_along_axis(table, below[np.newaxis], axis=0)[0]
    high = np.take_along_axis(table, below[np.newaxis] + 1, axis=0)[0]
    gain = car[at.MOTOR_GAIN_FRONT] + car[at.MOTOR_GAIN_REAR]
    torque: Array = 2.0 * gain * (low + (place - below) * (high - low))
    return torque


def _over_wheels(torques: Array) -> Array:
    total: Array = (torques[0] + torques[1]) + (torques[2] + torques[3])
    return total


def _share(possible: Array, asked: Array) -> Array:
    share: Array = np.minimum(possible / np.maximum(asked, 1e-9), 1.0)
    return share
