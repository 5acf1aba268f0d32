"""The fast way to a STATE gives the same bytes as the way that says what each number means."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import pytest
from vdsim_plant.actuator import ActuatorLayer
from vdsim_plant.ground import Ground
from vdsim_plant.layer_files import load_actuator, load_sensor
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.sensor import SensorLayer
from vdsim_plant.session import SimSession
from vdsim_plant.vehicle import Vehicle
from vdsim_plant_node.live.state_block import StateBlock
from vdsim_plant_node.live.wire_state import state_of
from vdsim_plant_node.settings.server_settings import WorldOrigin

from vdsim_protocol import vds1

SLOPED = Ground(base_mu=0.6, slope_x=0.05, slope_y=-0.02)
INPUTS = (
    PedalInput(0.08, 0.7, 0.0, 1, False),
    PedalInput(-0.3, 0.0, 0.9, 1, False),
    PedalInput(0.5, 1.0, 0.0, -1, False),
    PedalInput(0.0, 0.2, 0.1, 0, True),
)


def check(session: SimSession, block: StateBlock, origin: WorldOrigin) -> None:
    time_s = block.fill(session.frame())
    output = session.output()
    assert time_s == output.time_s
    state = state_of(output, origin)
    for version in vds1.VERSIONS:
        vehicle_id = 7 if version >= 4 else 0
        head = {"seq": 3, "version": version, "vehicle_id": vehicle_id}
        slow = vds1.encode_state(state, timestamp_s=output.time_s, **head)
        assert block.datagram(time_s, **head) == slow


@pytest.mark.parametrize("level", ["kinematic", "l1", "l2", "l3"])
@pytest.mark.parametrize("layers", [False, True])
@pytest.mark.parametrize("origin", [WorldOrigin(), WorldOrigin(1e3, -2e5, 12.5)])
def test_both_ways_give_the_same_bytes(level: str, layers: bool, origin: WorldOrigin) -> None:
    session = SimSession(
        Vehicle("ioniq5_awd", None, SLOPED, level=level),
        initial=InitialState(x_m=-5.0, yaw_rad=3.0, vx_mps=14.0),
        actuators=ActuatorLayer(load_actuator("passenger_car")) if layers else None,
        sensors=SensorLayer(load_sensor("automotive"), seed=3) if layers else None,
    )
    block = StateBlock(session.vehicle, origin)
    check(session, block, origin)
    for tick in range(400):
        session.set_input(INPUTS[tick // 100])
        session.tick(0.005)
        if tick % 7 == 0:
            check(session, block, origin)


def test_a_field_that_nothing_computes_fails_at_the_first_tick(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = SimSession(Vehicle("ioniq5_awd"))
    monkeypatch.setattr(StateBlock, "_fill_loads", lambda *_: None)
    block = StateBlock(session.vehicle, WorldOrigin())
    with pytest.raises(vds1.LayoutError, match="rack_torque_nm, susp_compression_m"):
        block.fill(session.frame())


@pytest.mark.parametrize("yaw_rad", [math.pi, -math.pi, 3.5, -100.0, 0.0])
def test_the_yaw_is_brought_into_its_range(yaw_rad: float) -> None:
    session = SimSession(Vehicle("ioniq5_awd"), initial=InitialState(yaw_rad=yaw_rad))
    check(session, StateBlock(session.vehicle, WorldOrigin()), WorldOrigin())


SERVER_START = """
import sys
import vdsim_plant_node.cli.realtime
from vdsim_plant.session import SimSession
from vdsim_plant.vehicle import Vehicle
from vdsim_plant_node.settings.server_settings import WorldOrigin
from vdsim_plant_node.live.state_block import StateBlock
session = SimSession(Vehicle())
session.tick(0.005)
block = StateBlock(session.vehicle, WorldOrigin())
block.fill(session.frame())
print([name for name in ("numba", "scipy", "aiohttp", "matplotlib") if name in sys.modules])
"""


def test_a_server_starts_without_the_compiler() -> None:
    SimSession(Vehicle())  # compiled by now, if it ever has to be
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", SERVER_START],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert done.stdout.strip() == "[]"
