"""The seam between data port and server, in lockstep: simulation time, no thread, no HTTP."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest
from vdsim_plant.motion import PedalInput
from vdsim_plant_node.dataport import server_access
from vdsim_plant_node.dataport.schema import IoRequest
from vdsim_plant_node.dataport.server_access import NotAnsweringError, ServerAccess
from vdsim_plant_node.live.server import PlantServer
from vdsim_plant_node.live.sessions import build_wire_vehicles
from vdsim_plant_node.settings.options import server_settings


@pytest.fixture
def server() -> Iterator[PlantServer]:
    settings = server_settings({"cmd_port": 0, "state_port": 0, "cmd_timeout": 5.0})
    opened = PlantServer(settings, build_wire_vehicles(settings))
    yield opened
    opened.close()


def commanded_after(server: PlantServer, window: ServerAccess, request: IoRequest) -> PedalInput:
    """What the car is commanded in the tick after an io command."""
    assert asyncio.run(window.command(0, request)).applied
    server.advance(1)
    return server.vehicles[0].output.commanded


def test_a_field_left_out_keeps_what_a_step_commanded_since(server: PlantServer) -> None:
    window = ServerAccess(server, can_pause=False)
    assert commanded_after(server, window, IoRequest(throttle=1.0)).throttle == 1.0
    server.drive(0, PedalInput(0.0, 0.0, 0.5, 1, False))  # as ~/step does with set_command
    server.advance(10)
    expected = PedalInput(0.1, 0.0, 0.5, 1, False)
    assert commanded_after(server, window, IoRequest(steer_rad=0.1)) == expected


def test_a_field_left_out_keeps_what_io_commanded(server: PlantServer) -> None:
    window = ServerAccess(server, can_pause=False)
    commanded_after(server, window, IoRequest(throttle=0.7, gear=-1))
    expected = PedalInput(0.1, 0.7, 0.0, -1, False)
    assert commanded_after(server, window, IoRequest(steer_rad=0.1)) == expected


def test_a_field_left_out_starts_anew_after_a_reset(server: PlantServer) -> None:
    window = ServerAccess(server, can_pause=False)
    commanded_after(server, window, IoRequest(throttle=0.7, gear=-1))
    server.reset()
    expected = PedalInput(0.1, 0.0, 0.0, 1, False)
    assert commanded_after(server, window, IoRequest(steer_rad=0.1)) == expected


def test_what_was_not_answered_in_time_does_not_happen_later(
    server: PlantServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_access, "ANSWER_TIMEOUT_S", 0.01)
    held, release, end = threading.Event(), threading.Event(), threading.Event()

    def hold(_: PlantServer) -> None:
        held.set()
        release.wait(60.0)

    serving = threading.Thread(target=server.serve, args=(end.is_set,))
    serving.start()
    try:
        while not server.call(lambda server: server._serving).result(60.0):
            pass
        server.call(hold)
        assert held.wait(60.0)
        access = ServerAccess(server, can_pause=True)
        with pytest.raises(NotAnsweringError):
            asyncio.run(access.pause(True))
    finally:
        release.set()
        server.call(lambda _: None).result(60.0)
        end.set()
        serving.join()
    assert not server.paused
