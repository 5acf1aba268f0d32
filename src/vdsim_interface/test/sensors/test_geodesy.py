"""East-north-up metres on the ellipsoid, against what geometry says."""

from __future__ import annotations

import math

import pytest
from vdsim_interface.sensors.geodesy import (
    ECCENTRICITY_2,
    SEMI_MAJOR_M,
    geodetic_of,
)


@pytest.mark.parametrize("origin", [(0.0, 0.0, 0.0), (37.5, 127.0, 50.0), (-89.9, -179.9, 10.0)])
def test_the_origin_is_where_it_is(origin: tuple[float, float, float]) -> None:
    lat, lon, height = geodetic_of(0.0, 0.0, 0.0, origin)
    assert lat == pytest.approx(origin[0], abs=1e-10)
    assert lon == pytest.approx(origin[1], abs=1e-10)
    assert height == pytest.approx(origin[2], abs=1e-6)


def test_up_is_up() -> None:
    lat, lon, height = geodetic_of(0.0, 0.0, 123.0, (37.5, 127.0, 50.0))
    assert (lat, lon) == (pytest.approx(37.5, abs=1e-10), pytest.approx(127.0, abs=1e-10))
    assert height == pytest.approx(173.0, abs=1e-6)


@pytest.mark.parametrize("latitude_deg", [-60.0, 0.0, 37.5, 80.0])
def test_metres_follow_the_radii_of_curvature(latitude_deg: float) -> None:
    lat = math.radians(latitude_deg)
    bulge = 1.0 - ECCENTRICITY_2 * math.sin(lat) ** 2
    meridian_m = SEMI_MAJOR_M * (1.0 - ECCENTRICITY_2) / bulge**1.5
    normal_m = SEMI_MAJOR_M / math.sqrt(bulge)
    north, _, _ = geodetic_of(0.0, 100.0, 0.0, (latitude_deg, 10.0, 0.0))
    _, east, _ = geodetic_of(100.0, 0.0, 0.0, (latitude_deg, 10.0, 0.0))
    assert math.radians(north - latitude_deg) * meridian_m == pytest.approx(100.0, abs=1e-3)
    assert math.radians(east - 10.0) * normal_m * math.cos(lat) == pytest.approx(100.0, abs=1e-3)


def test_a_tangent_plane_rises_above_the_ellipsoid() -> None:
    _, _, height = geodetic_of(10_000.0, 0.0, 0.0, (0.0, 0.0, 0.0))
    assert height == pytest.approx(10_000.0**2 / (2.0 * SEMI_MAJOR_M), rel=1e-3)
