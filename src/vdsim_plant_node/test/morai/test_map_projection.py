"""The map's place on the earth, against published places and the length of a meridian."""

from __future__ import annotations

import math

import pytest
from vdsim_plant_node.morai.map_projection import MapOrigin

A_M, F = 6378137.0, 1.0 / 298.257223563
E2 = F * (2.0 - F)


def meridian_m(latitude_deg: float, steps: int = 20000) -> float:
    """From the equator along a meridian, by Simpson's rule."""
    step = math.radians(latitude_deg) / steps
    total = 0.0
    for index in range(steps + 1):
        weight = 1 if index in (0, steps) else 4 if index % 2 else 2
        radius = A_M * (1.0 - E2) / (1.0 - E2 * math.sin(index * step) ** 2) ** 1.5
        total += weight * radius
    return total * step / 3.0


def test_a_published_place_is_found() -> None:
    """48.8582 N, 2.2945 E, the Eiffel tower, is 31U 448251.795 5411932.678."""
    latitude, longitude = MapOrigin(31, 448251.795, 5411932.678).position_deg(0.0, 0.0)
    assert latitude == pytest.approx(48.8582, abs=1e-7)
    assert longitude == pytest.approx(2.2945, abs=1e-7)


@pytest.mark.parametrize("latitude", [0.001, 10.0, 37.24, 60.0, 83.0])
def test_the_middle_meridian_has_its_length(latitude: float) -> None:
    northing = 0.9996 * meridian_m(latitude)
    found, longitude = MapOrigin(52, 500000.0, northing).position_deg(0.0, 0.0)
    assert found == pytest.approx(latitude, abs=1e-9)
    assert longitude == pytest.approx(129.0)


def test_steps_on_the_map_are_steps_on_the_ellipsoid() -> None:
    origin = MapOrigin()
    latitude, longitude = origin.position_deg(0.0, 0.0)
    assert (latitude, longitude) == pytest.approx((37.24, 126.77), abs=0.01)
    north, east = origin.position_deg(0.0, 100.0), origin.position_deg(100.0, 0.0)
    sine = math.sin(math.radians(latitude))
    along = A_M * (1.0 - E2) / (1.0 - E2 * sine**2) ** 1.5
    across = A_M / math.sqrt(1.0 - E2 * sine**2) * math.cos(math.radians(latitude))
    for there in (north, east):
        way = math.hypot(
            along * math.radians(there[0] - latitude), across * math.radians(there[1] - longitude)
        )
        assert way == pytest.approx(100.0, rel=1e-3), "the scale is 1 within 0.1 % there"
    assert north[0] > latitude
    assert east[1] > longitude
