"""Cornering stiffness of each tyre at its present load, for Ego Vehicle Status."""

from __future__ import annotations

from vdsim_plant.motion import VehicleMotion, Wheels
from vdsim_plant.tyres.tir_forces import tir_forces
from vdsim_plant.vehicle import Vehicle
from vdsim_plant.vehicle_characteristics import axle_stiffness_n_per_rad

_SMALL_SLIP_RAD = 1e-4


class TyreStiffness:
    """The slope of the side force over the slip angle, at zero slip."""

    def __init__(self, vehicle: Vehicle) -> None:
        parameters, tyre = vehicle.parameters, vehicle.tyre
        self._mu_nominal = parameters.axles.mu_nominal
        self._tir = None if tyre.tir is None else tyre.tir.as_array()
        front, rear = axle_stiffness_n_per_rad(parameters, tyre)
        axles = (front / 2.0, front / 2.0, rear / 2.0, rear / 2.0)
        loads = parameters.static_wheel_loads_n()
        self._per_load = [one / load for one, load in zip(axles, loads, strict=True)]

    def of(self, motion: VehicleMotion) -> Wheels:
        """The stiffness of FL, FR, RL, RR [N/rad]; 0 for a wheel that carries nothing."""
        wheels = zip(self._per_load, motion.tire_fz_n, motion.wheel_mu, strict=True)
        first, second, third, fourth = (self._stiffness(*wheel) for wheel in wheels)
        return first, second, third, fourth

    def _stiffness(self, per_load: float, load_n: float, mu: float) -> float:
        if load_n <= 0.0:
            return 0.0
        if self._tir is None:  # MF96: in proportion to load and friction
            return per_load * load_n * mu / self._mu_nominal
        _, across_n = tir_forces(0.0, _SMALL_SLIP_RAD, load_n, mu, 1.0, 0.0, self._tir)
        return abs(float(across_n)) / _SMALL_SLIP_RAD
