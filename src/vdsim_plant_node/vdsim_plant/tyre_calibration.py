"""Fits the tyre curves to a car: the axle stiffness that its file states, wheel by wheel."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vdsim_plant.motion import Wheels
from vdsim_plant.parameters import TyreParameters, VehicleParameters


@dataclass(frozen=True)
class TyreCalibration:
    """Peak slips of each wheel at its static load, and how stiff that makes the tyre.

    Stiffness over its nominal value is `stiffness_base + mu * stiffness_per_mu`;
    `stiffness_per_load` is the largest force per slip and load of all wheels, both directions;
    `peak_per_mu` is the highest |F| over mu Fz that the tyre reaches.
    """

    shape_x: float
    shape_y: float
    kappa_peak: Wheels
    alpha_peak_tangent: Wheels
    stiffness_base: float
    stiffness_per_mu: float
    stiffness_per_load: float
    peak_per_mu: float


def calibrate(vehicle: VehicleParameters, tyre: TyreParameters) -> TyreCalibration:
    """Return the calibration of MF96: B = C_alpha / (C D), D = mu Fz, for ONE wheel.

    The cornering stiffness of the vehicle file is that of an axle: a wheel gets half of it, at
    half of the axle's static load.
    """
    axles = vehicle.axles
    loads = vehicle.static_wheel_loads_n()
    front, rear = (
        axles.cornering_stiffness_front_n_per_rad / 2.0,
        axles.cornering_stiffness_rear_n_per_rad / 2.0,
    )
    shape_x, shape_y = tyre.mf96.longitudinal_shape, tyre.mf96.lateral_shape
    per_load_y = [s / load for s, load in zip((front, front, rear, rear), loads, strict=True)]
    per_load_x = tyre.mf96.slip_stiffness_per_load
    b_y = [value / (shape_y * axles.mu_nominal) for value in per_load_y]
    b_x = per_load_x / (shape_x * axles.mu_nominal)
    peak_x = math.tan(math.pi / (2.0 * shape_x)) / b_x
    peak_y = [math.tan(math.pi / (2.0 * shape_y)) / b for b in b_y]
    return TyreCalibration(
        shape_x=shape_x,
        shape_y=shape_y,
        kappa_peak=(peak_x, peak_x, peak_x, peak_x),
        alpha_peak_tangent=(peak_y[0], peak_y[1], peak_y[2], peak_y[3]),
        stiffness_base=0.0,
        stiffness_per_mu=1.0 / axles.mu_nominal,
        stiffness_per_load=max(per_load_x, *per_load_y),
        peak_per_mu=1.0,
    )
