"""The parts of `./ws attack` that need no stack: what it sends, and what it counts."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
from array import array

import pytest
from rcl_interfaces.msg import Parameter, ParameterValue
from vdsim_campaign.attack import __main__ as command
from vdsim_campaign.attack.datagrams import _KINDS, datagram
from vdsim_campaign.attack.floods import Measured, drops
from vdsim_campaign.attack.guard_socket import _packet
from vdsim_campaign.attack.kills import a_try
from vdsim_campaign.attack.rig import is_ours, waited_s
from vdsim_campaign.attack.ros_requests import bytes_n, filled
from vdsim_campaign.attack.row import Row, table
from vdsim_campaign.attack.web import _FRAMES, _frame, _request
from vdsim_interface.guard.frames import TO_GUARD, Frame, FrameReader, Reject

from vdsim_msgs import msg, srv


def test_every_kind_has_an_attack() -> None:
    options = command.parser().parse_args([])
    attacks = command._attacks(options, 1.0)
    assert {*attacks, command.FILES} == command.KINDS.keys()


def test_the_table_counts_what_fell() -> None:
    rows = [Row("a", 3, ["it ended"], ["x", "y"]), Row("b", 2)]
    assert table(rows).splitlines()[2:] == ["| a | 3 | 1 | x; y |", "| b | 2 | 0 |  |"]


def test_any_message_of_ours_can_be_filled_with_anything() -> None:
    chance = random.Random(1)
    kinds = [kind for kind in vars(msg).values() if hasattr(kind, "SLOT_TYPES")]
    kinds += [kind.Request for kind in vars(srv).values() if hasattr(kind, "Request")]
    assert len(kinds) > 15
    for kind in kinds:
        different = {str(filled(kind, chance)) for _ in range(20)}
        assert len(different) > 1 or not kind.get_fields_and_field_types()


@pytest.mark.parametrize("kind", _KINDS)
def test_a_datagram_of_each_kind_can_be_made(kind: str) -> None:
    chance = random.Random(1)
    sizes = {len(datagram(kind, chance)) for _ in range(40)}
    assert max(sizes) <= 65_507
    assert kind == "empty" or max(sizes) > 24


def test_frames_and_requests_are_bytes_of_every_kind() -> None:
    chance = random.Random(1)
    assert all(_frame(kind, chance) for kind in _FRAMES)
    assert len({_request(chance) for _ in range(50)}) > 40
    reader = FrameReader(TO_GUARD)
    kinds = {type(reader.read(_packet(chance), 0.0)) for _ in range(100)}
    assert kinds == {Frame, Reject}


def test_the_stored_figures_have_every_kind() -> None:
    stored = json.loads(command.STORED.read_text(encoding="utf-8"))
    assert stored["kinds"].keys() >= command.KINDS.keys()
    assert stored["kinds"].keys() == stored["figures"].keys()


def test_a_flood_is_measured_in_a_line() -> None:
    waited = {"plant": 0.254}
    line = str(
        Measured(failsafes=1, delivered=0.995, p99_ms=12.4, dropped=(7, 0), waited=waited, read=9)
    )
    assert line == (
        "1 fail-safes, 99.5 % of commands, p99 12 ms, 7 + 0 discarded by the kernel, "
        "9 read and rejected at the plant, without a core: plant 25 %"
    )


def test_what_a_full_socket_drops_is_counted() -> None:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as full,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other,
    ):
        for each in (full, other):
            each.bind(("127.0.0.1", 0))
        ports = full.getsockname()[1], other.getsockname()[1]
        assert drops(ports) == (0, 0)
        for _ in range(5000):
            other.sendto(bytes(100), ("127.0.0.1", ports[0]))
        dropped, none = drops(ports)
    assert dropped > 0
    assert none == 0


def test_how_long_a_process_waited_for_a_core_is_known() -> None:
    found = waited_s({"own": os.getpid(), "none": 1 << 22})
    assert found.keys() == {"own"}
    assert found["own"] >= 0.0


def test_a_process_of_another_ros_domain_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", "41")
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"runs\n")
        process.stdin.flush()
        process.stdout.readline()
        assert is_ours(process.pid)
        monkeypatch.setenv("ROS_DOMAIN_ID", "4")
        assert not is_ours(process.pid)
        process.communicate()
    monkeypatch.setenv("ROS_DOMAIN_ID", "41")
    assert not is_ours(process.pid)


def test_the_size_of_a_request_counts_names_texts_and_lists() -> None:
    value = ParameterValue(type=9, string_array_value=["ab"] * 10, string_value="c")
    one = Parameter(name="long", value=value)
    assert bytes_n([one] * 3) == 3 * ((4 + 8) + (1 + 8) + 10 * (2 + 8))
    numbers = ParameterValue(type=8, double_array_value=array("d", bytes(8 * 1000)))
    assert bytes_n([Parameter(name="", value=numbers)]) >= 8000


def test_a_try_to_kill_is_repeated_by_its_number() -> None:
    names = ["guard", "plant"]
    tries = [a_try(1, "single", number, names, 60.0) for number in range(400)]
    assert tries == [a_try(1, "single", number, names, 60.0) for number in range(400)]
    stops_s = [stop_s for _, stop_s in tries if stop_s]
    assert 0.3 < len(stops_s) / len(tries) < 0.5
    assert 0.1 <= min(stops_s) < 0.2 < 30.0 < max(stops_s) <= 60.0
    assert 0.25 < sum(stop_s < 1.0 for stop_s in stops_s) / len(stops_s) < 0.5
    assert {name for name, _ in tries} == {*names}
