"""Who gets STATE in which version: fixed destinations, and senders for as long as they speak."""

from __future__ import annotations

from vdsim_plant_node.live.destinations import (
    LARGEST_SENDER_COUNT,
    SENDER_LIFETIME_S,
    Destinations,
)
from vdsim_plant_node.settings.server_settings import Endpoint

FIXED = (Endpoint("127.0.0.1", 7002), Endpoint("127.0.0.1", 7003))
A, B = ("127.0.0.1", 7002), ("127.0.0.1", 7003)
SENDER = ("127.0.0.1", 40_000)


def test_fixed_destinations_start_in_version_3_and_follow_the_commands() -> None:
    routes = Destinations(FIXED, version=None)
    assert routes.by_version(0.0) == {3: (A, B)}
    routes.on_command(SENDER, 2, 0.0)
    assert routes.by_version(0.0) == {2: (A, B)}
    routes.on_command(SENDER, 5, 0.1)
    assert routes.by_version(0.1) == {5: (A, B, SENDER)}


def test_a_configured_version_holds_for_fixed_destinations_alone() -> None:
    routes = Destinations(FIXED, version=3)
    routes.on_command(SENDER, 5, 0.0)
    assert routes.by_version(0.0) == {3: (A, B), 5: (SENDER,)}


def test_a_sender_that_is_a_fixed_destination_is_served_once() -> None:
    routes = Destinations(FIXED, version=3)
    routes.on_command(B, 4, 0.0)
    assert routes.by_version(0.0) == {3: (A,), 4: (B,)}


def test_a_silent_sender_is_forgotten() -> None:
    routes = Destinations((), version=None)
    routes.on_command(SENDER, 4, 0.0)
    assert routes.by_version(SENDER_LIFETIME_S * 0.9) == {4: (SENDER,)}
    assert routes.by_version(SENDER_LIFETIME_S * 1.5) == {4: ()}


def test_a_sender_that_speaks_stays() -> None:
    routes = Destinations((), version=None)
    for step in range(100):
        routes.on_command(SENDER, 4, 0.1 * step)
        assert routes.by_version(0.1 * step) == {4: (SENDER,)}


def test_vehicles_that_share_a_port_never_go_below_version_4() -> None:
    routes = Destinations(FIXED, version=None, lowest_version=4)
    assert routes.by_version(0.0) == {4: (A, B)}
    routes.on_command(SENDER, 3, 0.0)
    assert routes.by_version(0.0) == {4: (A, B)}
    routes.on_command(SENDER, 5, 0.0)
    assert routes.by_version(0.0) == {5: (A, B, SENDER)}


def test_a_flood_of_addresses_displaces_the_longest_silent() -> None:
    routes = Destinations((), version=None)
    for port in range(40_000, 40_000 + LARGEST_SENDER_COUNT + 5):
        routes.on_command(("127.0.0.1", port), 4, 0.0)
    served = routes.by_version(0.0)[4]
    assert len(served) == LARGEST_SENDER_COUNT
    assert ("127.0.0.1", 40_000) not in served
    assert ("127.0.0.1", 40_000 + LARGEST_SENDER_COUNT + 4) in served
