"""vdsim_doctor beside real programs, and the profile that binds their sockets to loopback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from vdsim_interface.extras.doctor.network_checks import domain_of_port
from vdsim_kit import processes

PATIENCE_S = 300.0
LOOPBACK = Path(__file__).resolve().parents[1] / "portable" / "fastdds_loopback.xml"
PROFILE_VARIABLES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")
CAR = [
    *("ros2", "run", "vdsim_interface", "vehicle_interface", "--ros-args"),
    *("-r", "__ns:=/vehicle", "-p", "platform:=fake"),
]
PLANNER = """
import sys, rclpy
from rclpy.qos import QoSProfile, ReliabilityPolicy
from vdsim_msgs.msg import HighLevelControlCommand
rclpy.init()
node = rclpy.create_node("planner")
qos = QoSProfile(depth=1, reliability=ReliabilityPolicy[sys.argv[2]])
publisher = node.create_publisher(HighLevelControlCommand, sys.argv[1], qos)
node.create_timer(0.05, lambda: publisher.publish(HighLevelControlCommand(velocity_mps=1.0)))
try:
    rclpy.spin(node)
except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
    pass
"""
SPEAKER = """
import json, os, select, sys, time, rclpy
from std_msgs.msg import String
rclpy.init()
node = rclpy.create_node(sys.argv[1])
heard = set()
publisher = node.create_publisher(String, "word", 10)
node.create_subscription(String, "word", lambda message: heard.add(message.data), 10)
def speak():
    publisher.publish(String(data=sys.argv[1]))
    rclpy.spin_once(node, timeout_sec=0.05)
end = time.monotonic() + 240.0
while len(heard) < 2 and time.monotonic() < end:
    speak()
own = set()
for name in os.listdir("/proc/self/fd"):
    try:
        own.add(os.readlink(f"/proc/self/fd/{name}"))
    except OSError:
        pass
lines = [line.split() for line in open("/proc/net/udp").readlines()[1:]]
sockets = [line[1] for line in lines if f"socket:[{line[9]}]" in own]
print(json.dumps({"heard": sorted(heard), "sockets": sockets}), flush=True)
while not select.select([sys.stdin], [], [], 0.0)[0]:
    speak()
"""


def doctor_until(*words: str, code: int) -> None:
    """Run the command until it says all of this: discovery takes what it takes.

    `code`: 1 where an error is found; a busy machine may bring one of its own, for a moment.
    """
    end = time.monotonic() + PATIENCE_S
    while True:
        done = subprocess.run(
            ["vdsim_doctor", "--seconds", "1"], capture_output=True, text=True, check=False
        )
        is_said = all(word in done.stdout for word in words) and done.returncode == code
        if is_said or time.monotonic() > end:
            assert is_said, done.stdout + done.stderr
            return


@pytest.fixture(scope="module")
def car() -> Iterator[None]:
    process = processes.start(CAR, stdout=subprocess.DEVNULL)
    yield
    processes.end(process)


@pytest.fixture
def planner(request: pytest.FixtureRequest) -> Iterator[None]:
    command = [sys.executable, "-c", PLANNER, *request.param]
    process = processes.start(command, stdout=subprocess.DEVNULL)
    yield
    processes.end(process)


def test_without_a_car_it_says_so_and_fails() -> None:
    doctor_until("ERROR no vehicle interface is in ROS_DOMAIN_ID=", code=1)


def test_a_car_that_nobody_commands(car: None) -> None:
    doctor_until(
        "vehicle: /vehicle/vehicle_interface",
        "WARN  nobody publishes a command for /vehicle/vehicle_interface: publish on one of "
        "/vehicle/high_level_command, /vehicle/raw_command, /vehicle/vehicle_command",
        code=0,
    )


def said_until(*patterns: str, arguments: tuple[str, ...] = ()) -> str:
    """What `vdsim_status` says, once it says all of this."""
    end = time.monotonic() + PATIENCE_S
    while True:
        done = subprocess.run(
            ["vdsim_status", *arguments], capture_output=True, text=True, check=False
        )
        is_said = all(re.search(pattern, done.stdout) for pattern in patterns)
        if is_said or time.monotonic() > end:
            assert is_said, done.stdout + done.stderr
            return done.stdout


def test_three_lines_say_mode_driver_and_why(car: None) -> None:
    # With programs in another domain, as of the tests beside this one, that is named as the cause.
    none = "No command.*Publish on /vehicle/high_level_command$"
    why = rf"(?m)why: ({none}|Does not fit: nobody in ROS_DOMAIN_ID=\d+ commands)"
    text = said_until("/vehicle: mode MANUAL, not engaged", "in control: nobody", why)
    assert len(text.splitlines()) == 3


def test_the_limits_in_force_are_named_with_where_they_come_from(car: None) -> None:
    text = said_until("/vehicle/vehicle_interface: ", arguments=("--limits",))
    assert re.search(r"safety.lateral_accel_max_mps2 = \S+  \(default\)", text)


def test_a_second_interface_in_the_namespace_is_named(car: None) -> None:
    second = processes.start([*CAR, "-r", "__node:=other"], stdout=subprocess.DEVNULL)
    try:
        doctor_until(
            "ERROR 2 vehicle interfaces are in the namespace /vehicle",
            "arbitration: a second vehicle interface is in this namespace",
            code=1,
        )
    finally:
        processes.end(second)


@pytest.mark.parametrize(
    "planner", [("/vehicle/high_level_command", "BEST_EFFORT")], indirect=True, ids=["qos"]
)
def test_a_publisher_whose_qos_does_not_match(car: None, planner: None) -> None:
    doctor_until(
        "ERROR /planner publishes /vehicle/high_level_command with reliability BEST_EFFORT and "
        "/vehicle/vehicle_interface requests RELIABLE, so that nothing arrives: publish with "
        "reliability RELIABLE",
        code=1,
    )


@pytest.mark.parametrize(
    "planner", [("/high_level_command", "RELIABLE")], indirect=True, ids=["name"]
)
def test_a_publisher_in_another_namespace(car: None, planner: None) -> None:
    doctor_until(
        "start /planner with --ros-args -r /high_level_command:=/vehicle/high_level_command",
        "/vehicle/vehicle_interface: graph: /planner publishes /high_level_command",
        code=1,
    )


def test_the_loopback_profile_binds_the_sockets_of_a_domain() -> None:
    """Two programs exchange messages, and no DDS port of theirs is open on all addresses."""
    environ = {**os.environ, **dict.fromkeys(PROFILE_VARIABLES, str(LOOPBACK))}
    speakers = [
        subprocess.Popen(
            [sys.executable, "-c", SPEAKER, name],
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "other")
    ]
    try:
        for speaker in speakers:
            assert speaker.stdout is not None
            seen = json.loads(speaker.stdout.readline())
            assert seen["heard"] == ["one", "other"]
            addresses = [text.split(":") for text in seen["sockets"]]
            # A sending socket has any port, which may be one of another domain.
            own = int(os.environ["ROS_DOMAIN_ID"])
            of_domain = [a for a, port in addresses if domain_of_port(int(port, 16)) == own]
            assert set(of_domain) == {"0100007F"}
            assert len(of_domain) >= 2
    finally:
        for speaker in speakers:
            speaker.communicate("\n")


def test_a_wrong_time_is_one_line() -> None:
    done = subprocess.run(
        ["vdsim_doctor", "--seconds", "0"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("--seconds=0: must be > 0 and <= 3600")
