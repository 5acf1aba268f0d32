"""Noise on what the planning simulator reports, with the deviations of Autoware's parameters."""

from __future__ import annotations

from random import Random

from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_autoware.simulator import Motion


class MeasurementNoise:
    """Gaussian noise on position, heading, speed and wheel angle; none unless it is asked for."""

    def __init__(self, parameters: SimulatorParameters, random: Random) -> None:
        self._parameters = parameters
        self._random = random

    def __call__(self, motion: Motion) -> Motion:
        """Return a motion as it is measured."""
        p = self._parameters
        if not p.add_measurement_noise:
            return motion
        noise = self._random.gauss
        return motion._replace(
            x_m=motion.x_m + noise(0.0, p.pos_noise_stddev),
            y_m=motion.y_m + noise(0.0, p.pos_noise_stddev),
            yaw_rad=motion.yaw_rad + noise(0.0, p.rpy_noise_stddev),
            vx_mps=motion.vx_mps + noise(0.0, p.vel_noise_stddev),
            wheel_angle_rad=motion.wheel_angle_rad + noise(0.0, p.steer_noise_stddev),
        )
