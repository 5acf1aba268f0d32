"""Two hosts in a network of their own, to be run in a user and network namespace.

    unshare --map-root-user --net python -m vdsim_kit.two_hosts meet '{"VARIABLE": "value"}'
    unshare --map-root-user --net python -m vdsim_kit.two_hosts drive
    unshare --map-root-user --net python -m vdsim_kit.two_hosts container '{"VARIABLE": "value"}'
    unshare --map-root-user --net python -m vdsim_kit.two_hosts filter
    unshare --map-root-user --net python -m vdsim_kit.two_hosts cyclone kept

Here is 10.99.0.1; the other host, 10.99.0.2, has a /dev/shm of its own. Prints one line of JSON.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from typing import Any

from vdsim_protocol.host_filter import discard_from_others

HERE, THERE = "10.99.0.1", "10.99.0.2"
CONTAINER = (
    *("unshare", "--ipc", "--pid", "--mount", "--fork", "--kill-child"),
    *("sh", "-c", 'mount -t tmpfs none /dev/shm && exec "$@"', "sh"),
)
"""What a container with the host's network has of its own: /dev/shm, IPC and process ids."""
LOCALHOST = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
SUBNET = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}
PROFILES = (
    *("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"),
    "CYCLONEDDS_URI",
)
SPEAKER = """
import sys, threading, rclpy
from std_msgs.msg import String
name, wanted = sys.argv[1], set(sys.argv[2:])
rclpy.init()
node = rclpy.create_node(name)
heard = set()
publisher = node.create_publisher(String, "word", 10)
node.create_subscription(String, "word", lambda message: heard.add(message.data), 10)
is_asked = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), is_asked.set()), daemon=True).start()
while not is_asked.is_set():
    publisher.publish(String(data=name))
    rclpy.spin_once(node, timeout_sec=0.05)
    if wanted and wanted <= heard:
        wanted = set()
        print("heard all", flush=True)
print(*sorted(heard), flush=True)
"""
PLANNER = """
import rclpy
from rclpy.qos import qos_profile_sensor_data as qos
from vdsim_msgs.msg import HighLevelControlCommand, VehicleOdometry
rclpy.init()
node = rclpy.create_node("planner")
speeds = []
publisher = node.create_publisher(HighLevelControlCommand, "/vehicle/high_level_command", 1)
node.create_timer(0.05, lambda: publisher.publish(HighLevelControlCommand(velocity_mps=2.0)))
node.create_subscription(
    VehicleOdometry, "/vehicle/odometry", lambda message: speeds.append(message.velocity_mps), qos
)
while not speeds or speeds[-1] < 1.5:
    rclpy.spin_once(node)
print("drives", flush=True)
"""
INTERFACE = """
import sys
from vdsim_interface.nodes.vehicle_interface import main
sys.exit(main([
    *("vehicle_interface", "--ros-args", "-r", "__ns:=/vehicle", "-p", "platform:=fake"),
    *("-p", "safety.auto_engage:=true"),
]))
"""
CYCLONE_SPEAKER = """
import sys, threading, time
from contextlib import nullcontext
from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from vdsim_kit.cyclone_word import Word
from vdsim_protocol.host_filter import discarding_from_others
name, is_kept, wanted = sys.argv[1], sys.argv[2] == "kept", set(sys.argv[3:])
with discarding_from_others() if is_kept else nullcontext():
    participant = DomainParticipant(0)
topic = Topic(participant, "word", Word)
deep = Qos(Policy.History.KeepLast(100))
writer, reader = DataWriter(participant, topic), DataReader(participant, topic, deep)
heard = set()
is_asked = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), is_asked.set()), daemon=True).start()
while not is_asked.is_set():
    writer.write(Word(name))
    heard.update(word.data for word in reader.take(100))
    if wanted and wanted <= heard:
        wanted = set()
        print("heard all", flush=True)
    time.sleep(0.05)
print(*sorted(heard), flush=True)
"""
GROUP, PORT = "239.255.0.1", 5555
SENDER = """
import socket, sys
for address in sys.argv[2:]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.sendto(f"{sys.argv[1]} {address}".encode(), (address, 5555))
"""


def run(*words: str) -> None:
    """Run a command that must succeed."""
    subprocess.run(words, check=True)


