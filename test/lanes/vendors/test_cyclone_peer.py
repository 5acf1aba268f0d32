"""A program on Cyclone DDS beside the stack on Fast DDS: what crosses, what does not, who says so.

The peer has Autoware's messages and ours as Cyclone's own types. Services do not cross: their
requests are framed in another way, and Fast DDS discards them unanswered.
"""

# No future annotations: Cyclone reads the types of the fields themselves.

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from vdsim_kit.ports import free_ports

os.environ["CYCLONEDDS_URI"] = (
    '<CycloneDDS><Domain id="any"><General><AllowMulticast>false</AllowMulticast><Interfaces>'
    '<NetworkInterface address="127.0.0.1" multicast="false"/></Interfaces></General><Discovery>'
    "<ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>100</MaxAutoParticipantIndex>"
    '<Peers><Peer address="127.0.0.1"/></Peers></Discovery></Domain></CycloneDDS>'
)

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import float32, int32, sequence, uint8, uint32, uint64
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 120.0
AUTONOMOUS, MANUAL, DRIVE = 1, 4, 2
GIVEN_BACK = (4, 5)
"""Control modes once autonomy has ended."""
RELIABLE = Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.History.KeepLast(10))
LATCHED = Qos(
    Policy.Reliability.Reliable(duration(seconds=1)),
    Policy.Durability.TransientLocal,
    Policy.History.KeepLast(1),
)


def named(package: str, name: str) -> str:
    """The name of a message's type as ROS 2 announces it."""
    return f"{package}::msg::dds_::{name}_"


@dataclass
class Time(IdlStruct, typename=named("builtin_interfaces", "Time")):
    """A time."""

    sec: int32 = 0
    nanosec: uint32 = 0


@dataclass
class Lateral(IdlStruct, typename=named("autoware_control_msgs", "Lateral")):
    """Steering."""

    stamp: Time = field(default_factory=Time)
    control_time: Time = field(default_factory=Time)
    steering_tire_angle: float32 = 0.0
    steering_tire_rotation_rate: float32 = 0.0
    is_defined_steering_tire_rotation_rate: bool = False


@dataclass
class Longitudinal(IdlStruct, typename=named("autoware_control_msgs", "Longitudinal")):
    """Speed and acceleration."""

    stamp: Time = field(default_factory=Time)
    control_time: Time = field(default_factory=Time)
    velocity: float32 = 0.0
    acceleration: float32 = 0.0
    jerk: float32 = 0.0
    is_defined_acceleration: bool = False
    is_defined_jerk: bool = False


@dataclass
class Control(IdlStruct, typename=named("autoware_control_msgs", "Control")):
    """control_cmd."""

    stamp: Time = field(default_factory=Time)
    control_time: Time = field(default_factory=Time)
    lateral: Lateral = field(default_factory=Lateral)
    longitudinal: Longitudinal = field(default_factory=Longitudinal)


@dataclass
class GearCommand(IdlStruct, typename=named("autoware_vehicle_msgs", "GearCommand")):
    """gear_cmd."""

    stamp: Time = field(default_factory=Time)
    command: uint8 = 0


@dataclass
class Header(IdlStruct, typename=named("std_msgs", "Header")):
    """Stamp and frame."""

    stamp: Time = field(default_factory=Time)
    frame_id: str = ""


@dataclass
class VelocityReport(IdlStruct, typename=named("autoware_vehicle_msgs", "VelocityReport")):
    """velocity_status."""

    header: Header = field(default_factory=Header)
    longitudinal_velocity: float32 = 0.0
    lateral_velocity: float32 = 0.0
    heading_rate: float32 = 0.0


@dataclass
class ControlModeReport(IdlStruct, typename=named("autoware_vehicle_msgs", "ControlModeReport")):
    """control_mode."""

    stamp: Time = field(default_factory=Time)
    mode: uint8 = 0


@dataclass
class ModeRequest(IdlStruct, typename=named("vdsim_msgs", "ModeRequest")):
    """A request by topic."""

    check: uint32 = 1297302614
    client: uint32 = 0
    sequence: uint32 = 0
    request: uint8 = 0


