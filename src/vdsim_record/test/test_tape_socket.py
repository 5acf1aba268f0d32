"""The tape's way from the interface to the recorder: in order, whole, and nobody waits."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_record.tape import attach
from vdsim_record.tape.attach import Sender
from vdsim_record.tape.receiving import TapeSocket


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "own" / "tape.sock"


def test_what_a_process_writes_arrives_in_order(path: Path) -> None:
    early = Sender(str(path))
    early.send(b"before the recorder")
    recorder = TapeSocket(path)
    early.send(b"2")
    late = Sender(str(path))
    late.send(b"of another process")
    early.send(b"3")
    first = [b"before the recorder", b"2", b"3"]
    assert list(recorder.receive()) == [*((1, data) for data in first), (2, b"of another process")]
    assert list(recorder.receive()) == []
    recorder.close()
    assert not path.exists()
    for sender in (early, late):
        sender.send(b"to nobody")


def test_a_recorder_that_does_not_read_costs_memory_and_no_time(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = TapeSocket(path)
    sender = Sender(str(path))
    packets = [bytes([n % 256]) * 4096 for n in range(500)]
    for data in packets:
        sender.send(data)  # more than the socket holds
    found: list[bytes] = []
    for _ in range(100):
        found += [data for _, data in recorder.receive()]
        packets.append(b"later")
        sender.send(b"later")
    found += [data for _, data in recorder.receive()]
    assert found == packets
    monkeypatch.setattr(attach, "MOST_WAITING", 10)
    for _ in range(1000):
        sender.send(bytes(4096))
    assert not sender._waiting, "the tape has ended"
    recorder.close()


def test_the_end_of_the_recorder_does_not_end_the_sender(path: Path) -> None:
    recorder = TapeSocket(path)
    sender = Sender(str(path))
    sender.send(b"1")
    assert list(recorder.receive()) == [(1, b"1")]
    recorder.close()
    for _ in range(3):
        sender.send(b"2")


def test_a_folder_that_others_can_enter_is_refused(path: Path) -> None:
    path.parent.mkdir(mode=0o755)
    path.parent.chmod(0o755)
    with pytest.raises(OSError, match="mode 700"):
        TapeSocket(path)
