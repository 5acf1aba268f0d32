"""Driving over the WebSocket: a real server, a plain client, and what attackers get."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType, WSServerHandshakeError
from hypothesis import given
from hypothesis import strategies as st
from vdsim_plant.realtime.watched_session import Drive
from vdsim_plant_node.dataport import drive_socket
from vdsim_plant_node.dataport.joy import NOTHING_HELD, STOP, STOP_HELD, asks_to_stop
from vdsim_plant_node.dataport.seats import COMMAND_BURST, MOST_PAGES
from vdsim_plant_node_kit.dataport import LivePort, live_port
from vdsim_plant_node_kit.pads import Pads
from vdsim_plant_node_kit.runtime import PlainClient

LIMIT_S = 60.0
PATIENT_S = 50.0
"""So that nothing but letting go ends a drive, however slow the machine."""
HELD = {"axes": [0.5, 0, 0, 0, 0, -1], "buttons": [0] * 9 + [1] + [0] * 11}


class Driver:
    """A page that drives, without a browser."""

    def __init__(self, session: ClientSession, port: LivePort) -> None:
        self.session, self.port = session, port

    async def connect(self, query: str = "", **headers: str) -> ClientWebSocketResponse:
        url = f"http://127.0.0.1:{self.port.number}/api/drive{query}"
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.session.ws_connect(url, headers=named)

    async def refused(self, query: str = "", **headers: str) -> int:
        with pytest.raises(WSServerHandshakeError) as caught:
            await self.connect(query, **headers)
        return caught.value.status

    def state(self) -> Any:
        return self.port.get("/api/state").json

    def is_driving(self) -> bool:
        state = self.state()
        return bool(state["driver"] == "io" and state["vx"] > 1.0)

    async def cmd_drives(self) -> None:
        """Send a CMD; it holds for PATIENT_S."""
        client = PlainClient(self.port.live.port)

        def is_driven() -> bool:
            client.send(throttle=0.0, brake=0.5)
            return bool(self.state()["driver"] == "udp")

        await self.until(is_driven)
        client.close()

    async def until(
        self, condition: Callable[[], bool], socket: Any = None, **command: Any
    ) -> None:
        """Wait; with a socket, sending a command 50 times a second."""
        end = asyncio.get_running_loop().time() + LIMIT_S
        while not condition():
            assert asyncio.get_running_loop().time() < end
            if socket is not None:
                await socket.send_str(json.dumps(command))
            await asyncio.sleep(0.02)


async def answer_of(socket: ClientWebSocketResponse) -> Any:
    return json.loads(await socket.receive_str(timeout=LIMIT_S))


async def until_closed(socket: ClientWebSocketResponse) -> int | None:
    """Receive until the server ends the connection; its close code."""
    while (await socket.receive(LIMIT_S)).type is WSMsgType.TEXT:
        pass
    return socket.close_code


def drives(port: LivePort, test: Callable[[Driver], Awaitable[None]]) -> None:
    async def run() -> None:
        async with ClientSession() as session:
            await test(Driver(session, port))

    asyncio.run(run())


@pytest.fixture(scope="module")
def port() -> Iterator[LivePort]:
    with live_port(cmd_timeout=PATIENT_S) as opened:
        yield opened


def test_a_command_holds_for_half_a_second_where_the_time_out_is_shorter() -> None:
    with live_port(cmd_timeout=0.01) as port:

        async def drive(driver: Driver) -> None:
            socket = await driver.connect()
            await socket.send_str('{"throttle": 0.1}')
            await driver.until(lambda: driver.state()["driver"] != "waiting")
            await driver.until(lambda: driver.state()["driver"] == "failsafe")
            assert driver.state()["io_age"] > 0.5
            await socket.close()

        drives(port, drive)


def test_a_page_drives_and_lets_go_at_once(port: LivePort) -> None:
    async def drive(driver: Driver) -> None:
        socket = await driver.connect()
        assert await answer_of(socket) == {"drives": "plant", "timeout": 0.5}
        await driver.until(driver.is_driving, socket, throttle=0.6, steer=0.1)
        assert await answer_of(socket) == {"applied": True, "reason": ""}
        state = driver.state()
        assert (state["driver"], state["lost"]) == ("io", False)
        before = port.live.snapshot().vehicles[0].status.failsafes
        await socket.close()
        await driver.until(lambda: port.live.snapshot().vehicles[0].status.drive is Drive.FAILSAFE)
        assert driver.state()["lost"] is False
        assert port.live.snapshot().vehicles[0].status.failsafes == before, "it was on purpose"

    drives(port, drive)


def test_a_broken_connection_is_a_loss(port: LivePort) -> None:
    async def drive(driver: Driver) -> None:
        socket = await driver.connect()
        await driver.until(driver.is_driving, socket, throttle=0.6)
        transport = socket._response.connection.transport  # type: ignore[union-attr]
        transport.abort()
        await driver.until(lambda: port.live.snapshot().vehicles[0].status.drive is Drive.FAILSAFE)
        assert driver.state()["lost"] is True

    drives(port, drive)


def test_what_is_wrong_is_named_and_does_not_drive(port: LivePort) -> None:
    async def drive(driver: Driver) -> None:
        port.post("/api/reset", {})
        socket = await driver.connect()
        await answer_of(socket)
        for text, error in (
            ("{", "body: is not JSON"),
            ("[1]", "body: must be a JSON object"),
            ('{"throttle": 2}', "throttle=2: must be a number within 0..1"),
            ('{"throttle": NaN}', "body: is not JSON"),
            ('{"axes": []}', "axes: unknown field"),
        ):
            await socket.send_str(text)
            assert (await answer_of(socket))["error"].startswith(error)
        assert driver.state()["driver"] == "waiting"
        await socket.send_bytes(b"\x00")
        assert (await socket.receive(LIMIT_S)).type is WSMsgType.CLOSE

    drives(port, drive)


def test_a_page_of_which_nothing_is_valid_takes_no_seat_and_lets_go_of_nothing(
    port: LivePort,
) -> None:
    async def drive(driver: Driver) -> None:
        port.post("/api/reset", {})
        wrong, right = await driver.connect(), await driver.connect()
        await wrong.send_str('{"throttle": 2}')
        await answer_of(wrong)
        assert "error" in await answer_of(wrong)
        await answer_of(right)
        await right.send_str('{"brake": 0.5}')
        assert (await answer_of(right))["applied"]
        await right.close()
        await driver.until(lambda: driver.state()["driver"] != "io")
        await wrong.send_str('{"throttle": 3}')
        await answer_of(wrong)
        assert port.post("/api/io", {"throttle": 0.1}).json["applied"]
        await driver.until(lambda: driver.state()["driver"] == "io")
        await wrong.close()
        again = await driver.connect()
        await answer_of(again)
        assert driver.state()["driver"] == "io", "the driver by POST drives on"
        await again.close()

    drives(port, drive)


def test_a_flood_of_commands_is_cut_off(port: LivePort) -> None:
    async def drive(driver: Driver) -> None:
        socket = await driver.connect()
        await answer_of(socket)
        closing = asyncio.ensure_future(until_closed(socket))
        while not closing.done():
            with contextlib.suppress(ConnectionError):
                for _ in range(200):
                    await socket.send_str('{"brake": 1}')
            await asyncio.sleep(0.0)
        assert await closing in (1008, 1006), "the reason, or what is left of the connection"
        await socket.close()

    drives(port, drive)


async def ping_until_closed(
    socket: ClientWebSocketResponse, *, at_once: int, pause_s: float
) -> int | None:
    """Send pings and nothing else; the close code."""
    closing = asyncio.ensure_future(until_closed(socket))

    async def ping() -> None:
        while not closing.done():
            with contextlib.suppress(ConnectionError):
                for _ in range(at_once):
                    await socket.ping()
            await asyncio.sleep(pause_s)

    await asyncio.wait_for(ping(), LIMIT_S)
    await socket.close()
    return await closing


def test_a_flood_of_pings_is_cut_off(port: LivePort) -> None:
    async def drive(driver: Driver) -> None:
        code = await ping_until_closed(await driver.connect(), at_once=200, pause_s=0.0)
        assert code in (1008, 1006), "the reason, or what is left of the connection"

    drives(port, drive)


def test_pings_are_no_commands(port: LivePort, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drive_socket, "IDLE_S", 0.5)

    async def drive(driver: Driver) -> None:
        code = await ping_until_closed(await driver.connect(), at_once=1, pause_s=0.05)
        assert code == 1008

    drives(port, drive)


def test_a_page_that_only_pings_holds_nothing() -> None:
    pads = Pads()
    with live_port(joy=pads, cmd_timeout=PATIENT_S) as port:

        async def drive(driver: Driver) -> None:
            await driver.cmd_drives()
            socket = await driver.connect()
            await driver.until(lambda: bool(pads.samples), socket, **HELD)

            async def ping() -> None:
                while pads.samples[-1] != (0, NOTHING_HELD):
                    await socket.ping()
                    await asyncio.sleep(0.05)

            await asyncio.wait_for(ping(), LIMIT_S)
            await socket.close()

        drives(port, drive)


def test_strangers_are_not_let_in(port: LivePort) -> None:
    async def drive(driver: Driver) -> None:
        assert await driver.refused(Origin="http://evil.example") == 403
        assert await driver.refused(Sec_Fetch_Site="cross-site") == 403
        assert await driver.refused("?vehicle=9") == 404
        assert port.get("/api/drive").status == 426
        assert port.get("/api/drive", Host="evil.example").status == 403

    drives(port, drive)
    with live_port(token="t" * 20) as closed:

        async def enter(driver: Driver) -> None:
            assert await driver.refused() == 401
            socket = await driver.connect(Authorization=f"Bearer {'t' * 20}")
            assert (await answer_of(socket))["drives"] == "plant"
            await socket.close()

        drives(closed, enter)


def test_one_page_drives_and_no_more_are_let_in_than_there_is_room_for() -> None:
    async def drive(driver: Driver) -> None:
        first, second = await driver.connect(), await driver.connect()
        await answer_of(second)

        async def refusal() -> Any:
            """What the second hears at the latest when both send: the first may be late."""
            while True:
                answer = await answer_of(second)
                if not answer["applied"]:
                    return answer

        heard = asyncio.ensure_future(refusal())
        while not heard.done():
            await first.send_str('{"brake": 0.5}')
            await second.send_str('{"brake": 0.1}')
            await asyncio.sleep(0.02)
        assert heard.result() == {"applied": False, "reason": "another page drives vehicle 0"}
        more = [await driver.connect() for _ in range(MOST_PAGES - 2)]
        assert await driver.refused() == 429
        for socket in (first, second, *more):
            await socket.close()

    with live_port(cmd_timeout=PATIENT_S) as port:
        drives(port, drive)


def test_with_a_vehicle_interface_the_page_is_a_gamepad() -> None:
    pads = Pads()
    with live_port(joy=pads, cmd_timeout=PATIENT_S) as port:

        async def drive(driver: Driver) -> None:
            await driver.cmd_drives()
            socket = await driver.connect()
            assert (await answer_of(socket))["drives"] == "joy"
            await socket.send_str('{"throttle": 1}')
            assert (await answer_of(socket))["error"].startswith("throttle: unknown field")
            assert pads.samples == []
            await driver.until(lambda: bool(pads.samples), socket, **HELD)
            number, sample = pads.samples[0]
            assert (number, sample.axes[5], sample.buttons[9]) == (0, -1.0, 1)
            # A page that falls silent counts as one that holds nothing, once.
            await driver.until(lambda: pads.samples[-1] == (0, NOTHING_HELD))
            count = len(pads.samples)
            await asyncio.sleep(1.2)
            assert len(pads.samples) == count
            await driver.until(lambda: len(pads.samples) > count, socket, **HELD)
            await socket.close()
            await driver.until(lambda: pads.samples[-1] == (0, NOTHING_HELD))
            state = driver.state()
            assert (state["driver"], state["io_age"]) == ("udp", None), "itself it is left alone"

        drives(port, drive)


def test_an_interface_that_ends_is_named_and_the_plant_is_not_driven_in_its_place() -> None:
    pads = Pads()
    with live_port(joy=pads, cmd_timeout=PATIENT_S) as port:

        async def drive(driver: Driver) -> None:
            socket = await driver.connect()
            assert (await answer_of(socket))["drives"] == "plant", "nobody sends CMD"
            await socket.close()
            await driver.cmd_drives()
            socket = await driver.connect()
            await answer_of(socket)
            await socket.send_str(json.dumps(HELD))
            assert (await answer_of(socket))["applied"]
            pads.subscribed = False
            await socket.send_str(json.dumps(HELD))
            answer = await answer_of(socket)
            assert answer == {"applied": False, "reason": "the vehicle interface has ended"}
            await socket.close()
            socket = await driver.connect()
            assert (await answer_of(socket))["drives"] == "plant"
            await socket.close()

        drives(port, drive)


def test_cmd_packets_have_priority() -> None:
    async def drive(driver: Driver) -> None:
        await driver.cmd_drives()
        socket = await driver.connect()
        await answer_of(socket)
        await socket.send_str('{"throttle": 1}')
        answer = await answer_of(socket)
        assert answer["applied"] is False
        assert "CMD packets drive vehicle 0" in answer["reason"]
        await socket.close()

    with live_port(cmd_timeout=PATIENT_S) as port:
        drives(port, drive)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=9),
    lambda parts: st.lists(parts, max_size=4) | st.dictionaries(st.text(max_size=9), parts),
    max_leaves=12,
)


@given(
    others=st.dictionaries(st.text(max_size=9) | st.just("axes"), JSON, max_size=5),
    buttons=st.lists(JSON, max_size=30),
    held=st.sampled_from([1, 1.0, True, -1, 2, float("nan")]),
)
def test_a_message_with_the_stop_button_asks_to_stop_whatever_else_it_holds(
    others: dict[str, Any], buttons: list[Any], held: Any
) -> None:
    document = {**others, "buttons": [*buttons[:STOP], *[0] * (STOP - len(buttons)), held]}
    assert asks_to_stop(json.dumps(document))
    document["buttons"][STOP] = 0
    assert not asks_to_stop(json.dumps(document))


@given(text=st.text() | JSON.map(json.dumps))
def test_whatever_else_arrives_is_no_stop_and_no_error(text: str) -> None:
    assert not asks_to_stop(text)
    assert not asks_to_stop("[" * 3000)


PRESSED = [0] * STOP + [1] + [0] * (20 - STOP)
STOPS = {
    "a number that JSON does not have": '{"axes": [NaN, 0, 0, 0, 0, 0], "buttons": [0, 1]}',
    "an axis out of range": json.dumps({"axes": [1.3] * 6, "buttons": PRESSED}),
    "no axes, another field": json.dumps({"x": 1, "buttons": PRESSED}),
}


@pytest.fixture(scope="module")
def with_an_interface() -> Iterator[tuple[LivePort, Pads]]:
    pads = Pads()
    with live_port(joy=pads, cmd_timeout=PATIENT_S) as opened:
        yield opened, pads


@pytest.mark.parametrize("kind", STOPS)
def test_the_page_stops_the_car_by_a_message_that_is_otherwise_refused(
    kind: str, with_an_interface: tuple[LivePort, Pads]
) -> None:
    port, pads = with_an_interface

    async def drive(driver: Driver) -> None:
        await driver.cmd_drives()
        socket = await driver.connect()
        assert (await answer_of(socket))["drives"] == "joy"
        pads.samples.clear()
        await socket.send_str(STOPS[kind])
        assert "error" in await answer_of(socket)
        assert pads.samples[0] == (0, STOP_HELD)
        await socket.close()

    drives(port, drive)


def test_a_stop_passes_from_a_second_page_and_over_the_rate_and_is_not_overtaken(
    with_an_interface: tuple[LivePort, Pads],
) -> None:
    port, pads = with_an_interface

    async def drive(driver: Driver) -> None:
        await driver.cmd_drives()
        first, second = await driver.connect(), await driver.connect()
        assert (await answer_of(second))["drives"] == "joy"
        await driver.until(lambda: bool(pads.samples), first, **HELD)
        pads.samples.clear()
        # Pressed and released in one go: the newest message counts, and the stop does, too.
        await second.send_str(json.dumps({"axes": [0] * 6, "buttons": PRESSED}))
        await second.send_str(json.dumps({"axes": [0] * 6, "buttons": [0] * 21}))
        await driver.until(lambda: (0, STOP_HELD) in pads.samples, first, **HELD)
        pads.samples.clear()
        # Of a page whose burst is whole: what the second has sent may still count as part of its.
        third = await driver.connect()
        with contextlib.suppress(ConnectionError):  # the server closes at the first one too many
            for _ in range(400):
                await third.send_str(json.dumps({"buttons": PRESSED}))
        await driver.until(
            lambda: pads.samples.count((0, STOP_HELD)) > COMMAND_BURST, first, **HELD
        )
        await first.close()

    drives(port, drive)