@dataclass
class ModeAnswer(IdlStruct, typename=named("vdsim_msgs", "ModeAnswer")):
    """Its answer."""

    stamp: Time = field(default_factory=Time)
    client: uint32 = 0
    sequence: uint32 = 0
    success: bool = False
    mode: uint8 = 0
    reason: str = ""


@dataclass
class KeyValue(IdlStruct, typename=named("diagnostic_msgs", "KeyValue")):
    """One value of a line."""

    key: str = ""
    value: str = ""


@dataclass
class DiagnosticStatus(IdlStruct, typename=named("diagnostic_msgs", "DiagnosticStatus")):
    """One line."""

    level: uint8 = 0
    name: str = ""
    message: str = ""
    hardware_id: str = ""
    values: sequence[KeyValue] = field(default_factory=list)


@dataclass
class DiagnosticArray(IdlStruct, typename=named("diagnostic_msgs", "DiagnosticArray")):
    """/diagnostics."""

    header: Header = field(default_factory=Header)
    status: sequence[DiagnosticStatus] = field(default_factory=list)


@dataclass
class FramedRequest(
    IdlStruct, typename="autoware_vehicle_msgs::srv::dds_::ControlModeCommand_Request_"
):
    """A request with the frame of rmw_cyclonedds: who asks, and which number."""

    guid: uint64 = 0
    number: uint64 = 0
    stamp: Time = field(default_factory=Time)
    mode: uint8 = 0


class Peer:
    """The control component of an Autoware on Cyclone DDS."""

    def __init__(self, domain: int) -> None:
        self._participant = DomainParticipant(domain)
        self.control = self._writer("control/command/control_cmd", Control)
        self.gear = self._writer("control/command/gear_cmd", GearCommand)
        twin = "control/control_mode_request_twin"
        self.requests = self._writer(f"{twin}/request", ModeRequest)
        self.answers = self._reader(f"{twin}/answer", ModeAnswer)
        self.velocity = self._reader("vehicle/status/velocity_status", VelocityReport)
        self.mode = self._reader("vehicle/status/control_mode", ControlModeReport, LATCHED)
        self.diagnostics = self._reader("diagnostics", DiagnosticArray)
        name = "rq/control/control_mode_requestRequest"
        self.service = DataWriter(
            self._participant, Topic(self._participant, name, FramedRequest), qos=RELIABLE
        )
        self.latest: dict[str, Any] = {}
        self.lines: dict[str, DiagnosticStatus] = {}
        self.speed_mps = 0.0

    def _writer(self, topic: str, kind: type, qos: Qos = RELIABLE) -> Any:
        return DataWriter(self._participant, Topic(self._participant, f"rt/{topic}", kind), qos=qos)

    def _reader(self, topic: str, kind: type, qos: Qos = RELIABLE) -> Any:
        return DataReader(self._participant, Topic(self._participant, f"rt/{topic}", kind), qos=qos)

    def step(self) -> None:
        """Publish what a control component publishes, and read what has arrived."""
        longitudinal = Longitudinal(
            velocity=self.speed_mps, acceleration=1.0, is_defined_acceleration=True
        )
        self.control.write(Control(longitudinal=longitudinal))
        self.gear.write(GearCommand(command=DRIVE))
        for name in ("velocity", "mode", "answers"):
            for sample in getattr(self, name).take(50):
                self.latest[name] = sample
        for array in self.diagnostics.take(50):
            self.lines.update({line.name: line for line in array.status})
        time.sleep(0.03)

    def until(self, condition: Callable[[], object], what: str) -> None:
        """Go on until something is true."""
        end = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end, f"not within {PATIENCE_S:g} s: {what}; {self.latest}"
            self.step()

    def ask(self, number: int, request: int) -> ModeAnswer:
        """Request a mode by topic until the answer to this request arrives."""

        def answered() -> bool:
            answer = self.latest.get("answers")
            if answer is not None and answer.sequence == number:
                return True
            self.requests.write(ModeRequest(client=7, sequence=number, request=request))
            return False

        self.until(answered, f"the answer {number}")
        answer: ModeAnswer = self.latest["answers"]
        return answer

    @property
    def reported_mode(self) -> int:
        report = self.latest.get("mode")
        return -1 if report is None else int(report.mode)

    @property
    def reported_mps(self) -> float:
        report = self.latest.get("velocity")
        return 0.0 if report is None else float(report.longitudinal_velocity)


