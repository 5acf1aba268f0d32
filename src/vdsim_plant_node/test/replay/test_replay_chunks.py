"""What is kept of a run for the browser."""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest
from vdsim_plant.motion import PedalInput
from vdsim_plant_node.live.sessions import build_session
from vdsim_plant_node.replay.chunks import ReplayChunks
from vdsim_plant_node.runs.run_table import PlayedTick
from vdsim_plant_node.settings.server_settings import VehicleSettings, WorldOrigin

TICK_S = 0.01
ORIGIN = WorldOrigin(x_m=100.0)


def played(ticks: int, vehicles: tuple[int, ...] = (0,)) -> ReplayChunks:
    """A run: throttle for the first half, then the fail-safe."""
    sessions = {n: build_session(VehicleSettings(vehicle_id=n), substep_s=1e-3) for n in vehicles}
    chunks = ReplayChunks(TICK_S, dict.fromkeys(vehicles, ORIGIN))
    for tick in range(ticks + 1):
        drives = tick <= ticks // 2
        for number, session in sessions.items():
            if tick:
                pedals = PedalInput(throttle=0.5 if drives else 0.0, brake=0.0 if drives else 0.3)
                session.set_input(pedals)
                session.tick(TICK_S)
            drive = "waiting" if tick == 0 else "commanded" if drives else "failsafe"
            chunks.take(PlayedTick(number, drive, session.output()))
    chunks.finish()
    return chunks


def states(chunks: ReplayChunks, vehicle: int = 0) -> list[Any]:
    found: list[Any] = []
    number = 0
    while (packed := chunks.chunk(vehicle, number)) is not None:
        found += json.loads(zlib.decompress(packed))["states"]
        number += 1
    return found


def test_a_run_is_thinned_out_to_the_rate_of_a_screen() -> None:
    chunks = played(1200)
    shown = states(chunks)
    assert [state["at"] for state in shown] == pytest.approx([0.03 * k for k in range(401)])
    assert chunks.duration_s == pytest.approx(12.0)
    assert chunks.chunk_s == pytest.approx(5.01)
    assert len(json.loads(zlib.decompress(chunks.chunk(0, 0) or b""))["states"]) == 167
    assert shown[0]["x"] == 100.0
    assert shown[200]["vx"] > 1.0
    assert [state["driver"] for state in shown[:2]] == ["waiting", "commanded"]
    assert (shown[-1]["driver"], shown[-1]["lost"], shown[100]["lost"]) == ("failsafe", True, False)


def test_each_vehicle_shows_where_the_others_are() -> None:
    chunks = played(600, (1, 2))
    first, second = states(chunks, 1), states(chunks, 2)
    for mine, other in zip(first, second, strict=True):
        assert mine["others"] == {"2": [other["x"], other["y"], other["yaw"]]}
        assert (mine["vehicle"], other["vehicle"]) == (1, 2)


def test_a_run_of_one_state_and_none_at_all() -> None:
    chunks = played(0)
    assert len(states(chunks)) == 1
    assert chunks.duration_s == 0.0
    empty = ReplayChunks(TICK_S, {0: ORIGIN})
    empty.finish()
    assert (states(empty), empty.duration_s) == ([], 0.0)
    assert empty.chunk(0, -1) is None
