"""What participants of Fast DDS that were killed leave behind goes when the next node starts."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest
from vdsim_protocol.shared_memory import SETTLED_S, remove_of_dead

from vdsim_protocol import contract_ports, shared_memory

DEAD, LIVING, YOUNG = (f"fastrtps_{digit * 16}" for digit in "abc")
NOW_S = 1_000_000.0


@pytest.fixture
def segments(tmp_path: Path) -> Path:
    """A dead one, one whose lock is held, and one that was made just now."""
    for name in (DEAD, LIVING, YOUNG):
        for file in (tmp_path / name, tmp_path / f"{name}_el"):
            file.touch()
            made_s = NOW_S - (SETTLED_S / 2 if name == YOUNG else 2 * SETTLED_S)
            os.utime(file, (made_s, made_s))
    (tmp_path / "fastrtps_port7411_el").touch()
    os.utime(tmp_path / "fastrtps_port7411_el", (0.0, 0.0))
    return tmp_path


def test_only_what_nobody_uses_is_removed(segments: Path) -> None:
    with (segments / f"{LIVING}_el").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert remove_of_dead(segments, now_s=NOW_S) == 1
    left = {LIVING, f"{LIVING}_el", YOUNG, f"{YOUNG}_el", "fastrtps_port7411_el"}
    assert {each.name for each in segments.iterdir()} == left
    assert remove_of_dead(segments, now_s=NOW_S) == 1


@pytest.mark.parametrize("begins", [b"", bytes(4), b"\1\0\0\0"])
def test_a_port_that_nobody_completes_is_removed(tmp_path: Path, begins: bytes) -> None:
    # Of a process that was killed while it made the port: whoever opens it waits without end.
    port, mutex = tmp_path / "fastrtps_port7411", tmp_path / "sem.fastrtps_port7411_mutex"
    complete, young = tmp_path / "fastrtps_port7413", tmp_path / "fastrtps_port7415"
    for file, text in ((port, begins), (complete, b"\2\0\0\0"), (young, begins), (mutex, b"")):
        file.write_bytes(text)
        made_s = NOW_S - (SETTLED_S / 2 if file == young else 2 * SETTLED_S)
        os.utime(file, (made_s, made_s))
    assert remove_of_dead(tmp_path, now_s=NOW_S) == 1
    assert {*tmp_path.iterdir()} == {complete, young}


def test_a_lock_of_somebody_else_is_left(segments: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: -1)
    assert remove_of_dead(segments, now_s=NOW_S) == 0


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.touch()
    lock = tmp_path / f"{DEAD}_el"
    lock.symlink_to(precious)
    assert remove_of_dead(tmp_path, now_s=NOW_S + 1e12) == 0
    assert precious.exists()
    assert lock.is_symlink()


def test_no_folder_is_no_fault(tmp_path: Path) -> None:
    assert remove_of_dead(tmp_path / "none") == 0


def test_the_first_node_of_a_process_removes_it(
    segments: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Node(contract_ports.LeavesContractPorts):
        pass

    monkeypatch.setattr(shared_memory.remove_of_dead, "__defaults__", (segments,))
    monkeypatch.setattr(shared_memory.time, "time", lambda: NOW_S)
    Node()
    assert not (segments / DEAD).exists()
