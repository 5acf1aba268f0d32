"""The node autoware_interface on real ROS, between a probe that is Autoware and the interface."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest
from autoware_adapi_v1_msgs.msg import (
    DoorStatus,
    DoorStatusArray,
    HazardLights,
    TurnIndicators,
    VehicleStatus,
)
from autoware_adapi_v1_msgs.msg import Gear as ApiGear
from autoware_control_msgs.msg import Control
from autoware_vehicle_msgs.msg import GearCommand, GearReport, SteeringReport, VelocityReport
from autoware_vehicle_msgs.srv import ControlModeCommand
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from nav_msgs.msg import Odometry as NavOdometry
from rcl_interfaces.msg import Log
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from vdsim_autoware.adapter.ros import topics as names
from vdsim_autoware.nodes.autoware_interface import AutowareInterfaceNode
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.platforms.vds1.sensors import PACKET_TOPIC
from vdsim_interface.ros import topics
from vdsim_interface_kit.teleop_ros import Lab

from vdsim_msgs.msg import (
    CabinState,
    ModeAnswer,
    ModeRequest,
    RawControlCommand,
    VdsState,
    VehicleControlCommand,
    VehicleOdometry,
    VehicleStateCommand,
    VehicleStateReport,
)
from vdsim_msgs.srv import ChangeMode

TIER4: Any = import_module("tier4_vehicle_msgs.msg")  # in no distribution, so never a dependency
STAMP = Time(sec=1234, nanosec=5678)
NODE = "/autoware_interface"
AUTONOMOUS, MANUAL = ControlModeCommand.Request.AUTONOMOUS, ControlModeCommand.Request.MANUAL


class Scene:
    """The adapter; the probe publishes what Autoware and the interface publish."""

    def __init__(self, *parameters: str) -> None:
        self.lab = Lab(*(word for each in parameters for word in ("-p", each)))
        self.now = 100.0
        listen = self.lab.listen
        listen(VelocityReport, names.VELOCITY_STATUS, names.MOTION_QOS)
        listen(SteeringReport, names.STEERING_STATUS, names.MOTION_QOS)
        listen(GearReport, names.GEAR_STATUS, names.STATE_QOS)
        listen(DoorStatusArray, names.DOOR_STATUS, names.STATE_QOS)
        listen(VehicleControlCommand, topics.VEHICLE_COMMAND, topics.COMMAND_QOS)
        listen(VehicleStateCommand, topics.STATE_COMMAND, topics.STATE_COMMAND_QOS)
        listen(Log, "/rosout", topics.RELIABLE_QOS)
        listen(DiagnosticArray, topics.DIAGNOSTICS, topics.RELIABLE_QOS)
        self.node: Any = self.lab.add(AutowareInterfaceNode())
        self.node.now = lambda: self.now
        make = self.lab.publisher
        self.odometry = make(VehicleOdometry, topics.ODOMETRY, topics.SENSOR_QOS)
        self.motion = make(NavOdometry, topics.NAV_ODOMETRY, topics.RELIABLE_QOS)
        self.report = make(VehicleStateReport, topics.STATE_REPORT, topics.REPORT_QOS)
        self.cabin = make(CabinState, topics.CABIN_STATE, topics.STATE_COMMAND_QOS)
        self.control = make(Control, names.CONTROL, names.COMMAND_QOS)
        self.gear = make(GearCommand, names.GEAR, names.COMMAND_QOS)
        self.client = self.lab.probe.create_client(ControlModeCommand, names.CONTROL_MODE_REQUEST)
        self.lab.until(self.client.service_is_ready, "the service")
        self.mode = VehicleStateReport.MODE_AUTONOMOUS

    def reports(self) -> None:
        """The interface publishes what the vehicle reported."""
        self.now += 0.02
        odometry = VehicleOdometry(stamp=STAMP, velocity_mps=3.0, front_wheel_angle_rad=0.1)
        self.odometry.publish(odometry)
        motion = NavOdometry()
        motion.header.stamp = STAMP
        motion.twist.twist.linear.x, motion.twist.twist.linear.y = 3.0, 0.2
        motion.twist.twist.angular.z = 0.5
        self.motion.publish(motion)
        report = VehicleStateReport(mode=self.mode, gear=VehicleStateReport.GEAR_DRIVE)
        self.report.publish(report)

    def until(self, condition: Callable[[], object], what: str) -> None:
        """The vehicle reports and Autoware commands until something is true."""

        def published() -> object:
            self.reports()
            message = Control()
            message.longitudinal.velocity = 5.0
            message.longitudinal.acceleration = 1.0
            message.longitudinal.is_defined_acceleration = True
            self.control.publish(message)
            return condition()

        self.lab.until(published, what)

    def serve(self, answers: Callable[[int, ChangeMode.Response], ChangeMode.Response]) -> None:
        """The interface's service."""

        def on_request(
            request: ChangeMode.Request, response: ChangeMode.Response
        ) -> ChangeMode.Response:
            return answers(request.request, response)

        self.lab.probe.create_service(ChangeMode, topics.CHANGE_MODE, on_request)
        ready = self.node._link._change_mode.service_is_ready
        self.lab.until(ready, "the interface's service")

    def asked(self, mode: int, stamp: Time | None = None) -> bool:
        """Request a mode and wait for the answer."""
        request = ControlModeCommand.Request(mode=mode, stamp=stamp or Time())
        future = self.client.call_async(request)
        self.until(future.done, "an answer")
        return bool(future.result().success)

    def logged(self, words: str) -> bool:
        return any(words in log.msg for log in self.lab.heard["/rosout"])

    def line(self, name: str) -> list[DiagnosticStatus]:
        lines = [s for array in self.lab.heard[topics.DIAGNOSTICS] for s in array.status]
        return [line for line in lines if line.name == f"{NODE}: {name}"]


