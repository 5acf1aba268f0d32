"""`ros2 topic echo`, `pub`, `hz`, `bw` and `delay` between real processes."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable

import pytest
import yaml

RunRos2 = Callable[..., subprocess.CompletedProcess[str]]
StartRos2 = Callable[..., subprocess.Popen[str]]

LIMIT_S = 120.0
MOST_LINES = 40


def test_pub_once_reaches_an_echo_that_starts_late(start_ros2: StartRos2) -> None:
    values = "{header: auto, pose: {pose: {position: {x: 2}}}}"
    publisher = start_ros2("topic", "pub", "--once", "/late", "nav_msgs/msg/Odometry", values)
    time.sleep(1.0)
    before_s = time.time()
    echo = start_ros2("topic", "echo", "--once", "/late")
    text, errors = echo.communicate(timeout=LIMIT_S)
    assert publisher.wait(timeout=LIMIT_S) == echo.returncode == 0, errors
    assert text.endswith("\n---\n")
    message = yaml.safe_load(text.removesuffix("---\n"))
    assert message["pose"]["pose"]["position"]["x"] == 2.0
    assert message["header"]["stamp"]["sec"] >= int(before_s)


def test_echo_waits_for_a_topic_that_appears_later(start_ros2: StartRos2, ros2: RunRos2) -> None:
    echo = start_ros2("topic", "echo", "/soon", "--csv")
    published = ros2("topic", "pub", "/soon", "std_msgs/String", "data: a", "-t", "3", "-r", "20")
    assert published.returncode == 0
    assert "publishing #3: std_msgs.msg.String(data='a')\n" in published.stdout
    assert echo.stdout is not None
    assert [echo.stdout.readline() for _ in range(3)] == ["a\n"] * 3
    echo.send_signal(signal.SIGINT)
    _, errors = echo.communicate(timeout=LIMIT_S)
    assert echo.returncode == signal.SIGINT  # upstream's code after Ctrl-C
    assert "Traceback" not in errors


@pytest.mark.usefixtures("target")
def test_echo_gets_what_was_latched_before(ros2: RunRos2) -> None:
    done = ros2("topic", "echo", "--once", "/ns/latched", "--field", "frame_id")
    assert done.stdout == "map\n---\n"


@pytest.mark.usefixtures("target")
def test_echo_of_an_unknown_field_is_one_line(ros2: RunRos2) -> None:
    done = ros2("topic", "echo", "--once", "/ns/odom", "--field", "pose.speed")
    assert done.returncode == 1
    assert done.stderr == (
        "Invalid field 'pose.speed': 'PoseWithCovariance' object has no attribute 'speed'\n"
    )


def is_near_20_hz(line: str) -> bool:
    return line.startswith("average rate: ") and 10.0 < float(line.split()[-1]) < 30.0


@pytest.mark.usefixtures("target")
def test_measurements_of_a_20_hz_topic(start_ros2: StartRos2) -> None:
    measured = {verb: start_ros2("topic", verb, "/ns/odom") for verb in ("hz", "bw", "delay")}
    first_lines = {}
    for verb, process in measured.items():
        assert process.stdout is not None
        first_lines[verb] = process.stdout.readline()
        if verb == "bw":
            assert first_lines[verb] == "Subscribed to [/ns/odom]\n"
            first_lines[verb] = process.stdout.readline()
        if verb == "hz":  # what waited for a busy machine comes in a burst: the average settles
            for _ in range(MOST_LINES):
                if is_near_20_hz(first_lines[verb]):
                    break
                first_lines[verb] = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=LIMIT_S) == signal.SIGINT
    assert is_near_20_hz(first_lines["hz"])
    assert first_lines["bw"].split()[1] == "KB/s"
    assert 0.0 <= float(first_lines["delay"].removeprefix("average delay: ")) < 5.0


def test_pub_refuses_values_that_do_not_fit(ros2: RunRos2) -> None:
    done = ros2("topic", "pub", "--once", "/x", "std_msgs/msg/UInt8", "{data: 300}")
    assert done.returncode == 1
    assert done.stderr == (
        "Failed to populate field: data: uint8 must be within 0 to 255, got 300\n"
    )


def test_pub_gives_up_waiting_when_told(ros2: RunRos2) -> None:
    done = ros2(
        *("topic", "pub", "--once", "/alone", "std_msgs/msg/Empty", "--max-wait-time-secs", "0.2")
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Timed out waiting for subscribers: Expected 1 ")


def test_a_name_that_ros_refuses_is_one_line(ros2: RunRos2) -> None:
    done = ros2("topic", "echo", "/not a name")
    assert done.returncode == 1
    assert done.stderr.startswith("Invalid topic name: ")
    assert done.stderr.count("\n") == 1
