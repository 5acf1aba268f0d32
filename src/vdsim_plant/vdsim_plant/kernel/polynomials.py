"""sin, cos, atan and exp as polynomials: without branches, the same bits on every machine.

libm calls cannot be spread over vector lanes and differ between libraries; these can and do not.
Coefficients are Chebyshev interpolations of sin(sqrt(u))/sqrt(u) on [0, pi^2], of
atan(sqrt(u))/sqrt(u) on [0, 1] and of exp on [-0.5, 0.5]. Error: sine and cosine 2e-15, atan 1e-11,
exp 1e-12 (relative).
"""

from __future__ import annotations

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.compiled.intrinsics import fma, rounded

HALF_PI = 1.5707963267948966
TURN = 6.283185307179586
TURN_REST = 2.4492935982947064e-16  # 2 pi minus the float above
INVERSE_TURN = 0.15915494309189535


@inlined
def sine(z: float) -> float:
    """Return sin(z) for |z| <= pi; exactly odd."""
    u = z * z
    u2 = u * u
    u4 = u2 * u2
    a = fma(-1.666666666666563e-01, u, 9.99999999999999e-01)
    b = fma(-1.9841269838020482e-04, u, 8.333333333305461e-03)
    c = fma(-2.5052101114396366e-08, u, 2.7557319023338585e-06)
    d = fma(-7.644892680501308e-13, u, 1.6058881289295837e-10)
    e = fma(-7.29534159152157e-18, u, 2.7921051314184287e-15)
    low = fma(b, u2, a)
    high = fma(e, u4, fma(d, u2, c))
    return z * fma(high, u4, low)


@inlined
def sine_and_cosine(angle: float) -> tuple[float, float]:
    """Return (sin, cos) of any angle up to about 1e6 rad; exactly odd and even."""
    turns = rounded(angle * INVERSE_TURN)
    z = fma(-turns, TURN_REST, fma(-turns, TURN, angle))
    half = sine(0.5 * z)
    return sine(z), fma(-2.0 * half, half, 1.0)


@inlined
def curve_sine_and_cosine(z: float) -> tuple[float, float]:
    """Return (sin, cos) of 0 <= z <= pi, as exactly as a tyre's force and its slope need them.

    The error of the sine is 7e-12 z; that of the cosine 8e-7, which only a slope can bear.
    """
    u = z * z
    u2 = u * u
    even = fma(1.589647453347059e-10, u2, 2.7556701970341756e-06)
    even = fma(fma(even, u2, 8.333333143185814e-03), u2, 0.999999999993119)
    odd = fma(-6.610123743444017e-13, u2, -2.5038681868588084e-08)
    odd = fma(fma(odd, u2, -1.984125439331171e-04), u2, -0.1666666665774057)
    cos_even = fma(2.4201479340390762e-05, u2, 4.165973316165681e-02)
    cos_odd = fma(-2.1967044653253825e-07, u2, -1.3858663490028424e-03)
    cos_even = fma(cos_even, u2, 0.999999199841345)
    cos_odd = fma(cos_odd, u2, -0.4999941581671388)
    return z * fma(odd, u, even), fma(cos_odd, u, cos_even)


@inlined
def arctangent(x: float, inverse: float) -> float:
    """Return atan(x) for x >= 0; `inverse` is 1 / x, which callers have at hand."""
    large = x > 1.0
    t = inverse if large else x
    u = t * t
    u2 = u * u
    even = fma(-0.003261482693769722, u2, -0.026271555590590766)
    even = fma(fma(even, u2, -0.06038546861894219), u2, -0.09051136993625582)
    even = fma(fma(even, u2, -0.14285262485614836), u2, -0.3333333299503701)
    odd = fma(0.0004301643344842887, u2, 0.011602312753932437)
    odd = fma(fma(odd, u2, 0.043902847279665806), u2, 0.07502230580538831)
    odd = fma(fma(odd, u2, 0.1110565613546261), u2, 0.19999980353216934)
    angle = t * fma(fma(odd, u, even), u, 0.9999999999902905)
    return HALF_PI - angle if large else angle


@inlined
def angle_of(y: float, x: float) -> float:
    """Return atan(y / |x|), -pi/2 to pi/2, and 0 for the zero vector; exactly odd in y."""
    rise = abs(y)
    run = abs(x)
    steep = rise > run
    long_side = rise if steep else run
    short_side = run if steep else rise
    long_side = long_side if long_side > 0.0 else 1.0
    angle = arctangent(short_side / long_side, 1.0)
    angle = HALF_PI - angle if steep else angle
    return -angle if y < 0.0 else angle


@inlined
def exponential(x: float) -> float:
    """Return exp(x) for |x| <= 32, beyond it that of 32 or -32."""
    t = 0.015625 * x
    size = abs(t)
    size = 0.5 if size > 0.5 else size
    t = -size if t < 0.0 else size
    u = t * t
    even = fma(2.7701192460753063e-07, u, 2.4801227340637918e-05)
    even = fma(fma(even, u, 0.0013888889282736125), u, 0.04166666666490811)
    even = fma(fma(even, u, 0.500000000000022), u, 1.0)
    odd = fma(2.7730036317499872e-06, u, 0.0001984083765941337)
    odd = fma(fma(odd, u, 0.008333333806228239), u, 0.16666666664555094)
    power = fma(fma(odd, u, 1.000000000000264), t, even)
    power2 = power * power
    power4 = power2 * power2
    power8 = power4 * power4
    power16 = power8 * power8
    power32 = power16 * power16
    return power32 * power32
