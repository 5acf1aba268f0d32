"""Reads a VehicleMotion of level l3: with height, rates and the travel of the springs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.motion import VehicleMotion
from vdsim_plant.motion_reading import MotionReader
from vdsim_plant.ride import layout as l3


class RideReader(MotionReader):
    """Knows what of the motion level l3 has a state for."""

    def read(self, car: NDArray[np.float64], throttle: float, brake: float) -> VehicleMotion:
        """Return the motion of a car; the pedals are passed through."""
        motion = super().read(car, throttle, brake)
        heave, roll, pitch, heave_rate, roll_rate, pitch_rate = car[l3.HEAVE : l3.WHEEL_Z].tolist()
        travel = [
            car.item(l3.WHEEL_Z + i)
            - (heave + car.item(l3.CORNER_Y + i) * roll - car.item(l3.CORNER_X + i) * pitch)
            for i in range(4)
        ]
        return replace(
            motion,
            z_m=motion.z_m + heave,
            vz_mps=heave_rate,
            roll_rate_radps=roll_rate,
            pitch_rate_radps=pitch_rate,
            suspension_compression_m=(travel[0], travel[1], travel[2], travel[3]),
        )
