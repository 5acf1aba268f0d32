"""The ROS 1 shell of the bridge, against a stand-in of rospy and a vehicle on a socket.

These tests run on no ROS 1: they show what the shell asks of rospy, not what rospy does with it.
"""

from __future__ import annotations

import math
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from vdsim_interface.extras.autohyu import topics
from vdsim_interface.extras.autohyu.cli import autohyu_ros1
from vdsim_interface.extras.autohyu.ros1.autohyu_bridge import Ros1Bridge, parameters_of, run
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.platforms.peer import PeerMotion
from vdsim_interface.platforms.vds1.contract_peer import Peer
from vdsim_interface_kit.ros1_stand_in import Stamp, StandIn, StandInError, messages

from vdsim_protocol import vds1

SHIPPED_FILE = Path(__file__).resolve().parents[3] / "config" / "autohyu.yaml"
PERIOD_S = 0.01
PATIENCE_S = 60.0


class Car:
    """The vehicle's end of the wire, on free ports."""

    def __init__(self) -> None:
        self.commands = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.commands.bind(("127.0.0.1", 0))
        self.commands.settimeout(PATIENCE_S)
        ((datagram, _),) = Peer().report(PeerMotion(10.0, 0.1, 0.5, 3.0, 4.0, 0.7), 0.0)
        packet = vds1.decode(datagram.data)
        assert isinstance(packet, vds1.Packet)
        self._state = replace(packet.body, throttle_applied=0.25, brake_applied=0.0)
        self._sender = vds1.Sender(5)

    @property
    def port(self) -> int:
        return int(self.commands.getsockname()[1])

    def send_state(self, to: tuple[str, int], now: float) -> None:
        self.commands.sendto(self._sender.state(self._state, now), to)

    def command(self) -> vds1.Command:
        """The next CMD packet."""
        packet = vds1.decode(self.commands.recv(2048))
        assert isinstance(packet, vds1.Packet)
        assert isinstance(packet.body, vds1.Command)
        return packet.body


class Rig:
    """Stand-in, shell and car; the clock is the test's."""

    def __init__(self, **parameters: object) -> None:
        self.car = Car()
        link = {"plant_port": self.car.port, "listen_port": 0, "version": 5}
        self.rospy = StandIn({"link": link, **parameters})
        self.now = 50.0
        self.bridge = Ros1Bridge(self.rospy, messages(), lambda: self.now)
        ((_, first_line), *_) = self.rospy.logged
        host, _, port = first_line.partition(",")[0].removeprefix("STATE at ").partition(":")
        self.state_address = host, int(port)

    def period(self) -> vds1.Command:
        """STATE arrives, the bridge ticks; what went out."""
        self.car.send_state(self.state_address, self.now)
        self.now += PERIOD_S
        self.bridge.tick()
        return self.car.command()

    def drive_until_reported(self) -> vds1.Command:
        """Periods until STATE has come through the kernel; at most some."""
        for _ in range(1000):
            self.rospy.receive(topics.STEER, 3.0)
            self.rospy.receive(topics.TORQUE, 1500.0)
            self.rospy.receive(topics.ACCEL, 0.5)
            command = self.period()
            if self.rospy.publishers[topics.VEHICLE_STATE].sent:
                return command
        raise AssertionError("no vehicle_state was published")

    def close(self) -> None:
        self.bridge.end()
        self.car.commands.close()


@pytest.fixture
def rig() -> Iterator[Rig]:
    made = Rig(
        reference={"ref_lat_deg": 37.5, "ref_lon_deg": 127.0}, filtered={"type": "butterworth"}
    )
    yield made
    made.close()


def test_topics_drive_the_car_and_its_state_is_published(rig: Rig) -> None:
    command = rig.drive_until_reported()
    assert command.steering_tire_angle_rad == pytest.approx(math.radians(3.0))
    assert command.throttle > 0.0
    assert command.aux_accel_target_mps2 == 0.5
    state = rig.rospy.publishers[topics.VEHICLE_STATE].sent[-1]
    assert (state.x, state.y, state.vx) == (3.0, 4.0, 10.0)
    assert state.reference.projection == "local_cartesian"
    assert state.gnss.latitude == pytest.approx(37.5, abs=1e-3)
    can = state.vehicle_can
    assert (can.operation_mode, can.lateral_autonomous_mode, can.steering_state) == (1, 1, 5)
    assert can.accel_position == 25.0
    assert state.header.frame_id == can.header.frame_id == "map"
    assert rig.rospy.publishers[topics.VEHICLE_STATE_FILTERED].sent[-1].vx == pytest.approx(10.0)


def test_the_reference_point_is_latched(rig: Rig) -> None:
    publisher = rig.rospy.publishers[topics.REFERENCE_POINT]
    [reference] = publisher.sent
    assert publisher.latch
    assert (reference.wgs84.latitude, reference.wgs84.longitude) == (37.5, 127.0)


