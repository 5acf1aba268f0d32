"""The node command_mux on real ROS: sources and locks in, one stream and who drives out."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rcl_interfaces.msg import Log, SetParametersResult
from rclpy.logging import LoggingSeverity
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import Bool, UInt8
from std_srvs.srv import Trigger
from vdsim_interface.extras.mux.nodes.command_mux import CommandMuxNode
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.ros import topics
from vdsim_interface.ros.messages.message_info import sender
from vdsim_interface_kit.teleop_ros import Lab

from vdsim_msgs.msg import (
    ControlSource,
    HighLevelControlCommand,
    SourceStatus,
    VehicleControlCommand,
    VehicleOdometry,
    VehicleStateCommand,
    VehicleStateReport,
)


class Junction:
    """The mux, sources that publish while they are switched on, and a car that reports."""

    def __init__(self, *arguments: str) -> None:
        self.lab = Lab(*arguments)
        self.now_s = 100.0
        """The mux's clock: however slow the machine is, no source times out in between."""
        self.levels: list[str] = []
        interface = self.lab.add(rclpy.create_node("vehicle_interface"))
        interface.declare_parameter("control_command", "raw")
        interface.add_on_set_parameters_callback(self._on_parameters)
        self.lab.listen(HighLevelControlCommand, topics.HIGH_LEVEL_COMMAND, topics.COMMAND_QOS)
        self.lab.listen(VehicleControlCommand, topics.VEHICLE_COMMAND, topics.COMMAND_QOS)
        self.lab.listen(VehicleStateCommand, topics.STATE_COMMAND, topics.STATE_COMMAND_QOS)
        self.lab.listen(ControlSource, topics.CONTROL_SOURCE, topics.REPORT_QOS)
        self.lab.listen(DiagnosticArray, topics.DIAGNOSTICS, topics.RELIABLE_QOS)
        self.lab.listen(Log, "/rosout", topics.RELIABLE_QOS)
        self.node = self.lab.add(CommandMuxNode(lambda: self.now_s))
        make = self.lab.publisher
        self.sources = {
            name: make(HighLevelControlCommand, f"{name}/high_level_command", topics.COMMAND_QOS)
            for name in ("autonomy", "gamepad")
        }
        self.odometry = make(VehicleOdometry, topics.ODOMETRY, topics.SENSOR_QOS)
        self.report = make(VehicleStateReport, topics.STATE_REPORT, topics.REPORT_QOS)

    def _on_parameters(self, changes: list[Parameter]) -> SetParametersResult:
        for change in changes:  # set again, while its answer was lost on the way
            if self.levels[-1:] != [change.value]:
                self.levels.append(change.value)
        return SetParametersResult(successful=True)

    def publish_until(
        self, condition: Callable[[], object], what: str, car_mps: float = 0.0, **speeds_mps: float
    ) -> None:
        """Let the car report and these sources publish until something is true."""

        def published() -> object:
            self.odometry.publish(VehicleOdometry(velocity_mps=car_mps))
            self.report.publish(VehicleStateReport(mode=VehicleStateReport.MODE_AUTONOMOUS))
            for name, speed in speeds_mps.items():
                self.sources[name].publish(HighLevelControlCommand(velocity_mps=speed))
            self.lab.run(0.02)
            self.now_s += 0.02
            return condition()

        self.lab.until(published, what)

    def drives(self, name: str) -> Callable[[], bool]:
        """Whether a source is in control."""
        return lambda: bool(self.control.source == name)

    def stops(self) -> bool:
        """Whether the mux stops the car."""
        return bool(self.control.state == ControlSource.STATE_SAFE_STOP)

    @property
    def control(self) -> Any:
        heard = self.lab.heard[topics.CONTROL_SOURCE]
        return heard[-1] if heard else ControlSource()

    @property
    def health(self) -> Any:
        heard = self.lab.heard[topics.DIAGNOSTICS]
        return heard[-1].status[0] if heard else DiagnosticStatus()

    def logged(self, text: str) -> list[Any]:
        return [line for line in self.lab.heard["/rosout"] if text in line.msg]

    @property
    def speeds(self) -> list[float]:
        return [m.velocity_mps for m in self.lab.heard[topics.HIGH_LEVEL_COMMAND]]


@pytest.fixture
def junction() -> Iterator[Junction]:
    made = Junction()
    yield made
    made.lab.close()


