"""A clock that is set back by a minute: no stage takes what it heard before for fresh."""

from collections.abc import Iterator
from typing import Any

import pytest
from vdsim_interface.extras.stages.nodes.low_pass_filter import LowPassFilterNode
from vdsim_interface.extras.stages.nodes.platform_interface import PlatformInterfaceNode
from vdsim_interface.extras.stages.nodes.safety_state_machine import SafetyStateMachineNode
from vdsim_interface.extras.stages.nodes.velocity_controller import VelocityControllerNode
from vdsim_interface.extras.stages.ros.sides import safe_command_message
from vdsim_interface.nodes.vehicle_interface import VehicleInterface
from vdsim_interface.ros.messages.conversions import time_message
from vdsim_interface.ros.stage_node import StageNode
from vdsim_interface.values import (
    Authority,
    BodyCommand,
    Gear,
    Mode,
    PlatformCommand,
    VehicleCommand,
)
from vdsim_interface_kit.node_bench import NodeBench, report_of_a_ready_car

from vdsim_interface import values
from vdsim_msgs.msg import (
    HighLevelControlCommand,
    SafeCommand,
    VehicleControlCommand,
    VehicleStateReport,
)

JUMP_S = 60.0


class Bench(NodeBench):
    """A bench whose clock can be set back."""

    def jump(self) -> None:
        self.now -= JUMP_S
        self.said.clear()

    @property
    def told_of_it(self) -> bool:
        return any(text.startswith("time jumped back") for text in self.texts)


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.lab.close()


def test_the_controller_forgets_its_command(bench: Bench) -> None:
    node = bench.put(VelocityControllerNode)
    node._output.publish = bench.said.append
    bench.run(node, 0.1, lambda: node._on_command(HighLevelControlCommand(velocity_mps=5.0)))
    assert bench.said
    bench.jump()
    bench.run(node, 0.1)
    assert bench.said == []
    assert bench.told_of_it


def test_the_filter_forgets_its_command(bench: Bench) -> None:
    node = bench.put(LowPassFilterNode)
    node._output.publish = bench.said.append
    bench.run(node, 0.1, lambda: node._on_command(VehicleControlCommand(long_accel_mps2=1.0)))
    assert bench.said
    bench.jump()
    bench.run(node, 0.1)
    assert bench.said == []
    assert bench.told_of_it


def test_the_safety_stage_ends_autonomy_and_brakes(bench: Bench) -> None:
    node = bench.put(SafetyStateMachineNode)
    node._output.publish = bench.said.append

    def report() -> None:
        node._on_feedback(report_of_a_ready_car(bench.now))

    def command() -> None:
        stamp = time_message(bench.now)
        node._on_filtered(VehicleControlCommand(stamp=stamp, long_accel_mps2=1.0))

    bench.run(node, 0.5, report, command)
    assert bench.said[-1].mode == VehicleStateReport.MODE_AUTONOMOUS
    assert bench.said[-1].vehicle.long_accel_mps2 > 0.0
    bench.jump()
    bench.run(node, 0.5, report)
    assert bench.said[-1].mode != VehicleStateReport.MODE_AUTONOMOUS
    assert bench.said[-1].authority != SafeCommand.AUTHORITY_COMMAND
    assert all(said.vehicle.long_accel_mps2 <= 0.0 for said in bench.said)
    assert bench.told_of_it


@pytest.mark.parametrize("make", [LowPassFilterNode, SafetyStateMachineNode])
def test_a_stamp_ahead_of_the_clock_is_fresh_for_the_timeout_alone(
    bench: Bench, make: type[StageNode]
) -> None:
    """Sent before the jump, received after it."""
    node = bench.put(make)
    node._is_first = False
    receive = node._on_command if make is LowPassFilterNode else node._on_filtered
    receive(VehicleControlCommand(stamp=time_message(bench.now + JUMP_S), long_accel_mps2=1.0))
    held = node.stage._command if make is LowPassFilterNode else node.side._from_stages
    assert held.stamp_s == bench.now


def test_the_platform_stage_brakes_until_the_safety_stage_speaks_again(bench: Bench) -> None:
    node = bench.put(PlatformInterfaceNode)
    encode = node.side._platform.encode

    def note(command: PlatformCommand, now: float) -> Any:
        bench.said.append(command)
        return encode(command, now)

    node.side._platform.encode = note

    def command() -> None:
        wanted = VehicleCommand(bench.now, 1.0, 0.0625, 0.0)
        body = BodyCommand(Gear.DRIVE)
        value = PlatformCommand(Authority.COMMAND, Mode.AUTONOMOUS, wanted, body)
        node._on_safe(safe_command_message(values.SafeCommand(bench.now, value)))

    bench.run(node, 0.1, command)
    assert bench.said[-1].vehicle.long_accel_mps2 == 1.0
    bench.jump()
    bench.run(node, 0.1)
    assert {said.authority for said in bench.said} == {Authority.IDLE}
    # The car is slow: the last of its speed is braked away softly.
    first, *later = [said.vehicle.long_accel_mps2 for said in bench.said]
    assert first < 0.0
    assert all(-2.5 <= accel_mps2 < -0.5 for accel_mps2 in later)
    assert {said.vehicle.front_wheel_angle_rad for said in bench.said} == {0.0625}
    assert bench.told_of_it
    bench.run(node, 0.1, command)
    assert bench.said[-1].authority is Authority.COMMAND


def test_the_whole_interface_ends_autonomy(bench: Bench) -> None:
    node = bench.put(VehicleInterface)
    on_command = node.command_callback(_vehicle_command, node.parameters.level)
    bench.run(node, 1.0, lambda: on_command(VehicleControlCommand(long_accel_mps2=1.0)))
    assert node.pipeline.mode is Mode.AUTONOMOUS
    bench.jump()
    bench.run(node, 0.1)
    assert node.pipeline.mode is not Mode.AUTONOMOUS
    assert bench.texts.count("time jumped back: the last command and report are discarded") == 1


def _vehicle_command(message: VehicleControlCommand, now: float) -> VehicleCommand:
    return VehicleCommand(now, message.long_accel_mps2, 0.0, 0.0)