@pytest.fixture(scope="module")
def environ() -> dict[str, str]:
    """That of a user without ROS 2; the domain is this test file's own."""
    private = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    return {**os.environ, **private}


@pytest.fixture(scope="module")
def peer(environ: dict[str, str]) -> Iterator[Peer]:
    command_port, state_port = free_ports(2)
    stack = subprocess.Popen(
        [
            *("./ws", "ros2", "launch", "vdsim_interface", "autoware.launch.py", "dashboard:=off"),
            *(f"plant_port:={command_port}", f"state_port:={state_port}"),
        ],
        cwd=ROOT,
        env=environ,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield Peer(int(os.environ["ROS_DOMAIN_ID"]))
    finally:
        os.killpg(stack.pid, signal.SIGINT)
        try:
            stack.wait(30.0)
        except subprocess.TimeoutExpired:
            os.killpg(stack.pid, signal.SIGKILL)
            stack.wait()


def test_1_it_drives_by_topics_alone(peer: Peer) -> None:
    peer.speed_mps = 4.0
    peer.until(lambda: peer.reported_mode == AUTONOMOUS, "autonomous")
    peer.until(lambda: peer.reported_mps > 3.0, "3 m/s")


def test_2_its_service_request_is_not_answered_and_changes_nothing(peer: Peer) -> None:
    """Whatever the identity of its client, which other releases read as stamp and mode."""
    for number, guid in enumerate((1, 1 << 32, 0x0110ABCD_00000004, 2**64 - 1), start=1):
        peer.service.write(FramedRequest(guid=guid, number=number, mode=MANUAL))
        for _ in range(10):
            peer.step()
        assert peer.reported_mode == AUTONOMOUS
    peer.until(lambda: peer.reported_mps > 3.0, "driving on")


def test_3_the_diagnostics_name_the_vendor_and_what_to_do(peer: Peer) -> None:
    name = "/vehicle/autoware_interface: graph"

    def is_named() -> bool:
        return name in peer.lines and "Cyclone DDS" in peer.lines[name].message

    peer.until(is_named, "the vendor")
    text = peer.lines[name].message
    assert "no service of one side is answered for the other" in text
    assert "RMW_IMPLEMENTATION" in text
    assert "twin" in text


def test_4_the_doctor_names_it_too(peer: Peer, environ: dict[str, str]) -> None:
    doctor = subprocess.Popen(
        ["./ws", "doctor", "--live", "--seconds", "1"],
        cwd=ROOT,
        env=environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    peer.until(lambda: doctor.poll() is not None, "the end of the doctor")
    said, _ = doctor.communicate()
    assert "a program without a ROS name runs on Cyclone DDS and the vehicle on Fast DDS" in said


def test_5_it_gives_the_car_back_and_takes_it_by_topic(peer: Peer) -> None:
    answer = peer.ask(1, MANUAL)
    assert (answer.client, answer.success) == (7, True)
    peer.until(lambda: peer.reported_mode in GIVEN_BACK, "the car given back")
    refused = peer.ask(2, 99)
    assert not refused.success
    assert refused.reason == "is undefined"
    peer.speed_mps = 0.0
    peer.until(lambda: abs(peer.reported_mps) < 0.05, "standstill")
    peer.until(lambda: peer.ask(peer.latest["answers"].sequence + 1, AUTONOMOUS).success, "asked")
    peer.until(lambda: peer.reported_mode == AUTONOMOUS, "autonomous again")