def test_priority_silence_and_stop_are_published(junction: Junction) -> None:
    junction.lab.until(lambda: junction.lab.heard[topics.CONTROL_SOURCE], "the first status")
    assert junction.control.state == ControlSource.STATE_NONE
    until = junction.publish_until
    until(junction.drives("autonomy"), "the only source", autonomy=0.0)
    gamepad_drives = junction.drives("gamepad")
    until(gamepad_drives, "the first in priority", car_mps=5.0, autonomy=5.0, gamepad=4.0)
    names = [status.name for status in junction.control.sources]
    assert names == ["gamepad", "keyboard", "dashboard", "remote", "autonomy"]
    standby = junction.control.sources[-1]
    assert standby.state == SourceStatus.STATE_STANDBY
    assert standby.accepted > 0
    until(junction.stops, "a stop when it is silent", car_mps=5.0, autonomy=5.0)
    waits = "autonomy waits for give_back: gamepad had control"
    assert junction.control.reason == f"gamepad timed out; {waits}"
    assert junction.control.since.sec > 0
    enough = len(junction.speeds) + 10
    until(lambda: len(junction.speeds) >= enough, "a stop that is a stream", car_mps=5.0)
    until(lambda: junction.speeds[-1] < 4.0, "a speed that falls", car_mps=5.0)
    give_back = junction.lab.probe.create_client(Trigger, topics.GIVE_BACK)
    junction.lab.until(give_back.service_is_ready, "the service give_back")
    answer = give_back.call_async(Trigger.Request())
    until(answer.done, "an answer", car_mps=0.0, autonomy=1.0)
    assert answer.result().success
    until(junction.drives("autonomy"), "the car has stood", car_mps=0.0, autonomy=1.0)


def test_a_command_that_waited_for_a_stopped_process_is_not_passed_on(junction: Junction) -> None:
    """Published with the time of now, it would be fresh for the interface."""
    until = junction.publish_until
    until(junction.drives("autonomy"), "the only source", autonomy=5.0)
    until(lambda: junction.speeds and junction.speeds[-1] == 5.0, "its speed", autonomy=5.0)
    junction.sources["autonomy"].publish(HighLevelControlCommand(velocity_mps=9.0))
    junction.now_s += 1.5
    junction.lab.run(0.3)
    assert 9.0 not in junction.speeds
    words = "this process did not run for 1.5"
    junction.lab.until(lambda: junction.logged(words), "the line")
    until(lambda: junction.speeds[-1] == 6.0, "a command of now", autonomy=6.0)


def test_an_emergency_stop_is_latched_and_a_false_resets_nothing(junction: Junction) -> None:
    stop = junction.lab.publisher(Bool, topics.EMERGENCY_STOP, topics.RELIABLE_QOS)
    junction.publish_until(junction.drives("gamepad"), "a source", gamepad=0.0)
    stop.publish(Bool(data=True))
    junction.publish_until(junction.stops, "a stop", car_mps=3.0, gamepad=3.0)
    before = len(junction.lab.heard[topics.CONTROL_SOURCE])
    stop.publish(Bool(data=False))
    heard = junction.lab.heard[topics.CONTROL_SOURCE]
    junction.publish_until(lambda: len(heard) > before + 5, "more reports", gamepad=0.0)
    assert list(junction.control.active_locks) == ["emergency_stop"]


def test_an_emergency_stop_names_the_node_that_alone_sends_it_and_else_the_topic(
    junction: Junction,
) -> None:
    stop = junction.lab.publisher(Bool, topics.EMERGENCY_STOP, topics.RELIABLE_QOS)
    junction.publish_until(junction.drives("gamepad"), "a source", gamepad=0.0)
    stop.publish(Bool(data=True))
    junction.publish_until(junction.stops, "a stop", car_mps=3.0, gamepad=3.0)
    named = "emergency stop by probe (topic emergency_stop)"
    assert junction.control.reason.startswith(named)
    other = junction.lab.add(rclpy.create_node("another"))
    other.create_publisher(Bool, topics.EMERGENCY_STOP, topics.RELIABLE_QOS)
    count = junction.node.count_publishers
    junction.lab.until(lambda: count(topics.EMERGENCY_STOP) == 2, "two that may have sent it")
    assert sender(junction.node, topics.EMERGENCY_STOP) == "topic emergency_stop"


@pytest.mark.parametrize("fault", [RuntimeError("gone"), UnicodeError("no text")])
def test_a_sender_that_cannot_be_looked_up_does_not_keep_a_stop_from_being_obeyed(
    fault: Exception,
) -> None:
    class Graph:
        def get_publishers_info_by_topic(self, topic: str) -> list[object]:
            raise fault

    assert sender(Graph(), "emergency_stop") == "topic emergency_stop"


def test_a_lock_is_obeyed_and_shown(junction: Junction) -> None:
    lock = junction.lab.publisher(Bool, "stop_all/lock", topics.RELIABLE_QOS)
    junction.publish_until(junction.drives("gamepad"), "a source", gamepad=0.0)
    lock.publish(Bool(data=True))
    junction.publish_until(junction.stops, "a stop", car_mps=3.0, gamepad=3.0)
    assert list(junction.control.active_locks) == ["stop_all"]
    assert junction.control.sources[0].state == SourceStatus.STATE_LOCKED