@pytest.fixture
def scene(request: pytest.FixtureRequest) -> Iterator[Scene]:
    made = Scene(*getattr(request, "param", ()))
    yield made
    made.lab.close()


PEDALS = ("command:=actuation", "actuation_status:=true")


def test_an_emergency_brakes_and_its_false_ends_it(scene: Scene) -> None:
    heard = scene.lab.heard[topics.VEHICLE_COMMAND]
    scene.until(lambda: heard and heard[-1].long_accel_mps2 > 0.0, "the car drives")
    emergency = scene.lab.publisher(TIER4.VehicleEmergencyStamped, names.EMERGENCY, names.STATE_QOS)
    emergency.publish(TIER4.VehicleEmergencyStamped(emergency=True))
    scene.until(lambda: heard[-1].long_accel_mps2 == -6.0, "it brakes")
    scene.now += 1.0
    emergency.publish(TIER4.VehicleEmergencyStamped(emergency=False))
    scene.until(lambda: heard[-1].long_accel_mps2 > 0.0, "it drives again")


def test_motion_is_that_of_the_rear_axle_at_the_time_of_receipt(scene: Scene) -> None:
    heard = scene.lab.heard
    scene.until(lambda: heard[names.VELOCITY_STATUS] and heard[names.STEERING_STATUS], "the motion")
    velocity = heard[names.VELOCITY_STATUS][-1]
    assert velocity.header.stamp == STAMP
    assert velocity.longitudinal_velocity == 3.0
    assert velocity.lateral_velocity == pytest.approx(0.2 - 1.8 * 0.5)
    assert velocity.heading_rate == 0.5
    steering = heard[names.STEERING_STATUS][-1]
    assert (steering.stamp, steering.steering_tire_angle) == (STAMP, pytest.approx(0.1))


def test_every_status_stops_while_the_vehicle_does_not_report(scene: Scene) -> None:
    heard = scene.lab.heard
    scene.until(lambda: heard[names.GEAR_STATUS], "gear_status")

    def is_noted() -> bool:
        scene.now += 1.0  # also after an odometry that was still on its way
        lines = scene.line("vehicle status")
        return bool(lines) and lines[-1].level == DiagnosticStatus.ERROR

    scene.lab.until(is_noted, "the silence in the diagnostics")
    for name in (names.GEAR_STATUS, names.VELOCITY_STATUS, names.STEERING_STATUS):
        heard[name].clear()
    heard[topics.DIAGNOSTICS].clear()
    scene.motion.publish(NavOdometry())
    scene.report.publish(VehicleStateReport(mode=VehicleStateReport.MODE_MANUAL))
    scene.lab.until(lambda: len(scene.line("vehicle status")) > 1, "a second without a report")
    assert not heard[names.GEAR_STATUS]
    assert not heard[names.VELOCITY_STATUS]
    assert not heard[names.STEERING_STATUS]
    scene.until(lambda: heard[names.GEAR_STATUS], "gear_status again")


def test_a_command_has_the_time_of_its_receipt_as_stamp(scene: Scene) -> None:
    commands = scene.lab.heard[topics.VEHICLE_COMMAND]
    before = scene.lab.probe.get_clock().now().to_msg()
    scene.until(lambda: commands, "a command")
    assert commands[0].long_accel_mps2 == 1.0
    assert (commands[0].stamp.sec, commands[0].stamp.nanosec) >= (before.sec, before.nanosec)


