"""The map's metres -> WGS 84: the inverse of the universal transverse Mercator projection.

Krueger's series to the fourth order in n (C. F. F. Karney, Transverse Mercator with an accuracy of
a few nanometers, 2011, equations 11, 15 and 36): below a micrometre within a zone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

SEMI_MAJOR_M = 6378137.0
FLATTENING = 1.0 / 298.257223563
SCALE = 0.9996
FALSE_EASTING_M = 500000.0
_N = FLATTENING / (2.0 - FLATTENING)
_ECCENTRICITY = math.sqrt(FLATTENING * (2.0 - FLATTENING))
RECTIFYING_M = SEMI_MAJOR_M / (1.0 + _N) * (1.0 + _N**2 / 4.0 + _N**4 / 64.0)
_BETA = (
    _N / 2.0 - 2.0 / 3.0 * _N**2 + 37.0 / 96.0 * _N**3 - _N**4 / 360.0,
    _N**2 / 48.0 + _N**3 / 15.0 - 437.0 / 1440.0 * _N**4,
    17.0 / 480.0 * _N**3 - 37.0 / 840.0 * _N**4,
    4397.0 / 161280.0 * _N**4,
)


@dataclass(frozen=True)
class MapOrigin:
    """Where the map's (0, 0) lies: zone of the northern half, easting and northing [m]."""

    utm_zone: int = 52
    easting_m: float = 302595.0
    northing_m: float = 4124145.0

    def position_deg(self, x_m: float, y_m: float) -> tuple[float, float]:
        """Latitude and longitude [deg] of a place on the map (ENU along the grid)."""
        latitude, from_middle = _inverse(self.easting_m + x_m, self.northing_m + y_m)
        middle_deg = 6.0 * self.utm_zone - 183.0
        longitude = math.remainder(middle_deg + math.degrees(from_middle), 360.0)
        return math.degrees(latitude), longitude


def _inverse(easting_m: float, northing_m: float) -> tuple[float, float]:
    """Latitude, and longitude from the zone's middle meridian [rad]."""
    xi = northing_m / (SCALE * RECTIFYING_M)
    eta = (easting_m - FALSE_EASTING_M) / (SCALE * RECTIFYING_M)
    xi_sphere, eta_sphere = xi, eta
    for order, beta in enumerate(_BETA, start=1):
        xi_sphere -= beta * math.sin(2.0 * order * xi) * math.cosh(2.0 * order * eta)
        eta_sphere -= beta * math.cos(2.0 * order * xi) * math.sinh(2.0 * order * eta)
    sine, cosine = math.sin(xi_sphere), math.cos(xi_sphere)
    conformal = sine / math.hypot(math.sinh(eta_sphere), cosine)
    return math.atan(_tangent(conformal)), math.atan2(math.sinh(eta_sphere), cosine)


def _tangent(conformal: float) -> float:
    """The tangent of the latitude with this tangent of the conformal latitude (Newton)."""
    tangent = conformal
    for _ in range(4):
        root = math.hypot(1.0, tangent)
        shift = math.sinh(_ECCENTRICITY * math.atanh(_ECCENTRICITY * tangent / root))
        seen = tangent * math.hypot(1.0, shift) - shift * root
        slope = (math.hypot(1.0, seen) * root * (1.0 - _ECCENTRICITY**2)) / (
            1.0 + (1.0 - _ECCENTRICITY**2) * tangent**2
        )
        tangent += (conformal - seen) / slope
    return tangent
