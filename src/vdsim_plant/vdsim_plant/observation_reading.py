"""Builds the Observation of VDSimPlant from the numbers that the numeric core wrote for it."""

from __future__ import annotations

from vdsim_plant.motion import VehicleMotion
from vdsim_plant.observation import Observation, WheelObservation


class ObservationReader:
    """Knows the peaks of the tyre; every observation it builds is a new dictionary."""

    def __init__(self, motion: VehicleMotion) -> None:
        self._alpha_peaks = motion.slip_angle_peak_rad
        self._kappa_peaks = motion.slip_ratio_peak

    def read(self, observed: list[float]) -> Observation:
        """Return the observation of `Vehicle.observed()`."""
        x, y, psi, vx, vy, r, ax, ay, beta, roll, pitch, t = observed[:12]
        alpha_peaks = self._alpha_peaks
        kappa_peaks = self._kappa_peaks
        return {
            "X": x,
            "Y": y,
            "psi": psi,
            "vx": vx,
            "vy": vy,
            "r": r,
            "ax": ax,
            "ay": ay,
            "beta": beta,
            "roll": roll,
            "pitch": pitch,
            "t": t,
            "wheel": [
                _wheel(observed[12:20], alpha_peaks[0], kappa_peaks[0]),
                _wheel(observed[20:28], alpha_peaks[1], kappa_peaks[1]),
                _wheel(observed[28:36], alpha_peaks[2], kappa_peaks[2]),
                _wheel(observed[36:44], alpha_peaks[3], kappa_peaks[3]),
            ],
        }


def _wheel(numbers: list[float], alpha_peak: float, kappa_peak: float) -> WheelObservation:
    fx, fy, fz, alpha, kappa, mu, mu_peak, omega = numbers
    return {
        "Fx": fx,
        "Fy": fy,
        "Fz": fz,
        "alpha": alpha,
        "kappa": kappa,
        "mu": mu,
        "mu_peak": mu_peak,
        "alpha_peak": alpha_peak,
        "kappa_peak": kappa_peak,
        "omega": omega,
    }
