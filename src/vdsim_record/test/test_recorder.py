"""The recorder as a process: what is published is in the file, as the readers of others read it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rclpy.clock_type import ClockType
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosbags.highlevel import AnyReader
from sensor_msgs.msg import Imu
from std_msgs.msg import String
from vdsim_interface.extras.explain.view import view_of
from vdsim_interface_kit.teleop_ros import Lab
from vdsim_record.ros.graph_view import TOPIC as VIEWS
from vdsim_record.ros.recorder import LogClock, Recorder, free_name
from vdsim_record.ros.type_texts import NoDefinitionError, type_text

PATIENCE_S = 180.0
LATCHED = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
BEST_EFFORT = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


@pytest.fixture
def lab() -> Iterator[Lab]:
    made = Lab()
    yield made
    made.close()


def decoded(path: Path, topic: str) -> list[Any]:
    with path.open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        assert reader.get_header().profile == "ros2"
        return [each.decoded_message for each in reader.iter_decoded_messages(topics=[topic])]


def test_what_is_published_is_in_the_file(lab: Lab, tmp_path: Path) -> None:
    target, settings = tmp_path / "drive.mcap", tmp_path / "interface.yaml"
    settings.write_text("vehicle_interface: {ros__parameters: {rate_hz: 100.0}}\n")
    word = lab.probe.create_publisher(String, "record_test/word", LATCHED)
    word.publish(String(data="before the recorder"))
    imu = lab.probe.create_publisher(Imu, "record_test/imu", BEST_EFFORT)
    command = [sys.executable, "-m", "vdsim_record.ros.recorder", str(target)]
    command += ["--launch", '{"platform": "fake"}', "--parameters", str(settings)]
    process = subprocess.Popen(command)
    try:
        lab.until(lambda: imu.get_subscription_count() > 0, "the recorder", PATIENCE_S)
        lab.until(lambda: word.get_subscription_count() > 0, "the recorder", PATIENCE_S)
        sent = 0
        while not target.exists() or sent < 50:
            sent += 1
            message = Imu()
            message.angular_velocity.z = float(sent)
            message.header.frame_id = "base_link"
            imu.publish(message)
            lab.run(0.02)
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
    assert [each.data for each in decoded(target, "/record_test/word")] == ["before the recorder"]
    rates = [each.angular_velocity.z for each in decoded(target, "/record_test/imu")]
    assert rates
    assert rates == sorted(rates)
    views = [view_of(each.data).graph for each in decoded(target, VIEWS)]
    seen = {(end.topic, end.type_name, end.side.value) for end in views[-1].endpoints}
    assert ("/record_test/imu", "sensor_msgs/msg/Imu", "publishes") in seen
    assert not any(end.node.endswith("/vdsim_record") for view in views for end in view.endpoints)
    [latched] = {end.qos.durability for end in views[-1].endpoints if "word" in end.topic}
    assert latched == "TRANSIENT_LOCAL"
    with AnyReader([target]) as bag:
        kinds = {each.topic: each.msgtype for each in bag.connections}
        assert kinds["/record_test/imu"] == "sensor_msgs/msg/Imu"
        [one, *_] = (each for each in bag.connections if each.topic == "/record_test/imu")
        [first, *others] = (
            bag.deserialize(data, one.msgtype) for _, _, data in bag.messages([one])
        )
        assert first.header.frame_id == "base_link"
        assert first.angular_velocity.z == rates[0]
        assert len(others) == len(rates) - 1
    with target.open("rb") as stream:
        known = {each.name: each.metadata for each in make_reader(stream).iter_metadata()}
    assert known["vdsim.launch"] == {"platform": "fake"}
    assert "rate_hz: 100.0" in known["vdsim.parameters"]["interface.yaml"]
    assert known["vdsim.versions"]["python"]


def test_what_is_recorded_after_a_step_of_the_clock_comes_after_what_was_before() -> None:
    system_s = iter((100, 101, 98, 99, 110))
    steady_s = iter((0, 1, 2, 3, 4))
    clock = LogClock(lambda: next(system_s) * 10**9, lambda: next(steady_s) * 10**9)
    assert [clock.now_ns() // 10**9 for _ in range(4)] == [101, 102, 103, 110]


def test_neither_a_step_of_the_clock_nor_simulated_time_delays_what_is_written(
    lab: Lab, tmp_path: Path
) -> None:
    recorder = Recorder(tmp_path / "drive.mcap", {})
    try:
        kinds = {timer.clock.clock_type for timer in recorder.timers}
    finally:
        recorder.end()
        recorder.destroy_node()
    assert kinds == {ClockType.STEADY_TIME}


def test_a_name_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    target = tmp_path / "drive.mcap"
    assert free_name(target) == target
    target.touch()
    assert free_name(target) == tmp_path / "drive.2.mcap"
    (tmp_path / "drive.2.mcap").touch()
    assert free_name(target) == tmp_path / "drive.3.mcap"


def test_a_definition_comes_with_all_that_it_uses() -> None:
    text = type_text("sensor_msgs/msg/Imu")
    for used in ("std_msgs/Header", "builtin_interfaces/Time", "geometry_msgs/Vector3"):
        assert text.count(f"MSG: {used}\n") == 1
    with pytest.raises(NoDefinitionError):
        type_text("nowhere_msgs/msg/Nothing")