def test_a_node_that_bypasses_the_mux_is_named_until_it_ends(junction: Junction) -> None:
    until = junction.lab.until
    until(lambda: junction.health.message == "no other publishers", "a quiet start")
    assert junction.health.name == "/command_mux: output topics"
    assert junction.health.level == DiagnosticStatus.OK
    planner = Node("planner", namespace="/stack")
    junction.lab.add(planner)
    planner.create_publisher(
        HighLevelControlCommand, f"/{topics.HIGH_LEVEL_COMMAND}", topics.COMMAND_QOS
    )
    until(lambda: junction.health.level == DiagnosticStatus.ERROR, "the error")
    words = "/stack/planner also publishes high_level_command"
    assert junction.health.message == f"{words}: it bypasses the mux and its locks"
    until(lambda: words in junction.control.reason, "control_source names it")
    assert junction.control.reason.startswith("no command received yet; ")
    until(lambda: junction.logged(words), "the line")
    junction.lab.run(2.5)
    [line] = junction.logged(words)
    assert line.level == LoggingSeverity.ERROR
    assert line.msg.endswith("let it publish autonomy/high_level_command")
    junction.lab.nodes.remove(planner)
    junction.lab.executor.remove_node(planner)
    planner.destroy_node()
    until(lambda: junction.logged("/stack/planner no longer publishes"), "its end")
    until(lambda: junction.health.level == DiagnosticStatus.OK, "all is well again")
    until(lambda: junction.control.reason == "no command received yet", "the reason alone")


def test_state_commands_pass_and_the_interface_gets_the_level(junction: Junction) -> None:
    state = junction.lab.publisher(
        VehicleStateCommand, "gamepad/state_command", topics.STATE_COMMAND_QOS
    )
    junction.publish_until(junction.drives("gamepad"), "a source", gamepad=1.0)
    state.publish(VehicleStateCommand(wiper=VehicleStateCommand.WIPER_LOW))
    received = junction.lab.heard[topics.STATE_COMMAND]
    junction.publish_until(lambda: received, "the state command", gamepad=1.0)
    assert junction.lab.heard[topics.STATE_COMMAND][-1].wiper == VehicleStateCommand.WIPER_LOW
    levels = junction.levels
    junction.publish_until(lambda: levels == ["high_level"], "the level", gamepad=1.0)
    vehicle = junction.lab.publisher(
        VehicleControlCommand, "gamepad/vehicle_command", topics.COMMAND_QOS
    )
    vehicle.publish(VehicleControlCommand(long_accel_mps2=0.5))
    junction.lab.until(lambda: junction.lab.heard[topics.VEHICLE_COMMAND], "the other level")
    junction.lab.until(lambda: junction.levels == ["high_level", "vehicle"], "the new level")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("gamepad.priority:=300", "gamepad.priority=300: must be >= 0 and <= 255"),
        ("gamepad.prioritty:=3", "gamepad.prioritty=3: no such parameter"),
        ("sources:=['a b']", "sources=a b: must be letters"),
        ("sources:=3", "sources=3: must be a list of names"),
        (
            "selector.topic:=/active",
            "selector.units=0=main 1=sub: must be like '0=main 1=sub', each",
        ),
        ("hand_over.jerk_mps3:=0.0", "hand_over.jerk_mps3=0.0: must be >= 0.1"),
    ],
)
def test_a_wrong_parameter_is_named(setting: str, message: str) -> None:
    lab = Lab("-p", setting)
    try:
        with pytest.raises(ParameterError) as caught:
            CommandMuxNode()
        assert message in str(caught.value)
    finally:
        lab.close()


def test_a_change_at_run_time_is_refused_with_the_reason(junction: Junction) -> None:
    (result,) = junction.node.set_parameters([Parameter("recover_s", value=0.1)])
    assert not result.successful
    assert "recover_s: cannot change while the node runs" in result.reason


SELECTED = (
    "selector.topic:=/active",
    "selector.field:=data",
    "selector.units:='4=autonomy 9=gamepad'",
)


def test_a_switcher_selects_who_drives_by_a_message_whose_type_is_data(
    capfd: pytest.CaptureFixture[str],
) -> None:
    words = [word for text in SELECTED for word in ("-p", text)]
    junction = Junction(*words, "-p", "selector.type:=std_msgs/msg/UInt8")
    try:
        active = junction.lab.publisher(UInt8, "/active", topics.REPORT_QOS)
        both = {"car_mps": 5.0, "autonomy": 5.0, "gamepad": 4.0}
        active.publish(UInt8(data=4))
        junction.publish_until(junction.drives("autonomy"), "the selected one", **both)
        active.publish(UInt8(data=9))
        junction.publish_until(junction.drives("gamepad"), "the other one", **both)
        taken = "gamepad took over from autonomy: gamepad was selected"
        assert junction.control.reason.startswith(taken)
        active.publish(UInt8(data=7))
        said = "the selection [7] names 0 sources: gamepad stays"
        log: list[str] = []

        def is_said() -> bool:
            # Not by /rosout: rcl loses the lines of a node whose name the process has used before.
            log.append(capfd.readouterr().err)
            return said in "".join(log)

        junction.publish_until(is_said, "a notice", **both)
    finally:
        junction.lab.close()
