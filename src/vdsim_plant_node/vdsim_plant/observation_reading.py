"""Builds the Observation of VDSimPlant from the numeric core's buffer."""

from __future__ import annotations

import math

from vdsim_plant.kernel import layout as at
from vdsim_plant.motion_reading import sideslip
from vdsim_plant.observation import Observation, WheelObservation
from vdsim_plant.vehicle import Vehicle


class ObservationReader:
    """Reads one vehicle, over and over; every observation is a new dictionary."""

    def __init__(self, vehicle: Vehicle) -> None:
        self._vehicle = vehicle
        motion = vehicle.motion()
        self._peaks = tuple(zip(motion.slip_angle_peak_rad, motion.slip_ratio_peak, strict=True))

    def read(self) -> Observation:
        """Return the present state."""
        v = self._vehicle.numbers()
        roll, pitch = self._vehicle.attitude(v)
        return {
            "X": v[at.X],
            "Y": v[at.Y],
            "psi": v[at.YAW],
            "vx": v[at.VX],
            "vy": v[at.VY],
            "r": v[at.YAW_RATE],
            "ax": v[at.AX],
            "ay": v[at.AY],
            "beta": sideslip(v[at.VX], v[at.VY]),
            "roll": roll,
            "pitch": pitch,
            "t": v[at.SUBSTEPS] * v[at.DT],
            "wheel": [self._wheel(v, 0), self._wheel(v, 1), self._wheel(v, 2), self._wheel(v, 3)],
        }

    def _wheel(self, v: list[float], i: int) -> WheelObservation:
        alpha_peak, kappa_peak = self._peaks[i]
        mu = v[at.MU + i]
        return {
            "Fx": v[at.FX + i],
            "Fy": v[at.FY + i],
            "Fz": v[at.FZ + i],
            "alpha": 0.0 - math.atan(v[at.SLIP_Y + i]),
            "kappa": v[at.SLIP_X + i],
            "mu": mu,
            "mu_peak": mu,
            "alpha_peak": alpha_peak,
            "kappa_peak": kappa_peak,
            "omega": v[at.SPIN + i],
        }
