"""The MF96 tyre as equations: the usual one, and the two functions that make it the full one.

Magic Formula F = D sin(C atan(b)), b = B s, D = mu Fz (H. B. Pacejka, Tyre and Vehicle Dynamics,
ch. 4.3), combined by similarity: both slips are divided by their peak slip, the length rho of that
vector enters both curves, its direction splits the force. Hence |F| <= D for every slip.

The full one (FULL_MF96; full_loops.py) has the curvature E, C atan(b - E (b - atan b)), a friction
that falls with the load, D = mu (1 - q (Fz / Fz0 - 1)) Fz with the static load Fz0, and a lateral
stiffness that saturates over load as PAC2002's, K ~ sin(2 atan(sqrt(s) Fz / Fz0)): the slip at the
peak grows with 1 + s (Fz / Fz0)^2. Where E, q and s are 0 it has the bits of the usual one. It
costs divisions and an arctangent more for each wheel, which is why both are compiled.
"""

from __future__ import annotations

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.compiled.intrinsics import fma
from vdsim_plant.kernel.equations import FULL
from vdsim_plant.kernel.polynomials import arctangent, curve_sine_and_cosine

LEAST_GRIP = 0.1  # of mu: what a load can leave of it


@inlined
def tyre_grip(mu: float, load: float, base: float, loss: float) -> float:
    """Return D [N], the most force of a wheel; `base` and `loss` are those of `sensitive_grip`."""
    return mu * load


@inlined
def sensitive_grip(mu: float, load: float, base: float, loss: float) -> float:
    """Do as `tyre_grip` with a friction that falls with the load: `grip_share` of it is left."""
    return mu * load * grip_share(load, base, loss)


@inlined
def grip_share(load: float, base: float, loss: float) -> float:
    """Return friction at a load over that at the static one: 1 + q - Fz q / Fz0.

    `base` is 1 + q, `loss` is q / Fz0 [1/N].
    """
    share = fma(-loss, load, base)
    return LEAST_GRIP if share < LEAST_GRIP else share


@inlined
def lateral_reach(inverse_peak: float, load: float, loss: float) -> float:
    """Return 1 over the tangent of the slip angle at the peak."""
    return inverse_peak


@inlined
def saturated_reach(inverse_peak: float, load: float, loss: float) -> float:
    """Do as `lateral_reach` at a load [N]; `loss`: s / Fz0^2 [1/N2], `inverse_peak`: at no load."""
    return inverse_peak / fma(loss * load, load, 1.0)


@inlined
def curve_angle(b: float, inverse: float, curvature: float) -> tuple[float, float]:
    """Return (angle, unit) at b = B s >= 0: atan(b), and 1 over its derivative.

    `inverse` is 1 / b; `curvature` is that of `curved_angle`.
    """
    return arctangent(b, inverse), fma(b, b, 1.0)


@inlined
def curved_angle(b: float, inverse: float, curvature: float) -> tuple[float, float]:
    """Do as `curve_angle` for atan(b - E (b - atan b)), E <= 1 the curvature."""
    angle = arctangent(b, inverse)
    bent = fma(curvature, angle - b, b)
    inverse_bent = 1.0 / bent if abs(curvature) > 0.0 else inverse
    square = b * b
    rise = 1.0 - curvature * (square / (square + 1.0))
    return arctangent(bent, inverse_bent), fma(bent, bent, 1.0) / rise


FULL_MF96 = {
    "tyre_grip": sensitive_grip,
    "lateral_reach": saturated_reach,
    "curve_angle": curved_angle,
}
"""What the full tyre has in place of the usual one's."""


@inlined
def mf96_angles(
    rho: float,
    inverse_rho: float,
    peak_x: float,
    peak_y: float,
    inverse_peak_x: float,
    inverse_peak_y: float,
    shape_x: float,
    shape_y: float,
    curvature_x: float,
    curvature_y: float,
) -> tuple[float, float, float]:
    """Return what the curves along and across are sines of, and the denominator of the slope along.

    B s is `peak` rho; where E is 0 `peak` is tan(pi / 2C).
    """
    along, unit = curve_angle(peak_x * rho, inverse_peak_x * inverse_rho, curvature_x)
    across, _ = curve_angle(peak_y * rho, inverse_peak_y * inverse_rho, curvature_y)
    return shape_x * along, shape_y * across, unit


@inlined
def mf96_force(
    x: float,
    y: float,
    angle_x: float,
    angle_y: float,
    inverse_rho: float,
    unit: float,
    share: float,
    grip: float,
    slope_peak: float,
) -> tuple[float, float, float]:
    """Return (Fx, Fy, `unit` times the slope of Fx over x), the slope not below 0.

    The slope is a fraction, so that `free_spin` divides once for all. `grip` is D [N],
    `slope_peak` is C times `peak` of `mf96_angles`.
    """
    curve, rise = curve_sine_and_cosine(angle_x)
    curve = (FULL if curve > FULL else curve) * inverse_rho
    across, _ = curve_sine_and_cosine(angle_y)
    across = (FULL if across > FULL else across) * inverse_rho
    slope = fma(share, slope_peak * rise, fma(-share, curve, curve) * unit)
    slope = 0.0 if slope < 0.0 else slope
    return grip * curve * x, grip * across * y, grip * slope
