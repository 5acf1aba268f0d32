"""ROS on loopback alone: when it is set, and what a process says of its sockets."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import SimpleNamespace

import pytest
from vdsim_kit.ports import free_ports
from vdsim_protocol.host_filter import discard_from_others, is_discarding
from vdsim_protocol.loopback import NAME, OLDER_NAME, PROFILE, listening, settings, told

from vdsim_protocol import contract_ports, loopback

LOCAL = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
CYCLONE = {"RMW_IMPLEMENTATION": "rmw_cyclonedds_cpp"}
TABLE = """  sl  local_address rem_address st tx_queue rx_queue tr tm->when retrnsmt uid out inode
   1: 0100007F:1CF2 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 11 2 0 0
   2: 0100007F:1CF3 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 12 2 0 0
   3: 00000000:1CF4 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 13 2 0 0
   4: 0200000A:1CF5 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 14 2 0 0
   5: 00000000:1B59 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 15 2 0 0
"""


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, {}),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}, {}),
        (LOCAL, {NAME: str(PROFILE)}),
        ({**LOCAL, "ROS_DISTRO": "jazzy"}, {OLDER_NAME: str(PROFILE)}),
        ({**LOCAL, "ROS_DISTRO": "kilted"}, {NAME: str(PROFILE)}),
        ({"ROS_LOCALHOST_ONLY": "1", "ROS_DISTRO": "humble"}, {OLDER_NAME: str(PROFILE)}),
        ({"ROS_LOCALHOST_ONLY": "0"}, {}),
        ({**LOCAL, NAME: "/my/own.xml"}, {}),
        ({**LOCAL, OLDER_NAME: "/my/own.xml"}, {}),
        ({**LOCAL, "RMW_IMPLEMENTATION": "rmw_cyclonedds_cpp"}, {}),
        ({**LOCAL, "RMW_IMPLEMENTATION": "rmw_fastrtps_cpp"}, {NAME: str(PROFILE)}),
    ],
)
def test_a_profile_is_set_where_nobody_else_is_sought_and_none_is_chosen(
    environ: dict[str, str], expected: dict[str, str], tmp_path: Path
) -> None:
    assert settings(environ, tmp_path) == expected


@pytest.mark.parametrize("name", ["DEFAULT_FASTRTPS_PROFILES.xml", "DEFAULT_FASTDDS_PROFILES.xml"])
def test_a_profile_in_the_folder_of_the_program_is_the_users(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    assert settings(LOCAL, tmp_path) == {}


def test_it_is_set_for_the_process_that_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (OLDER_NAME, NAME, "RMW_IMPLEMENTATION", "ROS_DISTRO"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    loopback.bind_to_loopback()
    assert os.environ[NAME] == str(PROFILE)
    assert loopback.is_on_loopback(os.environ)
    monkeypatch.setenv(NAME, "/my/own.xml")
    loopback.bind_to_loopback()
    assert os.environ[NAME] == "/my/own.xml"
    assert not loopback.is_on_loopback(os.environ)


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({**LOCAL, **CYCLONE}, True),
        ({"ROS_LOCALHOST_ONLY": "1", **CYCLONE}, True),
        (CYCLONE, False),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET", **CYCLONE}, False),
        ({**LOCAL, **CYCLONE, "CYCLONEDDS_URI": "<CycloneDDS/>"}, False),
        (LOCAL, False),
    ],
)
def test_sockets_of_cyclone_discard_what_others_send_where_none_is_sought_and_none_is_chosen(
    environ: dict[str, str], expected: bool
) -> None:
    assert loopback.is_filtered(environ) is expected


def test_every_socket_that_a_node_opens_has_the_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    class Middleware:
        def __init__(self) -> None:
            self.sockets = [
                socket.socket(socket.AF_INET, kind)
                for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM)
            ]

    class Node(contract_ports.LeavesContractPorts, Middleware):
        pass

    for name, value in {**LOCAL, **CYCLONE}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("CYCLONEDDS_URI", raising=False)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as before:
        datagrams, stream = Node().sockets
        with datagrams, stream:
            assert [is_discarding(each) for each in (before, datagrams, stream)] == [
                *(False, True, False),
            ]
        monkeypatch.delenv("RMW_IMPLEMENTATION")
        datagrams, stream = Node().sockets
        with datagrams, stream:
            assert not is_discarding(datagrams)


def test_the_profile_names_loopback_and_no_other_address() -> None:
    found = [each.text for each in ElementTree.parse(PROFILE).iter() if "address" in each.tag]
    assert found == ["127.0.0.1"]


def test_the_sockets_of_a_domain_are_those_of_its_ports() -> None:
    found = listening(TABLE, dict.fromkeys(["11", "12", "15"], False), 0)
    assert found == [("127.0.0.1", 7410), ("127.0.0.1", 7411)]
    assert told(found) == "ROS listens on 127.0.0.1 (UDP 7410, 7411)"
    assert listening(TABLE, {"11": False}, 1) == []


def test_an_address_that_others_reach_is_said() -> None:
    expected = "ROS listens on all addresses (UDP 7412): other machines can reach it"
    assert told(listening(TABLE, {"13": False}, 0)) == expected
    both = told(listening(TABLE, {"11": False, "14": False}, 0))
    assert both == (
        "ROS listens on 10.0.0.2 (UDP 7413) and 127.0.0.1 (UDP 7410): other machines can reach it"
    )
    assert told([]) == ""


def test_a_socket_that_discards_what_others_send_is_said() -> None:
    expected = "ROS listens on all addresses, from this machine alone (UDP 7412)"
    assert told(listening(TABLE, {"13": True}, 0)) == expected


def test_what_this_process_listens_on() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.bind(("127.0.0.1", 0))
        port = own.getsockname()[1]
        domain = (port - 7400) // 250
        found = loopback.own_listening({"ROS_DOMAIN_ID": str(domain)})
        assert ("127.0.0.1", port) in found
        discard_from_others(own)
        found = loopback.own_listening({"ROS_DOMAIN_ID": str(domain)})
        assert ("all addresses, from this machine alone", port) in found
    assert loopback.own_listening({"ROS_DOMAIN_ID": "no number"}) == []


# ---- a server that starts while a node is created ----------------------------------------------


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> int:
    """A free port, as one of the contract."""
    [number] = free_ports(1)
    monkeypatch.setattr(contract_ports, "CONTRACT_PORTS", (number,))
    return number


def test_a_server_waits_for_a_port_that_is_kept_for_a_moment(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    kept = contract_ports.reserved([port], is_bound_to_loopback=True)
    kept.__enter__()

    def sleep(duration_s: float) -> None:
        waited.append(duration_s)
        kept.__exit__(None, None, None)

    clock = SimpleNamespace(monotonic=lambda: 0.0, sleep=sleep)
    monkeypatch.setattr(contract_ports, "time", clock)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        contract_ports.bind(server, ("127.0.0.1", port))
        assert server.getsockname() == ("127.0.0.1", port)
    assert len(waited) == 1


def test_a_port_that_stays_taken_is_an_error(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 1.0, contract_ports.PATIENCE_S + 0.1])
    clock = SimpleNamespace(monotonic=lambda: next(times), sleep=lambda _: None)
    monkeypatch.setattr(contract_ports, "time", clock)
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as owner,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server,
    ):
        owner.bind(("127.0.0.1", port))
        with pytest.raises(OSError, match="in use") as caught:
            contract_ports.bind(server, ("127.0.0.1", port))
    assert caught.value.errno == errno.EADDRINUSE
    assert next(times, None) is None


def test_two_that_start_keep_a_port_from_the_middleware(port: int) -> None:
    with (
        contract_ports.reserved([port], is_bound_to_loopback=True),
        contract_ports.reserved([port], is_bound_to_loopback=True),
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as middleware,
        pytest.raises(OSError, match="in use"),
    ):
        middleware.bind(("127.0.0.1", port))


def test_without_the_profile_a_server_on_loopback_need_not_wait(port: int) -> None:
    with (
        contract_ports.reserved([port]),
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server,
    ):
        server.bind(("127.0.0.1", port))


def test_a_server_holds_what_arrives_while_its_process_does_not_run(port: int) -> None:
    """Of 1000 datagrams, 20 ms of a flood, the kernel's default keeps some 270."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
    ):
        contract_ports.bind(server, ("127.0.0.1", port))
        allowed = int(Path("/proc/sys/net/core/rmem_max").read_text())
        for _ in range(1000):
            sender.sendto(bytes(76), ("127.0.0.1", port))
        server.setblocking(False)
        held = 0
        with contextlib.suppress(BlockingIOError):
            while server.recv(100):
                held += 1
    assert held == 1000 or allowed < contract_ports.RECEIVE_BUFFER_BYTES