def test_a_gear_command_becomes_a_state_command(scene: Scene) -> None:
    requests = scene.lab.heard[topics.STATE_COMMAND]
    scene.until(lambda: scene.lab.heard[names.GEAR_STATUS], "gear_status")

    def requested() -> bool:
        scene.gear.publish(GearCommand(command=GearCommand.LOW))
        return bool(requests)

    scene.until(requested, "a state command")
    assert requests[-1].gear == VehicleStateCommand.GEAR_LOW


def test_a_publisher_that_is_not_received_is_named(scene: Scene) -> None:
    best_effort = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    scene.lab.add(Node("planner")).create_publisher(Control, names.CONTROL, best_effort)

    def is_named() -> bool:
        lines = scene.line("graph")
        return bool(lines) and f"/planner publishes {names.CONTROL}" in lines[-1].message

    scene.lab.until(is_named, "the QoS that does not match")
    assert scene.line("graph")[-1].level == DiagnosticStatus.ERROR
    assert "publish with reliability RELIABLE" in scene.line("graph")[-1].message


def test_the_doors_are_latched(scene: Scene) -> None:
    doors = scene.lab.heard[names.DOOR_STATUS]
    scene.cabin.publish(CabinState(stamp=STAMP, doors_closed=False))
    scene.lab.until(lambda: doors, "the doors")
    assert doors[0] == DoorStatusArray(stamp=STAMP, doors=[DoorStatus(status=DoorStatus.OPENED)])
    late: list[DoorStatusArray] = []
    scene.lab.probe.create_subscription(
        DoorStatusArray, names.DOOR_STATUS, late.append, names.STATE_QOS
    )
    scene.lab.until(lambda: late, "the latched doors")


@pytest.mark.parametrize("scene", [("adapi_status:=true",)], indirect=True)
def test_the_status_of_the_ad_api_has_its_own_numbers(scene: Scene) -> None:
    scene.lab.listen(VehicleStatus, names.API_STATUS, names.API_QOS)
    seen = scene.lab.heard[names.API_STATUS]
    scene.until(lambda: seen and seen[-1].steering_tire_angle, "the status")
    assert seen[-1].gear.status == ApiGear.DRIVE
    assert seen[-1].turn_indicators.status == TurnIndicators.DISABLE
    assert seen[-1].hazard_lights.status == HazardLights.DISABLE
    assert seen[-1].steering_tire_angle == pytest.approx(0.1)
    assert seen[-1].stamp == STAMP


REQUESTS, ANSWERS = topics.twin_of(names.CONTROL_MODE_REQUEST)


@pytest.mark.parametrize("granted", [True, False])
def test_a_mode_is_requested_by_topic_and_answered_with_the_reason(
    scene: Scene, granted: bool
) -> None:
    requests: list[int] = []

    def answer(number: int, response: ChangeMode.Response) -> ChangeMode.Response:
        requests.append(number)
        response.success, response.reason = granted, "" if granted else "a door is open"
        return response

    scene.serve(answer)
    scene.lab.listen(ModeAnswer, ANSWERS, topics.RELIABLE_QOS)
    asks = scene.lab.publisher(ModeRequest, REQUESTS, topics.RELIABLE_QOS)
    scene.until(lambda: scene.lab.heard[topics.VEHICLE_COMMAND], "commands")
    answers = scene.lab.heard[ANSWERS]

    def asked() -> object:
        asks.publish(ModeRequest(client=8, sequence=1, request=AUTONOMOUS))
        return answers

    scene.until(asked, "an answer")
    assert (answers[0].client, answers[0].sequence, answers[0].success) == (8, 1, granted)
    assert answers[0].reason == ("" if granted else "a door is open")
    assert requests == [ChangeMode.Request.REQUEST_ENGAGE], "asked more than once, acted on once"


def test_a_request_that_is_another_vendors_frame_does_not_engage(scene: Scene) -> None:
    """A stamp that is no time: as a Cyclone request reads where it is not discarded."""
    requests: list[int] = []

    def answer(number: int, response: ChangeMode.Response) -> ChangeMode.Response:
        requests.append(number)
        response.success = True
        return response

    scene.serve(answer)
    scene.until(lambda: scene.lab.heard[topics.VEHICLE_COMMAND], "commands")
    for stamp in (Time(sec=1, nanosec=4_000_000_000), Time(sec=-1_900_000_000, nanosec=7)):
        assert not scene.asked(AUTONOMOUS, stamp)
        assert not requests
    assert scene.asked(MANUAL, Time(sec=5, nanosec=4_000_000_000))
    assert requests == [ChangeMode.Request.REQUEST_DISENGAGE], "giving the car back is obeyed"


