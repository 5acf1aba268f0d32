"""Fits the tyre curves to a car: the axle stiffness that its file states, wheel by wheel."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vdsim_plant.motion import Wheels
from vdsim_plant.parameters import Mf96Parameters, TyreParameters, VehicleParameters
from vdsim_plant.parameters.tir.index import MOST_ALPHA_RAD, MOST_KAPPA
from vdsim_plant.parameters.tir_coefficients import TirCoefficients
from vdsim_plant.tyres.curve_peak import peak_argument
from vdsim_plant.tyres.tir_forces import tir_forces, tir_peaks

_PROBE = 1e-4  # slip at which the slope of a tyre's curve is taken


@dataclass(frozen=True)
class TyreCalibration:
    """Peak slips of each wheel at its static load, and how stiff that makes the tyre.

    `peak_x`, `peak_y`: B s at the peak of the curve of the similarity.
    Stiffness over its nominal value is `stiffness_base + mu * stiffness_per_mu`;
    `stiffness_per_load` is the largest force per slip and load of all wheels, both directions;
    `peak_per_mu` is the highest |F| over mu Fz that the tyre reaches.
    """

    shape_x: float
    shape_y: float
    peak_x: float
    peak_y: float
    kappa_peak: Wheels
    alpha_peak_tangent: Wheels
    stiffness_base: float
    stiffness_per_mu: float
    stiffness_per_load: float
    peak_per_mu: float


def calibrate(vehicle: VehicleParameters, tyre: TyreParameters) -> TyreCalibration:
    """Return the calibration of a tyre of either model on a car."""
    if tyre.tir is not None:
        return _calibrate_tir(vehicle, tyre.tir)
    return _calibrate_mf96(vehicle, tyre.mf96)


def _calibrate_mf96(vehicle: VehicleParameters, tyre: Mf96Parameters) -> TyreCalibration:
    """B = C_alpha / (C D), D = mu Fz, for ONE wheel.

    The cornering stiffness of the vehicle file is that of an axle: a wheel gets half of it, at
    half of the axle's static load.
    """
    axles = vehicle.axles
    loads = vehicle.static_wheel_loads_n()
    front = axles.cornering_stiffness_front_n_per_rad / 2.0
    rear = axles.cornering_stiffness_rear_n_per_rad / 2.0
    shape_x, shape_y = tyre.longitudinal_shape, tyre.lateral_shape
    per_load_y = [s / load for s, load in zip((front, front, rear, rear), loads, strict=True)]
    per_load_x = tyre.slip_stiffness_per_load
    peak_x = _peak(shape_x, tyre.longitudinal_curvature)
    peak_y = _peak(shape_y, tyre.lateral_curvature)
    kappa_peak = peak_x * shape_x * axles.mu_nominal / per_load_x
    reach_y = peak_y * shape_y * axles.mu_nominal
    # A curve that bends upwards is steeper on its way than at 0.
    steepest_x = 1.0 - min(tyre.longitudinal_curvature, 0.0)
    steepest_y = 1.0 - min(tyre.lateral_curvature, 0.0)
    steepest_y *= 1.0 + tyre.stiffness_saturation  # at no load
    return TyreCalibration(
        shape_x=shape_x,
        shape_y=shape_y,
        peak_x=peak_x,
        peak_y=peak_y,
        kappa_peak=(kappa_peak, kappa_peak, kappa_peak, kappa_peak),
        alpha_peak_tangent=_four([reach_y / per_load for per_load in per_load_y]),
        stiffness_base=0.0,
        stiffness_per_mu=1.0 / axles.mu_nominal,
        stiffness_per_load=max(per_load_x * steepest_x, max(per_load_y) * steepest_y),
        peak_per_mu=1.0,
    )


def _calibrate_tir(vehicle: VehicleParameters, tyre: TirCoefficients) -> TyreCalibration:
    """The file holds the tyre's stiffness; a curve without a peak counts as peaking at 1."""
    c = tyre.as_array()
    kappa_peaks, tangents, stiffnesses, peak = [], [], [], 1.0
    for load in vehicle.static_wheel_loads_n():
        highest, alpha_peak, kappa_peak = map(float, tir_peaks(load, 1.0, 1.0, 1.0, 1.0, c))
        kappa_peaks.append(min(kappa_peak, MOST_KAPPA))
        tangents.append(math.tan(min(alpha_peak, MOST_ALPHA_RAD)))
        along, _ = tir_forces(_PROBE, 0.0, load, 1.0, 1.0, 0.0, c)
        _, across = tir_forces(0.0, _PROBE, load, 1.0, 1.0, 0.0, c)
        stiffnesses += [abs(along) / _PROBE / load, abs(across) / _PROBE / load]
        peak = min(peak, highest)
    return TyreCalibration(
        shape_x=1.5,
        shape_y=1.5,
        peak_x=_peak(1.5, 0.0),
        peak_y=_peak(1.5, 0.0),
        kappa_peak=_four(kappa_peaks),
        alpha_peak_tangent=_four(tangents),
        stiffness_base=1.0,
        stiffness_per_mu=0.0,
        stiffness_per_load=max(stiffnesses),
        peak_per_mu=peak,
    )


def _peak(shape: float, curvature: float) -> float:
    """Return B s at the peak."""
    if curvature == 0.0:
        return math.tan(math.pi / (2.0 * shape))
    return peak_argument(shape, curvature)


def _four(values: list[float]) -> Wheels:
    return (values[0], values[1], values[2], values[3])
