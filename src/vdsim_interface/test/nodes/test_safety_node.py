"""The node safety_state_machine on real ROS: what it says last, and what may change at run time."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from rclpy.parameter import Parameter
from vdsim_interface.extras.stages.nodes.safety_state_machine import SafetyStateMachineNode
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.conversions import time_message, vehicle_command
from vdsim_interface.values import ControlLevel
from vdsim_interface_kit.node_bench import PERIOD_S, NodeBench, report_of_a_ready_car
from vdsim_interface_kit.teleop_ros import Lab

from vdsim_msgs.msg import (
    PlatformReport,
    SafeCommand,
    VehicleControlCommand,
    VehicleStateReport,
)

ARGUMENTS = (
    *("control_command:=vehicle", "safety.auto_engage:=true", "safety.rig:=driverless"),
    # Node and test share a thread: however slow the machine is, nothing is late.
    *("safety.report_timeout_s:=2.0", "safety.link_lost_s:=10.0"),
)


class Stage:
    """The node at vehicle level, a stage before it that commands, and a platform that reports."""

    def __init__(self) -> None:
        self.lab = Lab(*(word for each in ARGUMENTS for word in ("-p", each)))
        self.lab.listen(SafeCommand, topics.SAFE_COMMAND, topics.COMMAND_QOS)
        self.node: Any = self.lab.add(SafetyStateMachineNode())
        self.node.start()
        make = self.lab.publisher
        self.commands = make(VehicleControlCommand, topics.FILTERED_COMMAND, topics.COMMAND_QOS)
        self.notices = make(PlatformReport, topics.PLATFORM_REPORT, topics.STATE_COMMAND_QOS)

    def speak(self) -> None:
        report = report_of_a_ready_car(time.time())
        self.notices.publish(report)
        command = VehicleControlCommand(stamp=report.odometry.stamp, long_accel_mps2=0.5)
        self.commands.publish(command)
        self.lab.run(0.01)

    @property
    def last(self) -> Any:
        heard = self.lab.heard[topics.SAFE_COMMAND]
        return heard[-1] if heard else None

    def engage(self) -> None:
        def is_autonomous() -> bool:
            self.speak()
            return self.last is not None and self.last.mode == VehicleStateReport.MODE_AUTONOMOUS

        self.lab.until(is_autonomous, "autonomous mode")


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.lab.close()


def test_the_end_is_told_however_soon_after_the_last_period(stage: Stage) -> None:
    stage.engage()
    stage.node.tick(stage.node.now())
    stage.node.end()
    stage.lab.until(
        lambda: stage.last.mode == VehicleStateReport.MODE_MANUAL, "the end of autonomous mode"
    )
    assert stage.last.authority == SafeCommand.AUTHORITY_IDLE
    assert stage.last.vehicle.long_accel_mps2 == -2.5


def test_after_a_pause_commands_engage_again(stage: Stage) -> None:
    stage.engage()
    stage.node.trigger_deactivate()
    stage.lab.until(
        lambda: stage.last.mode == VehicleStateReport.MODE_MANUAL, "the end of autonomous mode"
    )
    stage.node.trigger_activate()
    stage.engage()


def test_what_the_filter_changed_is_in_the_trace() -> None:
    """A command that overtakes the filtered one before it is not taken for what that was."""
    bench = NodeBench()
    node = bench.put(SafetyStateMachineNode)
    node._output.publish = bench.said.append

    def report() -> None:
        node._on_feedback(report_of_a_ready_car(bench.now))

    def ask(angle_rad: float) -> VehicleControlCommand:
        """A command of the stack; what the filter makes of it has its time."""
        asked = VehicleControlCommand(front_wheel_angle_rad=angle_rad)
        node._on_command(vehicle_command, ControlLevel.VEHICLE, asked)
        return VehicleControlCommand(stamp=time_message(bench.now))

    def reasons(asked: float, filtered: float, overtaking: float | None = None) -> list[str]:
        result = ask(asked)
        bench.run(node, PERIOD_S, report)
        if overtaking is not None:
            ask(overtaking)
        result.front_wheel_angle_rad = filtered
        node._on_filtered(result)
        bench.run(node, PERIOD_S, report)
        assert bench.said[-1].trace.filtered.stamp == result.stamp
        return list(bench.said[-1].trace.filtered.reasons)

    try:
        bench.run(node, 0.5, report, lambda: node._on_filtered(ask(0.0)))
        assert bench.said[-1].mode == VehicleStateReport.MODE_AUTONOMOUS
        assert reasons(0.25, 0.125) == ["front_wheel_angle_rad 0.25 -> 0.125 by low_pass"]
        assert reasons(0.25, 0.25) == []
        assert reasons(0.125, 0.125, overtaking=0.25) == []
    finally:
        bench.lab.close()


def test_after_a_stall_it_is_the_stall_that_ends_autonomy_whatever_is_delivered_first() -> None:
    bench = NodeBench()
    node = bench.put(SafetyStateMachineNode)
    node._output.publish = bench.said.append

    def report(*, ready: bool = True) -> None:
        message = report_of_a_ready_car(bench.now)
        message.ready = ready
        node._on_feedback(message)

    def command() -> None:
        asked = VehicleControlCommand(stamp=time_message(bench.now))
        node._on_command(vehicle_command, ControlLevel.VEHICLE, asked)
        node._on_filtered(asked)

    try:
        bench.run(node, 0.5, report, command)
        assert bench.said[-1].mode == VehicleStateReport.MODE_AUTONOMOUS
        bench.texts.clear()
        bench.now += 1.5
        report(ready=False)
        ended = [text for text in bench.texts if "AUTONOMOUS ->" in text]
        assert ended == ["AUTONOMOUS -> DISENGAGED: this process did not run for 1.50 s"]
    finally:
        bench.lab.close()


def test_whose_clock_counts_is_start_only_at_the_start(stage: Stage) -> None:
    [refused] = stage.node.set_parameters([Parameter("use_sim_time", value=True)])
    assert not refused.successful
    assert refused.reason == "use_sim_time=True: is decided when the node starts"
    assert abs(stage.node.now() - time.monotonic()) < 1.0
    [same] = stage.node.set_parameters([Parameter("use_sim_time", value=False)])
    assert same.successful
