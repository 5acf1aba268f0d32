"""The same drive over both wires, in virtual time: MORAI with its emulator, VDS1 with the plant."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
from vdsim_interface.extras.morai import MoraiParameters, MoraiPlatform
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.platforms.vds1 import Vds1Parameters, Vds1Platform
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import Mode, VehicleCommand
from vdsim_plant.motion import VehicleMotion
from vdsim_plant_node.live.sessions import build_wire_vehicle
from vdsim_plant_node.morai.settings import EmulatorSettings
from vdsim_plant_node.morai.world import PERIOD_S, World
from vdsim_plant_node.settings.server_settings import VehicleSettings

from vdsim_protocol import vds1

STEP_S, TICK_S = 0.01, 0.005
DRIVE_S = 18.0
SIMULATOR = ("127.0.0.1", 9093)
PARAMETERS = InterfaceParameters(
    control_command="vehicle", safety=SafetyParameters(auto_engage=True)
)
SETUP = PlatformSetup(PARAMETERS.vehicle, PARAMETERS.period_s)


@dataclass
class Run:
    """Positions of a car, every 10 ms."""

    motions: list[VehicleMotion]
    modes: list[Mode]


def command_at(now: float) -> VehicleCommand:
    """Accelerate, turn left, turn right, stop."""
    accel = 1.5 if now < 6.0 else 0.0 if now < 12.0 else -2.0
    angle = 0.04 * math.sin(2.0 * math.pi * (now - 6.0) / 6.0) if 6.0 <= now < 12.0 else 0.0
    return VehicleCommand(now, accel, angle)


def morai_run(seconds: float, **changed: str) -> Run:
    """The interface with platform morai, and the emulator, 50 Hz."""
    world = World(EmulatorSettings())
    pipeline = Pipeline(PARAMETERS, MoraiPlatform(MoraiParameters(**changed), SETUP))
    run = Run([], [])
    for step in range(round(seconds / STEP_S)):
        now = step * STEP_S
        if step % round(PERIOD_S / STEP_S) == 0:
            world.step()
            status = next(iter(world.messages())).data
            pipeline.on_datagram(status, SIMULATOR, "morai", now)
        pipeline.on_command(command_at(now), now)
        output = pipeline.tick(now)
        for datagram in output.datagrams:
            world.receive(datagram.data)
        run.motions.append(world.session.state())
        run.modes.append(output.mode)
    return run


def vds1_run(seconds: float) -> Run:
    """The interface with platform vds1, and a vehicle of the plant server, 200 Hz."""
    unit = build_wire_vehicle(VehicleSettings(), tick_s=TICK_S, substep_s=5e-4)
    pipeline = Pipeline(PARAMETERS, Vds1Platform(Vds1Parameters(), SETUP))
    receiver = vds1.Receiver(vds1.Command)
    run = Run([], [])
    for step in range(round(seconds / STEP_S)):
        now = step * STEP_S
        for tick in range(2):
            unit.tick(now + tick * TICK_S)
            for state in unit.state_datagrams({3}, now).values():
                pipeline.on_datagram(state, ("127.0.0.1", 7001), "vds1", now)
        pipeline.on_command(command_at(now), now)
        output = pipeline.tick(now)
        for datagram in output.datagrams:
            outcome = receiver.receive(datagram.data, SIMULATOR, now)
            assert isinstance(outcome, vds1.Accepted)
            unit.on_command(outcome.packet.body, 3, datagram.data, now)
        run.motions.append(unit.output.motion)
        run.modes.append(output.mode)
    return run


@pytest.fixture(scope="module")
def reference() -> Run:
    return vds1_run(DRIVE_S)


@pytest.mark.parametrize(
    ("cmd_type", "place_m", "speed_mps"),
    [("pedals", 0.3, 0.05), ("acceleration", 6.0, 0.5), ("velocity", 6.0, 0.5)],
)
def test_the_same_drive_gives_the_same_trajectory(
    cmd_type: str, place_m: float, speed_mps: float, reference: Run
) -> None:
    # With pedals only the protocols differ. With the other types the simulator computes the pedals:
    # it keeps 1.5 m/s2, where the pedal map of vds1 gives 1.53, over 97 m.
    run = morai_run(DRIVE_S, cmd_type=cmd_type)
    assert run.modes[-1] is Mode.AUTONOMOUS
    pairs = list(zip(run.motions, reference.motions, strict=True))
    farthest = max(math.hypot(a.x_m - b.x_m, a.y_m - b.y_m) for a, b in pairs)
    fastest = max(abs(a.vx_mps - b.vx_mps) for a, b in pairs)
    assert max(motion.vx_mps for motion in reference.motions) > 6.0
    assert farthest < place_m
    assert fastest < speed_mps
    assert abs(run.motions[-1].vx_mps) < 0.05
