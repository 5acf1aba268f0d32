"""The connections of the data port: a limit, an end to waiting, and streams for everybody."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import ClassVar

import pytest
from vdsim_plant_node.dataport.connections import Connections
from vdsim_plant_node.dataport.stream_slots import LARGEST_STREAM_COUNT, SAFE_AGE_S, StreamSlots

PATIENCE_S = 60.0


class Answering(asyncio.Protocol):
    """Keeps what it is sent, and its transport."""

    made: ClassVar[list[Answering]] = []

    def __init__(self) -> None:
        self.transport: asyncio.BaseTransport | None = None
        self.received = b""
        self.made.append(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.received += data


async def with_server(connections: Connections, use: Callable[[int], Awaitable[None]]) -> None:
    server = await asyncio.get_running_loop().create_server(connections, "127.0.0.1", 0)
    try:
        await use(server.sockets[0].getsockname()[1])
    finally:
        server.close()


@pytest.fixture(autouse=True)
def _fresh() -> None:
    Answering.made.clear()


async def ends(reader: asyncio.StreamReader) -> None:
    """Wait until the other side has closed."""
    with suppress(ConnectionResetError):
        assert await asyncio.wait_for(reader.read(), PATIENCE_S) == b""


def test_a_connection_that_only_waits_is_closed_though_it_trickles() -> None:
    async def use(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)

        async def trickle() -> None:
            while True:
                writer.write(b"G")
                await asyncio.sleep(0.01)

        trickling = asyncio.create_task(trickle())
        await ends(reader)
        trickling.cancel()
        writer.close()
        assert Answering.made[0].received

    asyncio.run(with_server(Connections(Answering, idle_s=0.1), use))


def test_the_longest_waiting_one_gives_way_and_one_at_work_does_not() -> None:
    connections = Connections(Answering, idle_s=1000.0, most=2)

    async def use(port: int) -> None:
        first = await asyncio.open_connection("127.0.0.1", port)
        second = await asyncio.open_connection("127.0.0.1", port)
        while len(Answering.made) < 2 or Answering.made[1].transport is None:
            await asyncio.sleep(0.001)
        connections.began(Answering.made[0].transport)
        third = await asyncio.open_connection("127.0.0.1", port)
        await ends(second[0])
        connections.began(Answering.made[2].transport)
        fourth = await asyncio.open_connection("127.0.0.1", port)
        await ends(fourth[0])  # all are at work
        connections.ended(Answering.made[0].transport)
        fifth = await asyncio.open_connection("127.0.0.1", port)
        await ends(first[0])
        for _, writer in (first, second, third, fourth, fifth):
            writer.close()

    asyncio.run(with_server(connections, use))


def test_a_stream_slot_cannot_be_kept_for_ever() -> None:
    slots, ended = StreamSlots(), []
    for number in range(LARGEST_STREAM_COUNT):
        assert slots.take(number, lambda n=number: ended.append(n), 0.1 * number)  # type: ignore[misc]
    assert not slots.take("new", lambda: None, SAFE_AGE_S - 0.01)
    assert ended == []
    assert slots.take("new", lambda: None, SAFE_AGE_S)
    assert ended == [0]
    slots.give_back(0)  # its own end comes later
    assert len(slots) == LARGEST_STREAM_COUNT
    slots.give_back(5)
    assert slots.take("next", lambda: None, SAFE_AGE_S)
    assert ended == [0]