@pytest.mark.parametrize("granted", [True, False])
@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (AUTONOMOUS, ChangeMode.Request.REQUEST_ENGAGE),
        (MANUAL, ChangeMode.Request.REQUEST_DISENGAGE),
    ],
    ids=["autonomous", "manual"],
)
def test_the_answer_is_the_interfaces(
    scene: Scene, mode: int, expected: int, granted: bool
) -> None:
    requests: list[int] = []

    def answer(number: int, response: ChangeMode.Response) -> ChangeMode.Response:
        requests.append(number)
        response.success, response.reason = granted, "" if granted else "a door is open"
        return response

    scene.serve(answer)
    scene.until(lambda: scene.lab.heard[topics.VEHICLE_COMMAND], "commands")
    assert scene.asked(mode) is granted
    assert requests == [expected]
    if not granted:
        scene.until(lambda: scene.logged("refused: a door is open"), "the reason")


def test_two_requests_at_once_have_an_answer_each(scene: Scene) -> None:
    def answer(number: int, response: ChangeMode.Response) -> ChangeMode.Response:
        response.success = number == ChangeMode.Request.REQUEST_DISENGAGE
        return response

    scene.serve(answer)
    scene.until(lambda: scene.lab.heard[topics.VEHICLE_COMMAND], "commands")
    modes = (AUTONOMOUS, MANUAL, 99)
    futures = [scene.client.call_async(ControlModeCommand.Request(mode=mode)) for mode in modes]
    scene.until(lambda: all(future.done() for future in futures), "three answers")
    assert [future.result().success for future in futures] == [False, True, False]


def test_without_the_interface_a_request_is_refused(scene: Scene) -> None:
    scene.until(lambda: scene.lab.heard[topics.VEHICLE_COMMAND], "commands")
    assert not scene.asked(MANUAL)
    assert not scene.asked(AUTONOMOUS)


def test_an_interface_that_does_not_answer_is_a_refusal(scene: Scene) -> None:
    scene.serve(lambda _, response: response)
    scene.until(lambda: scene.lab.heard[topics.VEHICLE_COMMAND], "commands")
    client = scene.node._link._change_mode
    silent = client.call_async

    def lost(request: ChangeMode.Request) -> Any:
        """The request is sent, and its answer is lost on the way."""
        future = silent(request)
        client.remove_pending_request(future)
        return future

    client.call_async = lost
    assert not scene.asked(MANUAL)
    scene.until(lambda: scene.logged("MANUAL refused: the vehicle interface did not"), "why")


@pytest.mark.parametrize("scene", [PEDALS], indirect=True)
def test_pedals_go_in_as_a_raw_command_and_come_out_as_reported(scene: Scene) -> None:
    heard = scene.lab.heard
    scene.lab.listen(RawControlCommand, topics.RAW_COMMAND, topics.COMMAND_QOS)
    scene.lab.listen(TIER4.ActuationStatusStamped, names.ACTUATION_STATUS, names.MOTION_QOS)
    pedals = scene.lab.publisher(TIER4.ActuationCommandStamped, names.ACTUATION, names.COMMAND_QOS)
    packets = scene.lab.publisher(VdsState, PACKET_TOPIC, topics.SENSOR_QOS)
    command = TIER4.ActuationCommandStamped()
    command.actuation.accel_cmd, command.actuation.steer_cmd = 0.25, -0.1
    state = VdsState(throttle_applied=0.2, brake_applied=0.1, steering_tire_angle_applied_rad=0.3)
    state.header.stamp = STAMP

    def both() -> bool:
        pedals.publish(command)
        packets.publish(state)
        return bool(heard[topics.RAW_COMMAND] and heard[names.ACTUATION_STATUS])

    scene.until(both, "command and status")
    raw, status = heard[topics.RAW_COMMAND][-1], heard[names.ACTUATION_STATUS][-1]
    assert (raw.throttle, raw.brake, raw.front_steer) == (250, 0, -100)
    assert status.header.stamp == STAMP
    values = status.status
    assert (values.accel_status, values.brake_status, values.steer_status) == (0.2, 0.1, 0.3)
    assert not heard[topics.VEHICLE_COMMAND], "control_cmd does not drive beside it"
    heard[names.ACTUATION_STATUS].clear()
    state.throttle_applied = math.nan

    def named() -> bool:
        packets.publish(state)
        lines = scene.line("vehicle status")
        return bool(lines) and "pedals" in lines[-1].message

    scene.until(named, "the diagnostics")


@pytest.mark.parametrize("parameter", PEDALS)
def test_without_tier4_vehicle_msgs_only_what_needs_it_is_refused(
    parameter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tier4_vehicle_msgs.msg", None)
    lab = Lab("-p", parameter)
    try:
        with pytest.raises(ParameterError, match="needs the package tier4_vehicle_msgs"):
            AutowareInterfaceNode()
    finally:
        lab.close()
    plain = Lab()
    try:
        plain.add(AutowareInterfaceNode())
    finally:
        plain.close()
