"""One sender drives: what another one sends never reaches the car, and is named."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from vdsim_plant_node.live.server import PlantServer
from vdsim_plant_node.live.strangers import MOST_LINES, Strangers
from vdsim_plant_node_kit.runtime import PlainClient, StateFrame, lockstep_server
from vdsim_protocol.vds1 import Reason

HALF_A_SECOND = 100
"""Ticks."""


@pytest.fixture
def stranger() -> Iterator[PlainClient]:
    opened = PlainClient()
    yield opened
    opened.close()


def start(client: PlainClient, stranger: PlainClient, **options: object) -> PlantServer:
    server = lockstep_server(client, **options)
    stranger.server_port = client.server_port
    return server


def pedals(server: PlantServer) -> tuple[float, float, float]:
    applied = server.vehicles[0].output.realized
    return (applied.steer_rad, applied.throttle, applied.brake)


HOSTILE = {"throttle": 1.0, "brake": 0.0, "steer": 0.5}
STRANGERS = {
    "jumps ahead": lambda step: {"seq": (1 << 30) + step * (1 << 20)},
    "starts at 0": lambda step: {"seq": 0, "timestamp": 1e6 + step},
    "counts on": lambda step: {"seq": step + 1},
}


@pytest.mark.parametrize("kind", STRANGERS)
def test_a_stranger_never_moves_a_driven_car(
    client: PlainClient, stranger: PlainClient, kind: str
) -> None:
    server = start(client, stranger, vx0=5.0)
    for step in range(200):
        client.send(throttle=0.0, brake=1.0, steer=0.0)
        server.advance(1)
        for _ in range(3):
            stranger.send(**{**HOSTILE, **STRANGERS[kind](step)})
        server.advance(1)
        assert pedals(server) == (0.0, 0.0, 1.0)
    port = server.snapshot().ports[0]
    assert port.counters.rejected[Reason.OTHER_SOURCE] == 600
    assert (port.counters.accepted, port.counters.sessions) == (200, 1)
    assert port.owners[0] == ("127.0.0.1", client.port)
    assert port.strangers[0].address == ("127.0.0.1", stranger.port)
    assert port.strangers[0].packets == 600
    link = server.snapshot().vehicles[0].status.link
    assert (link.lost, link.loss_ratio) == (0, 0.0)
    server.close()


def test_a_flood_of_strangers_is_discarded_unread_while_the_owner_drives(
    client: PlainClient, stranger: PlainClient
) -> None:
    lines: list[str] = []
    server = start(client, stranger, log=lines)
    for step in range(200):
        client.send(throttle=0.0, brake=1.0, steer=0.0)
        for _ in range(50):
            stranger.send(**{**HOSTILE, "seq": step + 1})
        server.advance(2)
        assert pedals(server) == (0.0, 0.0, 1.0)
    port = server.snapshot().ports[0]
    assert port.counters.accepted == 200
    read_n = port.counters.rejected[Reason.OTHER_SOURCE]
    assert read_n + port.discarded == 10_000
    assert read_n < 1000
    stranger.send(**{**HOSTILE, "seq": 1})
    server.advance(20)
    assert [line.rpartition(": ")[2] for line in lines if line.startswith("CMD at")] == [
        f"until it ends, or 127.0.0.1:{client.port} is silent, no other is read",
        "every sender's datagrams are read again",
    ]
    for _ in range(3 * HALF_A_SECOND + 60):
        stranger.send(**HOSTILE)
        server.advance(1)
    assert pedals(server)[1] == 0.0, "the owner's session is not released yet"
    for _ in range(HALF_A_SECOND):
        stranger.send(**HOSTILE)
        server.advance(1)
    assert pedals(server)[1] > 0.0
    server.close()


def silent_owner(
    client: PlainClient, stranger: PlainClient, server: PlantServer, seconds: float
) -> list[float]:
    """The owner drives at 5 m/s and stops sending; times at which the stranger drove [s]."""
    for _ in range(10):
        client.send(throttle=0.2, brake=0.0)
        server.advance(2)
    driven = []
    for tick in range(round(seconds * 200)):
        stranger.send(**HOSTILE)
        server.advance(1)
        if pedals(server)[1] > 0.0:
            driven.append(tick / 200)
    return driven


def test_after_its_owner_the_car_is_free_when_it_stands_and_two_seconds_have_passed(
    client: PlainClient, stranger: PlainClient
) -> None:
    server = start(client, stranger, vx0=5.0)
    driven = silent_owner(client, stranger, server, 5.0)
    by_stranger = [time_s for time_s in driven if time_s > 0.1]  # until then the owner's pedal
    assert 1.9 <= by_stranger[0] < 2.2
    assert server.snapshot().ports[0].owners[0] == ("127.0.0.1", stranger.port)
    server.close()


def test_a_moving_car_has_no_other_driver_however_long_its_owner_is_silent(
    client: PlainClient, stranger: PlainClient
) -> None:
    server = start(client, stranger, vx0=20.0, failsafe_brake=0.0)
    driven = silent_owner(client, stranger, server, 5.0)
    assert server.vehicles[0].output.motion.vx_mps > 15.0
    assert max(driven) <= 0.1
    server.reset()  # puts an end to the drive, and with it to the session
    stranger.send(**HOSTILE)
    server.advance(1)
    assert pedals(server)[1] == 1.0
    server.close()


def test_an_owner_that_is_named_keeps_the_car(client: PlainClient, stranger: PlainClient) -> None:
    named = [f"127.0.0.1:{client.port}"]
    server = start(client, stranger, vx0=5.0, allow_from=named)
    driven = silent_owner(client, stranger, server, 5.0)
    assert max(driven) <= 0.1
    counters = server.snapshot().ports[0].counters
    assert counters.rejected[Reason.SOURCE] == 1000
    client.send(seq=0, throttle=0.4, brake=0.0)
    server.advance(1)
    assert pedals(server)[1] == pytest.approx(0.4)
    server.close()


def test_an_alias_of_the_vehicle_number_is_no_second_door(
    client: PlainClient, stranger: PlainClient
) -> None:
    """A vehicle alone on its port also accepts versions without a vehicle number."""
    server = start(client, stranger, vehicle_id=5)
    client.send(version=4, vehicle_id=5, throttle=0.0, brake=1.0, steer=0.0)
    server.advance(1)
    stranger.send(version=3, **HOSTILE)
    server.advance(1)
    assert pedals(server) == (0.0, 0.0, 1.0)
    assert server.snapshot().ports[0].counters.rejected[Reason.OTHER_SOURCE] == 1
    server.close()


def test_both_addresses_are_logged_once(client: PlainClient, stranger: PlainClient) -> None:
    log: list[str] = []
    server = start(client, stranger, log=log)
    for _ in range(50):
        client.send(throttle=0.0, brake=1.0)
        stranger.send(**HOSTILE)
        server.advance(1)
    owner, other = f"127.0.0.1:{client.port}", f"127.0.0.1:{stranger.port}"
    expected = f"vehicle 0: CMD from {other} is rejected: {owner} has the session"
    assert [line for line in log if other in line] == [expected]
    server.close()


def test_a_flood_of_addresses_is_no_flood_of_lines() -> None:
    strangers, owner = Strangers(), ("127.0.0.1", 1)
    lines = [strangers.add(0, ("10.0.0.1", port), owner) for port in range(2, 5000)]
    named = [line for line in lines if line]
    assert len(named) == MOST_LINES + 1
    assert named[-1] == "more senders without permission are counted, and not named any more"
    assert strangers.latest(0).packets == 4998


def test_a_stranger_buys_no_states(client: PlainClient, stranger: PlainClient) -> None:
    server = start(client, stranger)
    client.send(version=5, throttle=0.0, brake=1.0)
    server.advance(1)
    stranger.send(version=5, **HOSTILE)
    server.advance(10)
    stranger.socket.setblocking(False)
    with pytest.raises(BlockingIOError):
        stranger.socket.recv(2048)
    assert StateFrame(client.socket.recv(2048), 0.0).vehicle_id == 0
    server.close()
