"""The node gamepad_teleop on real ROS: Joy in, commands, state commands and ChangeMode out."""

from collections.abc import Callable, Iterator

import pytest
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Joy
from std_msgs.msg import String
from vdsim_interface.extras.teleop.nodes.gamepad_teleop import GamepadTeleopNode
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.ros import topics
from vdsim_interface.teleop.mapping import Action
from vdsim_interface_kit.teleop import GAMEPADS, PlayedPad
from vdsim_interface_kit.teleop_ros import Lab

from vdsim_msgs.msg import (
    ControlSource,
    HighLevelControlCommand,
    VehicleOdometry,
    VehicleStateCommand,
    VehicleStateReport,
)
from vdsim_msgs.srv import ChangeMode

COMMAND = "gamepad/high_level_command"
STATE = "gamepad/state_command"
MAPPING = ("-p", f"joy_config:={GAMEPADS / 'xbox.yaml'}")
STEP_S = 0.05


class Desk:
    """A pad, the node, and a stand-in for the interface."""

    def __init__(self) -> None:
        self.lab = Lab(*MAPPING)
        self.pad = PlayedPad()
        self.now_s = 100.0
        """The node's clock: however slow the machine is, the pad is not silent in between."""
        self.asked: list[int] = []
        self.lab.probe.create_service(ChangeMode, topics.CHANGE_MODE, self._answer)
        self.lab.listen(HighLevelControlCommand, COMMAND, topics.COMMAND_QOS)
        self.lab.listen(VehicleStateCommand, STATE, topics.STATE_COMMAND_QOS)
        self.node = self.lab.add(GamepadTeleopNode())
        self.node.now = lambda: self.now_s
        self.joy = self.lab.publisher(Joy, topics.JOY, QoSProfile(depth=10))
        self.odometry = self.lab.publisher(VehicleOdometry, topics.ODOMETRY, topics.SENSOR_QOS)
        self.report = self.lab.publisher(VehicleStateReport, topics.STATE_REPORT, topics.REPORT_QOS)

    def _answer(
        self, request: ChangeMode.Request, response: ChangeMode.Response
    ) -> ChangeMode.Response:
        self.asked.append(request.request)
        response.success, response.reason = False, "a door is open"
        return response

    def publish(self, duration_s: float, speed_mps: float = 0.0) -> None:
        """The pad and the car publish for a while."""
        for _ in range(round(duration_s / STEP_S)):
            axes, buttons = self.pad.joy()
            self.joy.publish(Joy(axes=list(axes), buttons=list(buttons)))
            self.odometry.publish(VehicleOdometry(velocity_mps=speed_mps))
            self.report.publish(
                VehicleStateReport(
                    gear=VehicleStateReport.GEAR_DRIVE,
                    mode=VehicleStateReport.MODE_AUTONOMOUS,
                    hand_brake=True,
                )
            )
            self.pass_time()

    def pass_time(self) -> None:
        """The node runs, and its clock goes on."""
        self.lab.run(STEP_S)
        self.now_s += STEP_S

    def publish_until(self, condition: Callable[[], object], what: str, speed_mps: float) -> None:
        """The pad and the car publish until something is true."""
        self.lab.until(lambda: self.publish(STEP_S, speed_mps) or condition(), what)

    def silent_until(self, condition: Callable[[], object], what: str) -> None:
        """Nobody publishes until something is true."""
        self.lab.until(lambda: self.pass_time() or condition(), what)

    @property
    def speeds(self) -> list[float]:
        return [message.velocity_mps for message in self.lab.heard[COMMAND]]


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.lab.close()


