"""The polynomials of kernel/polynomials.py, as long as float32 needs them.

Coefficients are Chebyshev interpolations on the same ranges. Error: sine 1e-9 z, atan 1.2e-7
(relative), the sine of a tyre's curve 6e-8 z and its cosine 4e-5, which only a slope can bear;
rounding adds about 1e-7.
"""

from __future__ import annotations

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.compiled.intrinsics import fma
from vdsim_plant.kernel.polynomials import HALF_PI


@inlined
def sine(z: float) -> float:
    """Return sin(z) for |z| <= pi; exactly odd."""
    u = z * z
    u2 = u * u
    even = fma(1.3611596283805796e-10, u2, 2.753580048650192e-06)
    even = fma(fma(even, u2, 0.008333321235978332), u2, 0.9999999992502204)
    odd = fma(-2.47283665104447e-08, u2, -0.00019840531555462168)
    odd = fma(odd, u2, -0.16666665921891802)
    return z * fma(odd, u, even)


@inlined
def curve_sine_and_cosine(z: float) -> tuple[float, float]:
    """Return (sin, cos) of 0 <= z <= pi, as exactly as a tyre's force and its slope need them."""
    u = z * z
    u2 = u * u
    even = fma(2.7087317655524043e-06, u2, 0.008332788468806916)
    even = fma(even, u2, 0.9999999370777358)
    odd = fma(-2.069411010213876e-08, u2, -0.00019817545051422297)
    odd = fma(odd, u2, -0.1666662073313615)
    cos_even = fma(1.8770830927479097e-05, u2, 0.04149345839543556)
    cos_even = fma(cos_even, u2, 0.9999582316201325)
    cos_odd = fma(-0.0013388508753153154, u2, -0.49978806552054783)
    return z * fma(odd, u, even), fma(cos_odd, u, cos_even)


@inlined
def arctangent(x: float, inverse: float) -> float:
    """Return atan(x) for x >= 0; `inverse` is 1 / x, which callers have at hand."""
    large = x > 1.0
    t = inverse if large else x
    u = t * t
    u2 = u * u
    even = fma(0.02378051859662378, u2, 0.09868865457940856)
    even = fma(fma(even, u2, 0.19966961829568286), u2, 0.9999998819964927)
    odd = fma(-0.004559791986139317, u2, -0.0588297531413815)
    odd = fma(fma(odd, u2, -0.14003290184552686), u2, -0.3333181265562583)
    angle = t * fma(odd, u, even)
    return HALF_PI - angle if large else angle
