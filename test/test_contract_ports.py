"""No ROS process of ours takes the contract's ports from a VDS1 server on the same machine."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from vdsim_kit.ports import free_ports, release_contract_ports, reserve_contract_ports

from vdsim_protocol import contract_ports

NODES = {
    "command_mux": "from vdsim_interface.extras.mux.nodes.command_mux import main; main()",
    "plant": "from vdsim_plant_node.ros.node import main; main()",
}
if importlib.util.find_spec("ros2cli.udp_ports"):  # upstream's commands take what is free
    NODES["ros2"] = (
        "from ros2cli.session import open_session\nimport argparse, time\n"
        "with open_session(argparse.Namespace(spin_time=None)): time.sleep(60)"
    )
ARGUMENTS = {"plant": ["--ros-args", "-p", "cmd_port:=0"]}
LIMIT_S = 180.0
PORTABLE = Path(__file__).resolve().parents[1] / "portable"
PROFILES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")


def _udp_ports(pid: int) -> set[int]:
    """The UDP ports that a process holds on all IPv4 addresses, or on 127.0.0.1."""
    inodes = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed since the folder was listed
            target = str(entry.readlink())
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
    rows = [line.split() for line in Path("/proc/net/udp").read_text().splitlines()[1:]]
    places = [row[1].split(":") for row in rows if row[9] in inodes]
    return {int(port, 16) for address, port in places if address in ("00000000", "0100007F")}


@pytest.fixture
def unreserved() -> Iterator[None]:
    """The state of a user's machine: the tests themselves do not keep the ports."""
    release_contract_ports()
    yield
    reserve_contract_ports()


@pytest.mark.parametrize("profile", ["fastdds.xml", "fastdds_loopback.xml"])
@pytest.mark.usefixtures("unreserved")
def test_our_processes_leave_the_ports_of_the_contract(profile: str) -> None:
    # [VS-0.3.4]
    environ = {
        **os.environ,
        **dict.fromkeys(PROFILES, str(PORTABLE / profile)),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "ROS2_PORTABLE_RESERVED_UDP_PORTS": "7001,7002",
    }
    started = []
    try:
        for name, code in NODES.items():
            command = [sys.executable, "-c", code, *ARGUMENTS.get(name, [])]
            child = subprocess.Popen(command, env=environ, start_new_session=True)
            started.append(child)
            deadline = time.monotonic() + LIMIT_S
            contract = set(contract_ports.CONTRACT_PORTS)
            # While it starts, it keeps those of the contract itself.
            while not (taken := _udp_ports(child.pid) & set(range(7000, 7400))) or taken & contract:
                assert child.poll() is None, f"{name} ended"
                assert time.monotonic() < deadline, f"{name} holds {taken or 'no port'}"
                time.sleep(0.05)
    finally:
        for child in started:
            child.send_signal(signal.SIGINT)
        for child in started:
            child.wait(LIMIT_S)


def test_a_reserved_port_is_kept_from_all_addresses_and_left_to_loopback() -> None:
    (port,) = free_ports(1)
    with contract_ports.reserved([port]):
        with (
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as middleware,
            pytest.raises(OSError, match="in use"),
        ):
            middleware.bind(("0.0.0.0", port))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
            server.bind(("127.0.0.1", port))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as middleware:
        middleware.bind(("0.0.0.0", port))


def test_a_port_that_is_taken_stays_with_its_owner() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as owner:
        owner.bind(("0.0.0.0", 0))
        with contract_ports.reserved([owner.getsockname()[1]]):
            pass


ASKS_FOR = """
import sys
from vdsim_kit import ports
ports.ABOVE_EPHEMERAL = [int(word) for word in sys.argv[1:]]
print(ports.free_ports(2))
"""


def test_a_port_that_nobody_has_opened_yet_is_given_to_one_process() -> None:
    """The tests of several processes run at once, and a launch opens its ports after seconds."""
    given = free_ports(2)
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    asked = subprocess.run(
        [sys.executable, "-c", ASKS_FOR, *map(str, given)],
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert asked.stdout == "[]\n"


HOLDER = """
import socket, sys
from vdsim_protocol.contract_ports import reserved
port = int(sys.argv[1])
with reserved([port]):
    print("reserved", flush=True)
    sys.stdin.readline()
    everywhere = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    beside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    beside.bind(("127.0.0.1", port))
    beside.close()
    try:
        everywhere.bind(("0.0.0.0", port))
    except OSError:
        print("kept")
"""


def test_two_processes_that_start_at_once_both_keep_a_port() -> None:
    """The one that ends its start first must not open the port for the other's middleware."""
    (port,) = free_ports(1)
    with contract_ports.reserved([port]):
        second = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert second.stdout is not None
        assert second.stdout.readline() == "reserved\n"
    output, _ = second.communicate("go on\n", timeout=LIMIT_S)
    assert output == "kept\n"
