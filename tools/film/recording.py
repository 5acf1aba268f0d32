"""A drive in lockstep, recorded: a double lane change over wet cobbles, and a hard stop on them."""

from __future__ import annotations

import math
from pathlib import Path

from vdsim_plant.motion import PedalInput
from vdsim_plant_node.live.recording_session import open_recording
from vdsim_plant_node_kit.runtime import PlainClient, lockstep_server

TICKS_PER_S = 200
DURATION_S = 8.0
_STEP_TICKS = 4  # a command each 20 ms


def command(time_s: float) -> PedalInput:
    """What the driver does [rad, pedals from 0 to 1]: weave onto the patch, brake in a bend."""
    if time_s < 4.0:
        steer = 0.09 * math.sin(2.0 * math.pi * 0.5 * time_s)
        return PedalInput(steer_rad=steer, throttle=0.2)
    return PedalInput(steer_rad=0.1, throttle=0.0, brake=0.2 if time_s < 5.0 else 0.45)


def record_drive(path: Path) -> float:
    """Write the recording; returns its length [s]."""
    client = PlainClient()
    server = lockstep_server(
        client, record=str(path), cmd_timeout=60.0, vx0=16.0, ground="low_mu_patch",
        actuators="passenger_car",
    )  # fmt: skip
    recording = open_recording(server)
    assert recording is not None
    try:
        for tick in range(0, int(DURATION_S * TICKS_PER_S), _STEP_TICKS):
            server.drive(0, command(tick / TICKS_PER_S))
            server.advance(_STEP_TICKS)
    finally:
        recording.close()
        server.close()
        client.close()
    return DURATION_S
