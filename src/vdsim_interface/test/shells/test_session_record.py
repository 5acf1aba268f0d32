"""Who drove outlives a crash of the process, and nothing else."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from vdsim_interface.arbitration.give_back import Latches
from vdsim_interface.ros.process.session_record import (
    NO_LATCHES,
    VALID_S,
    SessionRecord,
    default_path,
)
from vdsim_interface.values import Session

SESSION = Session("autonomy", {"rate": 3, "mode_changed": 1}, wheels_rad=(0.2, -0.05))
CRASH = """
import os, pathlib, sys, time
from vdsim_interface.arbitration.give_back import Latches
from vdsim_interface.ros.process.session_record import SessionRecord
from vdsim_interface.values import Session
path = pathlib.Path(sys.argv[1])
record = SessionRecord(path)
session = Session("autonomy", {"rate": 3, "mode_changed": 1}, wheels_rad=(0.2, -0.05))
record.save(session, Latches("a person", "stopped"))
while not path.exists():
    time.sleep(0.01)
if sys.argv[2] == "crash":
    os.kill(os.getpid(), 9)
record.discard()
"""


def end(path: Path, how: str) -> None:
    subprocess.run([sys.executable, "-c", CRASH, str(path), how], check=False, timeout=60)


def test_a_crash_leaves_the_session_and_a_normal_end_does_not(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "session.json"
    end(path, "crash")
    record = SessionRecord(path)
    assert record.load() == SESSION
    assert record.latches == Latches("a person", "stopped")
    end(path, "normally")
    assert not path.exists()
    record = SessionRecord(path)
    assert record.load() is None
    assert record.latches == Latches()


def test_the_record_of_a_running_process_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    record = SessionRecord(path)
    record.save(SESSION)
    end = time.monotonic() + 60.0
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    assert SessionRecord(path).load() is None
    record.discard()


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(os.getpid(), id="of this process, in a container that has started again"),
        pytest.param(os.getppid(), id="of another process"),
    ],
)
def test_the_record_of_a_process_whose_number_is_in_use_again_counts(
    tmp_path: Path, other: int
) -> None:
    path = tmp_path / "session.json"
    end(path, "crash")
    content = json.loads(path.read_text())
    _, started, namespace = content["process"].split(":")
    path.write_text(json.dumps({**content, "process": f"{other}:{started}:{namespace}"}))
    record = SessionRecord(path)
    assert record.load() == SESSION
    assert record.latches == Latches("a person", "stopped")


def test_the_record_of_a_process_that_nobody_has_waited_for_counts(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    with subprocess.Popen([sys.executable, "-c", CRASH, str(path), "crash"]) as zombie:
        os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
        assert SessionRecord(path).load() == SESSION


@pytest.mark.parametrize(
    "change",
    [
        {"boot": "another"},
        {"stamp_s": time.clock_gettime(time.CLOCK_MONOTONIC) - VALID_S - 60.0},
        {"stamp_s": time.clock_gettime(time.CLOCK_MONOTONIC) + 1e6},
        {"stamp_s": "x"},
        {"counts": [1]},
        {"wheels_rad": [0.1]},
        {"wheels_rad": ["left", "right"]},
        {"counts": {"rate": "many"}},
        {"process": None},
        {"process": ""},
        {"last_driver": None, "counts": None},
    ],
)
def test_another_boot_an_old_record_or_nonsense_do_not_count(
    tmp_path: Path, change: dict[str, object]
) -> None:
    path = tmp_path / "session.json"
    end(path, "crash")
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, **change}))
    assert SessionRecord(path).load() is None


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b"null", b"{" * 200_000])
def test_a_broken_file_is_no_session(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "session.json"
    path.write_bytes(data)
    assert SessionRecord(path).load() is None


def test_a_change_is_kept_at_once_and_else_five_times_a_second() -> None:
    record = SessionRecord(None)
    saved: list[float] = []
    stopped = Latches("a person", "")
    for now, mode, latches in (
        (0.0, 1, NO_LATCHES),
        (0.15, 1, NO_LATCHES),
        (0.16, 2, NO_LATCHES),
        (0.17, 2, stopped),
        (0.36, 2, stopped),
        (0.38, 2, stopped),
        (0.2, 2, stopped),  # simulated time was reset
    ):

        def session(now: float = now) -> Session:
            saved.append(now)
            return Session("", {})

        record.keep(mode, now, session, latches)
    assert saved == [0.0, 0.16, 0.17, 0.38, 0.2]


def test_without_a_file_nothing_is_kept() -> None:
    record = SessionRecord(None)
    record.save(SESSION)
    record.discard()
    assert record.load() is None


def test_a_folder_that_cannot_be_written_delays_and_breaks_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    record = SessionRecord(tmp_path / "file" / "session.json")
    record.save(SESSION)
    record.discard()
    assert record.load() is None


def test_each_node_of_each_domain_has_its_own_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_HOME", os.sep + "ros")
    domain = os.environ["ROS_DOMAIN_ID"]
    path = default_path("/vehicle/vehicle_interface")
    assert (
        path == Path(os.sep) / "ros" / "vdsim" / f"session-{domain}-vehicle-vehicle_interface.json"
    )