def test_stamps_are_the_time_of_receipt_in_the_time_of_ros(rig: Rig) -> None:
    rig.drive_until_reported()
    sent = rig.rospy.publishers[topics.VEHICLE_STATE].sent
    received_s = sent[-1].header.stamp.to_sec()
    assert received_s == pytest.approx(Stamp.system_s)
    rig.now += 0.05
    rig.bridge.tick()  # without a new STATE
    assert sent[-1].header.stamp.to_sec() == pytest.approx(Stamp.system_s - 0.05)


def test_silent_topics_brake_and_mark_the_mode(rig: Rig) -> None:
    rig.drive_until_reported()
    for _ in range(25):
        command = rig.period()
    assert (command.throttle, command.brake) == (0.0, 0.3)
    state = rig.rospy.publishers[topics.VEHICLE_STATE].sent[-1]
    assert state.vehicle_can.operation_mode == 2
    assert ("error", "gripped_steer or gripped_torque is stale: brake, steering kept") in (
        rig.rospy.logged
    )


def test_the_end_of_ros_sends_the_brake_and_closes_the_socket() -> None:
    car = Car()
    rospy = StandIn({"link": {"plant_port": car.port, "listen_port": 0}})
    rospy.ends_after = 3
    now, slept = [7.0], []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    run(rospy, messages(), lambda: now[0], sleep)
    sent = [car.command() for _ in range(4)]
    assert [command.brake for command in sent] == [1.0, 1.0, 1.0, 0.3]
    assert slept == pytest.approx([PERIOD_S] * 3)
    assert rospy.node == "autohyu_bridge"
    car.commands.setblocking(False)
    with pytest.raises(BlockingIOError):
        car.commands.recv(2048)
    car.commands.close()


@pytest.mark.parametrize("more_periods", [0, 5])
def test_topics_that_close_end_the_node_only_if_ros_ends(more_periods: int) -> None:
    car = Car()
    rospy = StandIn({"link": {"plant_port": car.port, "listen_port": 0}})
    now = [7.0]

    def sleep(seconds: float) -> None:
        """Between two periods STATE arrives and the topics close."""
        now[0] += seconds
        ((_, text), *_) = rospy.logged
        port = int(text.partition(",")[0].rpartition(":")[2])
        car.send_state(("127.0.0.1", port), now[0])
        rospy.publishers[topics.VEHICLE_STATE].is_closed = True

    rospy.ends_after = 2 + more_periods
    if more_periods:
        with pytest.raises(StandInError):
            run(rospy, messages(), lambda: now[0], sleep)
    else:
        run(rospy, messages(), lambda: now[0], sleep)
    assert [car.command().brake for _ in range(3)] == [1.0, 1.0, 0.3]
    car.commands.close()


def test_a_period_that_was_missed_is_not_made_up_for() -> None:
    car = Car()
    rospy = StandIn({"link": {"plant_port": car.port, "listen_port": 0}})
    rospy.ends_after = 3
    now = [7.0]
    slept = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += 1.0  # the machine was busy for a second

    run(rospy, messages(), lambda: now[0], sleep)
    assert slept == pytest.approx([PERIOD_S, 0.0, 0.0])
    car.commands.close()


def test_parameters_are_those_of_the_ros_2_node_from_its_file_too() -> None:
    assert parameters_of(StandIn()) == parameters_of(StandIn({"params_file": str(SHIPPED_FILE)}))
    given = StandIn({"params_file": str(SHIPPED_FILE), "reference": {"point": "rear_axle"}})
    assert parameters_of(given).reference.point == "rear_axle"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "No such file or directory"),
        ("a: [1", "line 1: not YAML: expected"),
        ("only words", "must be a YAML file with /**: ros__parameters: ..."),
        ("/**: {ros__parameters: 3}", "must be a YAML file with /**: ros__parameters: ..."),
        ("/**: {ros__parameters: {rate_hz: -1.0}}", "rate_hz=-1.0: must be >= 10 and <= 1000"),
        ("/autohyu_bridge: {ros__parameters: {rate: 1}}", "rate=1: is not a parameter"),
    ],
)
def test_a_wrong_file_is_named(text: str | None, words: str, tmp_path: Path) -> None:
    file = tmp_path / "given.yaml"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError) as error:
        parameters_of(StandIn({"params_file": str(file)}))
    assert words in str(error.value)


def test_messages_of_ros_2_are_refused_by_name() -> None:
    with pytest.raises(ImportError, match="is no message of ROS 1; source AutoHYU's workspace"):
        autohyu_ros1.messages_of_ros1()


def test_the_shell_needs_neither_ros_2_nor_its_messages() -> None:
    blocked = ("rclpy", "vdsim_msgs", "autohyu_msgs", "std_msgs", "builtin_interfaces")
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({blocked}))\n"
        "import vdsim_interface.extras.autohyu.ros1.autohyu_bridge\n"
        "import vdsim_interface.extras.autohyu.cli.autohyu_ros1 as cli\n"
        "sys.argv = ['vdsim_autohyu_ros1']; sys.modules['rospy'] = None\n"
        "sys.exit(cli.main())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "rospy" in done.stderr
    assert len(done.stderr.splitlines()) == 1