def test_joy_drives_and_silence_stops(desk: Desk) -> None:
    desk.publish(0.3)
    assert desk.speeds == []
    desk.pad.hold("deadman")
    desk.pad.pedal("throttle", 1.0)
    desk.publish_until(lambda: desk.speeds and desk.speeds[-1] > 3.0, "the car to drive", 3.0)
    fastest = desk.speeds[-1]
    count = len(desk.speeds)
    desk.silent_until(lambda: desk.speeds[-1] < fastest - 0.5, "the stop after Joy fell silent")
    assert len(desk.speeds) > count, "a stop is a stream of commands"
    stamps = [m.stamp.sec + m.stamp.nanosec * 1e-9 for m in desk.lab.heard[COMMAND]]
    assert stamps == sorted(stamps)
    assert stamps[-1] > 1e9, "stamped with the ROS clock"


def test_a_pad_that_cannot_be_read_stops_the_car(desk: Desk) -> None:
    desk.publish(0.3)
    desk.pad.hold("deadman")
    desk.lab.until(lambda: desk.publish(0.1) or desk.speeds, "the pad commands")
    desk.joy.publish(bytes(4))
    core = desk.node.core
    desk.lab.until(lambda: "a Joy message has 0 axes" in core.pad.intent().why, "the reason")


def test_a_give_back_by_somebody_else_ends_the_commands_until_the_dead_man_is_held_again(
    desk: Desk,
) -> None:
    control = desk.lab.publisher(ControlSource, topics.CONTROL_SOURCE, topics.REPORT_QOS)
    control.publish(ControlSource(given_back_n=3))
    desk.lab.until(lambda: desk.node.control is not None, "the first control_source")
    desk.publish(0.3)
    desk.pad.hold("deadman")
    desk.publish_until(lambda: desk.speeds, "the person to command", 3.0)
    control.publish(ControlSource(given_back_n=4))
    desk.lab.until(lambda: desk.node.control.given_back_n == 4, "the give_back")
    desk.publish(0.2, 3.0)
    count = len(desk.speeds)
    desk.publish(0.5, 3.0)
    assert len(desk.speeds) == count
    desk.pad.hold("deadman", False)
    desk.publish(0.5, 3.0)
    assert len(desk.speeds) == count, "no stop, whose stream would hide that the person let go"
    desk.pad.hold("deadman")
    desk.publish_until(lambda: len(desk.speeds) > count, "the person to take over again", 3.0)


def test_unplugging_is_heard_on_its_own_topic(desk: Desk) -> None:
    who = desk.lab.publisher(String, topics.JOY_DEVICE, topics.REPORT_QOS)
    who.publish(String(data="Xbox pad"))
    desk.publish(0.3)
    desk.pad.hold("deadman")
    desk.publish(0.5)
    who.publish(String(data=""))
    core = desk.node.core
    desk.lab.until(lambda: "disconnected" in core.pad.intent().why, "the loss is noticed")


def test_buttons_become_state_commands_and_mode_requests(desk: Desk) -> None:
    desk.publish(0.3)
    desk.pad.hold(Action.HAZARD)
    desk.publish(0.2)
    desk.lab.until(lambda: desk.lab.heard[STATE], "the state command")
    asked = desk.lab.heard[STATE][-1]
    assert asked.blinker == VehicleStateCommand.BLINKER_HAZARD
    assert asked.hand_brake, "what was not asked for stays as reported"
    assert not asked.autonomous
    desk.pad.hold(Action.ENGAGE)
    desk.publish(0.2)
    station = desk.node.station
    desk.lab.until(lambda: station.last_refusal, "the answer of ChangeMode")
    assert desk.asked == [ChangeMode.Request.REQUEST_ENGAGE]
    assert station.last_refusal == "engage refused: a door is open"


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("driver.accel_max_mps2:=-1.0", "driver.accel_max_mps2=-1.0: must be >= 0.1"),
        ("joy_config:=nothing", "joy_config=nothing: must be auto, a file or one of"),
        ("driver.acel:=1.0", "driver.acel=1.0: no such parameter"),
        ("source:=my pad", "source=my pad: must be letters"),
    ],
)
def test_a_wrong_parameter_is_named(setting: str, message: str) -> None:
    lab = Lab("-p", setting)
    try:
        with pytest.raises((ParameterError, ValueError)) as caught:
            GamepadTeleopNode()
        assert message in str(caught.value)
    finally:
        lab.close()
