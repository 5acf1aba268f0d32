"""Writes the held inputs of a batch, as `Vehicle.hold_force` writes those of one car."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.batch.blocks import Blocks
from vdsim_plant.batch.kinds import Limits
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
        # Steer angle, drive torques, brake torques.
        self._rows = np.zeros((1 + 4 + 4, blocks.count * blocks.lanes))
        by_block = self._rows.reshape(len(self._rows), blocks.count, -1).transpose(1, 0, 2)
        self._steer_and_drive, self._brake = by_block[:, :5], by_block[:, 5:]
        self._steer_and_drive_at = blocks.memory[:, at.STEER : at.THROTTLE, :]
        self._brake_at = blocks.memory[:, at.BRAKE : at.BRAKE + 4, :]

    def hold(self, steer: Array, force: Array, extra: WheelRows | None) -> None:
        """Hold these from now on; `extra`: drive and brake torques at the wheels, n x 4, on top."""
        if extra is None and not self._some_limited:
            self._hold_axles(steer, force)
        else:
            self._hold_wheels(steer, force, extra)

    def _hold_axles(self, steer: Array, force: Array) -> None:
        """Write torques that are the same left and right."""
        limits = self.limits
        rows = self._rows
        n = self._blocks.n
        most = limits.steer_rad
        np.minimum(np.maximum(steer, -most), most, out=rows[0, :n])
        cut = np.minimum(np.maximum(force, -limits.force_n), limits.force_n)
        torque = limits.torque_per_force_m * cut
        split = np.where(torque >= 0.0, limits.drive_front, limits.brake_front)
        np.multiply(torque, split, out=rows[1, :n])
        np.subtract(torque, rows[1, :n], out=rows[3, :n])
        np.negative(rows[1:4:2], out=rows[5:8:2])
        np.maximum(rows[1:8:2], 0.0, out=rows[1:8:2])  # drive torques, then brake torques
        rows[2:9:2] = rows[1:8:2]  # both wheels of an axle alike
        if n < rows.shape[1]:
            rows[:, n:] = rows[:, n - 1 : n]
        self._steer_and_drive_at[:] = self._steer_and_drive
        self._brake_at[:] = self._brake

    def _hold_wheels(self, steer: Array, force: Array, extra: WheelRows | None) -> None:
        """Write torques that differ from wheel to wheel."""
        limits = self.limits
        torque = limits.torque_per_force_m * np.clip(force, -limits.force_n, limits.force_n)
        drives = torque >= 0.0
        front = torque * np.where(drives, limits.drive_front, limits.brake_front)
        rear = torque - front
        self._blocks.put(at.STEER, np.clip(steer, -limits.steer_rad, limits.steer_rad))
        drive = np.where(drives, np.stack((front, front, rear, rear)), 0.0)
        brake = np.where(drives, 0.0, -np.stack((front, front, rear, rear)))
        if extra is not None:
            most = limits.wheel_torque_nm
            drive = np.clip(drive + extra[0].T, -most, most)
            brake = np.minimum(brake + extra[1].T, most)
        if self._some_limited:
            limited = limited_drive(self._blocks.side_by_side(), drive)
            drive = np.where(limits.limit_to_motor, limited, drive)
        for wheel in range(4):
            self._blocks.put(at.TORQUE + wheel, drive[wheel])
            self._blocks.put(at.BRAKE + wheel, brake[wheel])
