"""sin, cos and atan as polynomials: inlined, without branches, the same bits on every machine.

libm calls cannot be spread over vector lanes and differ between libraries; these can and do not.
Coefficients are Chebyshev interpolations of sin(sqrt(u))/sqrt(u) on [0, pi^2] and of
atan(sqrt(u))/sqrt(u) on [0, 1]. Error: sine and cosine 2e-15, atan 1e-11 (relative).
"""

from __future__ import annotations

from vdsim_plant.kernel.inlining import inlined

HALF_PI = 1.5707963267948966
TURN = 6.283185307179586
TURN_REST = 2.4492935982947064e-16  # 2 pi minus the float above
INVERSE_TURN = 0.15915494309189535
ROUNDING = 6755399441055744.0  # 1.5 * 2^52: adding and taking it away rounds to an integer


@inlined
def sine(z: float) -> float:
    """Return sin(z) for |z| <= pi; exactly odd."""
    u = z * z
    p = -7.29534159152157e-18
    p = p * u + 2.7921051314184287e-15
    p = p * u - 7.644892680501308e-13
    p = p * u + 1.6058881289295837e-10
    p = p * u - 2.5052101114396366e-08
    p = p * u + 2.7557319023338585e-06
    p = p * u - 1.9841269838020482e-04
    p = p * u + 8.333333333305461e-03
    p = p * u - 1.666666666666563e-01
    p = p * u + 9.99999999999999e-01
    return p * z


@inlined
def sine_and_cosine(angle: float) -> tuple[float, float]:
    """Return (sin, cos) of any angle up to about 1e6 rad; exactly odd and even."""
    turns = (angle * INVERSE_TURN + ROUNDING) - ROUNDING
    z = (angle - turns * TURN) - turns * TURN_REST
    half = sine(0.5 * z)
    return sine(z), 1.0 - 2.0 * half * half


@inlined
def arctangent(x: float) -> float:
    """Return atan(x) for x >= 0, infinity excluded."""
    large = x > 1.0
    t = (1.0 if large else x) / (x if large else 1.0)
    u = t * t
    p = 0.0004301643344842887
    p = p * u - 0.003261482693769722
    p = p * u + 0.011602312753932437
    p = p * u - 0.026271555590590766
    p = p * u + 0.043902847279665806
    p = p * u - 0.06038546861894219
    p = p * u + 0.07502230580538831
    p = p * u - 0.09051136993625582
    p = p * u + 0.1110565613546261
    p = p * u - 0.14285262485614836
    p = p * u + 0.19999980353216934
    p = p * u - 0.3333333299503701
    p = p * u + 0.9999999999902905
    a = p * t
    return HALF_PI - a if large else a


@inlined
def angle_of(y: float, x: float) -> float:
    """Return atan2(y, |x|), -pi/2 to pi/2, 0 for the zero vector; exactly odd in y."""
    rise = abs(y)
    run = abs(x)
    steep = rise > run
    long_side = rise if steep else run
    short_side = run if steep else rise
    a = arctangent(short_side / (long_side if long_side > 0.0 else 1.0))
    a = HALF_PI - a if steep else a
    return -a if y < 0.0 else a
