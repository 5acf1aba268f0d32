"""Stages of a substep as functions of numbers: strung together as those of kernel/stages.py.

Of these a derivative (slopes.py) and a symbolic model (mpc/casadi_model.py) are made.
"""

from __future__ import annotations

from vdsim_plant.compiled.intrinsics import fma
from vdsim_plant.kernel.equations import (
    axle_loads,
    free_spin,
    kept_stretch,
    moved_load,
    patch_lag,
    slip_length,
    speed_share,
    standing_tyre,
    transient_slip,
)
from vdsim_plant.kernel.mf96 import lateral_reach, mf96_angles, mf96_force, tyre_grip


def loads(
    vx: float,
    vy: float,
    expected_x: float,
    expected_y: float,
    weight: float,
    static_front: float,
    axle_transfer: float,
    wheel_transfer_front: float,
    wheel_transfer_rear: float,
    lift_front: float,
    lift_rear: float,
) -> tuple[float, float, float, float]:
    """Return the wheel loads [N] (wheel_loads in kernel/stages.py)."""
    front, rear = axle_loads(
        weight, static_front, axle_transfer, expected_x, lift_front, lift_rear, vx * vx + vy * vy
    )
    moved_front = moved_load(front, wheel_transfer_front, expected_y)
    moved_rear = moved_load(rear, wheel_transfer_rear, expected_y)
    return (
        0.5 * front - moved_front,
        0.5 * front + moved_front,
        0.5 * rear - moved_rear,
        0.5 * rear + moved_rear,
    )


def wheel(
    along: float,
    across: float,
    spin: float,
    stretch_x: float,
    stretch_y: float,
    load: float,
    mu: float,
    drive: float,
    balance: float,
    radius: float,
    inverse_kappa_peak: float,
    inverse_alpha_peak: float,
    shape_x: float,
    shape_y: float,
    peak_x: float,
    peak_y: float,
    inverse_peak_x: float,
    inverse_peak_y: float,
    slope_peak: float,
    curvature_x: float,
    curvature_y: float,
    grip_base: float,
    grip_loss: float,
    stiffness_loss: float,
    slip_floor: float,
    stick_length: float,
    stick_damping: float,
    stiffness_base: float,
    stiffness_per_mu: float,
    length_x: float,
    length_y: float,
    inverse_stick_speed_squared: float,
    spin_per_slope: float,
    spin_per_torque: float,
) -> tuple[float, float, float, float, float, float]:
    """Return Fx, Fy [N] in the wheel's frame, both stretches, the spin but for brakes, its gain.

    One wheel of `mf96_forces` in kernel/stages.py.
    """
    standing_length, standing_damping = standing_tyre(
        mu, stiffness_base, stiffness_per_mu, stick_length, stick_damping
    )
    stick, lag_x, lag_y, gain_x, gain_y = patch_lag(
        along, across, inverse_stick_speed_squared, slip_floor, standing_length, length_x, length_y
    )
    slip_x, slip_y, new_x, new_y, slip_per_rim = transient_slip(
        along,
        across,
        radius * spin,
        stretch_x,
        stretch_y,
        stick * standing_damping,
        lag_x,
        lag_y,
        gain_x,
        gain_y,
    )
    x = slip_x * inverse_kappa_peak
    y = slip_y * lateral_reach(inverse_alpha_peak, load, stiffness_loss)
    rho, inverse_rho, inverse_square = slip_length(x, y)
    angle_x, angle_y, unit = mf96_angles(
        rho,
        inverse_rho,
        peak_x,
        peak_y,
        inverse_peak_x,
        inverse_peak_y,
        shape_x,
        shape_y,
        curvature_x,
        curvature_y,
    )
    grip = tyre_grip(mu, load, grip_base, grip_loss)
    fx, fy, slope = mf96_force(
        x, y, angle_x, angle_y, inverse_rho, unit, x * x * inverse_square, grip, slope_peak
    )
    kept = kept_stretch(inverse_rho, stick)
    free, gain = free_spin(
        spin,
        fma(-radius, fx, drive),
        slope * (slip_per_rim * spin_per_slope * inverse_kappa_peak),
        unit,
        spin_per_torque,
        balance * speed_share(new_x, along),
    )
    return fx, fy, new_x * kept, new_y * kept, free, gain
