"""Local east-north-up metres -> latitude, longitude and height on the WGS 84 ellipsoid."""

import math

SEMI_MAJOR_M = 6378137.0
FLATTENING = 1.0 / 298.257223563
ECCENTRICITY_2 = FLATTENING * (2.0 - FLATTENING)
LATITUDE_STEPS = 5
"""Of the fixed-point iteration; each gains more than two digits near the surface."""

Geodetic = tuple[float, float, float]
"""Latitude [deg], longitude [deg], height above the ellipsoid [m]."""


def geodetic_of(east_m: float, north_m: float, up_m: float, origin: Geodetic) -> Geodetic:
    """Convert a point of the tangent plane at `origin` to geodetic coordinates."""
    lat, lon = math.radians(origin[0]), math.radians(origin[1])
    sin_lat, cos_lat = math.sin(lat), math.cos(lat)
    x0, y0, z0 = _earth_centred(lat, lon, origin[2])
    outward = cos_lat * up_m - sin_lat * north_m
    x = x0 + math.cos(lon) * outward - math.sin(lon) * east_m
    y = y0 + math.sin(lon) * outward + math.cos(lon) * east_m
    z = z0 + cos_lat * north_m + sin_lat * up_m
    return _geodetic(x, y, z)


def _earth_centred(lat_rad: float, lon_rad: float, height_m: float) -> Geodetic:
    normal_m = _normal_m(lat_rad)
    radius = (normal_m + height_m) * math.cos(lat_rad)
    return (
        radius * math.cos(lon_rad),
        radius * math.sin(lon_rad),
        (normal_m * (1.0 - ECCENTRICITY_2) + height_m) * math.sin(lat_rad),
    )


def _normal_m(lat_rad: float) -> float:
    """Length of the normal from the surface to the axis [m]."""
    return SEMI_MAJOR_M / math.sqrt(1.0 - ECCENTRICITY_2 * math.sin(lat_rad) ** 2)


def _geodetic(x: float, y: float, z: float) -> Geodetic:
    radius = math.hypot(x, y)
    lat = math.atan2(z, radius * (1.0 - ECCENTRICITY_2))
    for _ in range(LATITUDE_STEPS):
        lat = math.atan2(z + ECCENTRICITY_2 * _normal_m(lat) * math.sin(lat), radius)
    # This form of the height is as exact at the poles as at the equator.
    normal_m = _normal_m(lat)
    height = radius * math.cos(lat) + z * math.sin(lat) - SEMI_MAJOR_M**2 / normal_m
    return math.degrees(lat), math.degrees(math.atan2(y, x)), height
