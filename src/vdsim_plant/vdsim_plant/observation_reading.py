"""Builds the Observation of VDSimPlant from the numbers that the numeric core wrote for it."""

from __future__ import annotations

from vdsim_plant.observation import Observation, WheelObservation


def read_observation(observed: list[float]) -> Observation:
    """Return the observation of `Vehicle.observed()`; a new dictionary each time."""
    x, y, psi, vx, vy, r, ax, ay, beta, roll, pitch, t = observed[:12]
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
            _wheel(observed[12:22]),
            _wheel(observed[22:32]),
            _wheel(observed[32:42]),
            _wheel(observed[42:52]),
        ],
    }


def _wheel(numbers: list[float]) -> WheelObservation:
    fx, fy, fz, alpha, kappa, mu, mu_peak, omega, alpha_peak, kappa_peak = numbers
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