def start(
    code: str, *words: str, prefix: tuple[str, ...] = (), **variables: str
) -> subprocess.Popen[str]:
    """Start a program of Python, with the middleware's defaults but for these variables."""
    environ = {name: value for name, value in os.environ.items() if name not in PROFILES}
    return subprocess.Popen(
        [*prefix, sys.executable, "-c", code, *words],
        env={**environ, **variables},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def line_of(process: subprocess.Popen[str]) -> str:
    """The next line that a program prints; it must not end before."""
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.communicate()[1]
    return line.rstrip()


def other_host() -> tuple[str, ...]:
    """Make the network and the other host; return what runs a command there."""
    mount = "mount -t tmpfs none /dev/shm && exec cat"
    command = ["unshare", "--net", "--mount", "sh", "-c", mount]
    host = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert host.stdin is not None
    assert host.stdout is not None
    host.stdin.write(b"ready\n")
    host.stdin.flush()
    assert host.stdout.readline() == b"ready\n"
    inside = ("nsenter", "--target", str(host.pid), "--net", "--mount")
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", "name", "near", "type", "veth", "peer", "name", "far")
    run("ip", "link", "set", "far", "netns", str(host.pid))
    run("ip", "address", "add", f"{HERE}/24", "dev", "near")
    run("ip", "link", "set", "near", "up")
    run(*inside, "ip", "link", "set", "lo", "up")
    run(*inside, "ip", "address", "add", f"{THERE}/24", "dev", "far")
    run(*inside, "ip", "link", "set", "far", "up")
    return inside


def meet(profile: dict[str, str], expected: list[str]) -> dict[str, list[str]]:
    """Who hears whom: a node of this machine alone, a user's node here, a peer that names us.

    `expected`: whom of the peer's ours is waited for to hear; the others have met by then.
    """
    inside = other_host()
    ours = start(SPEAKER, "ours", "ours", "users", *expected, **LOCALHOST, **profile)
    users = start(SPEAKER, "users", "ours", "users", "peer", **SUBNET)
    peer = start(SPEAKER, "peer", "peer", "users", prefix=inside, **SUBNET, ROS_STATIC_PEERS=HERE)
    everyone = {"ours": ours, "users": users, "peer": peer}
    for each in everyone.values():
        assert line_of(each) == "heard all"
    return {name: each.communicate("end\n")[0].split() for name, each in everyone.items()}


def meet_on_cyclone(kept: str, expected: list[str]) -> dict[str, list[str]]:
    """As `meet`, on Cyclone DDS with its defaults; the sockets of ours have the filter, or not."""
    inside = other_host()
    names_us = f'<Discovery><Peers><Peer address="{HERE}"/></Peers></Discovery>'
    uri = f"<CycloneDDS><Domain>{names_us}</Domain></CycloneDDS>"
    ours = start(CYCLONE_SPEAKER, "ours", kept, "ours", "users", *expected)
    users = start(CYCLONE_SPEAKER, "users", "open", "ours", "users", "peer")
    peer = start(
        CYCLONE_SPEAKER, *("peer", "open", "peer", "users"), prefix=inside, CYCLONEDDS_URI=uri
    )
    everyone = {"ours": ours, "users": users, "peer": peer}
    for each in everyone.values():
        assert line_of(each) == "heard all"
    return {name: each.communicate("end\n")[0].split() for name, each in everyone.items()}


def heard_through_the_filter() -> dict[str, list[str]]:
    """What an open socket receives, and one that discards what another machine sends."""
    inside = other_host()
    run(*inside, "ip", "route", "add", "224.0.0.0/4", "dev", "far")
    run("ip", "route", "add", "224.0.0.0/4", "dev", "near")
    found = {}
    for name in ("open", "filtered"):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
            link.bind(("0.0.0.0", PORT))
            joined = socket.inet_aton(GROUP) + socket.inet_aton(HERE)
            link.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, joined)
            if name == "filtered":
                discard_from_others(link)
            run(*inside, sys.executable, "-c", SENDER, "there", HERE, GROUP)
            run(sys.executable, "-c", SENDER, "here", HERE, GROUP, "127.0.0.1")
            heard = []
            while not heard or heard[-1] != "here 127.0.0.1":  # the last that is sent
                heard.append(link.recv(100).decode())
            found[name] = heard
    return found


def drive(prefix: tuple[str, ...] = (), **variables: str) -> dict[str, Any]:
    """A user's node with all defaults drives an interface of this machine alone."""
    other_host()
    interface = start(INTERFACE, **LOCALHOST)
    planner = start(PLANNER, prefix=prefix, **{**SUBNET, **variables})
    said = line_of(planner)
    planner.kill()
    interface.send_signal(signal.SIGINT)
    return {"planner": said, "log": interface.communicate()[1], "code": interface.returncode}


def main() -> int:
    """Run what the command line names."""
    what, *words = sys.argv[1:]
    found: Any = {
        "meet": lambda: meet(json.loads(words[0]), words[1:]),
        "drive": drive,
        "container": lambda: drive(CONTAINER, **json.loads(words[0])),
        "filter": heard_through_the_filter,
        "cyclone": lambda: meet_on_cyclone(words[0], words[1:]),
    }[what]()
    print(json.dumps(found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
