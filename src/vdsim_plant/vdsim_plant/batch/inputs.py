"""Writes the held inputs of a batch, as `Vehicle.hold_force` writes those of one car."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.batch.blocks import Blocks
from vdsim_plant.batch.kinds import Limits
from vdsim_plant.kernel import exchange_layout as row
from vdsim_plant.kernel import layout as at
from vdsim_plant.kernel.motor_limit import limited_drive

Array = NDArray[np.float64]
WheelRows = tuple[Array, Array]


class HeldInputs:
    """Turns steering angles and force intents into what the core reads."""

    def __init__(self, blocks: Blocks, limits: Limits, *, some_limited: bool) -> None:
        """`some_limited`: whether a motor limits cars of any kind."""
        self.limits = limits
        self._some_limited = some_limited
        self._blocks = blocks
        self._given = np.empty((2, blocks.n))
        self.may_blow = False
        """Whether the cars may hold a wind from before."""
        memory = blocks.memory.reshape(-1)
        self._hold_axles = blocks.form.hold.on(memory, limits.table, self._given)

    def hold(self, u: Array, extra: WheelRows | None) -> None:
        """Hold these from now on: n x 2, steering angle [rad] and force intent [N].

        `extra`: drive and brake torques at the wheels, n x 4, on top.
        """
        if extra is None and not self._some_limited:
            self._given[:] = u.T
            self._hold_axles(0, self._blocks.count)
        else:
            self._hold_wheels(u[:, 0], u[:, 1], extra)

    def blow(self, wind: Array | None) -> None:
        """Hold these forces [N] and moments [N m] of the wind, n x 3, from now on; none of them."""
        if wind is None and not self.may_blow:
            return
        for column in range(3):
            values = np.zeros(self._blocks.n) if wind is None else wind[:, column]
            self._blocks.put(at.WIND_X + column, values)
        self.may_blow = wind is not None

    def _hold_wheels(self, steer: Array, force: Array, extra: WheelRows | None) -> None:
        """Write torques that differ from wheel to wheel."""
        table = self.limits.table
        steer_max, force_max = table[row.STEER_MAX], table[row.FORCE_MAX]
        torque = table[row.TORQUE_PER_FORCE] * np.clip(force, -force_max, force_max)
        drives = torque >= 0.0
        front = torque * np.where(drives, table[row.DRIVE_FRONT], table[row.BRAKE_FRONT])
        rear = torque - front
        self._blocks.put(at.STEER, np.clip(steer, -steer_max, steer_max))
        drive = np.where(drives, np.stack((front, front, rear, rear)), 0.0)
        brake = np.where(drives, 0.0, -np.stack((front, front, rear, rear)))
        if extra is not None:
            most = table[row.WHEEL_TORQUE_MAX]
            drive = np.clip(drive + extra[0].T, -most, most)
            brake = np.minimum(brake + extra[1].T, most)
        if self._some_limited:
            limited = limited_drive(self._blocks.side_by_side(), drive)
            drive = np.where(self.limits.limit_to_motor, limited, drive)
        for wheel in range(4):
            self._blocks.put(at.TORQUE + wheel, drive[wheel])
            self._blocks.put(at.BRAKE + wheel, brake[wheel])
