"""The file is complete and nothing that was written is lost, wherever a process has ended."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader
from vdsim_record.cli import finish as finish_command
from vdsim_record.journal.folder import RECORDER, JournalBusyError
from vdsim_record.journal.frames import scan
from vdsim_record.mcap_file import growing_file
from vdsim_record.mcap_file.finishing import finish, finish_all
from vdsim_record.mcap_file.growing_file import GrowingFile, NotReadBackError
from vdsim_record_kit.journals import Journal, files, numbers, upto


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "drive.mcap")


class EndedError(BaseException):
    """The process ends here: nothing of ours may catch it."""


def test_a_complete_recording_is_read_by_the_readers_of_others(
    journal: Journal, tmp_path: Path
) -> None:
    journal.segments(3)
    journal.add(5)
    journal.writer.close()
    done = finish(journal.folder)
    assert (done.totals.messages, done.lost_bytes) == (35, 0)
    assert files(tmp_path) == ["drive.mcap"]
    assert numbers(journal.target) == upto(35)
    with journal.target.open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        assert [each.decoded_message.data for each in reader.iter_decoded_messages()] == upto(35)
        assert [each.metadata for each in reader.iter_metadata()] == [{"vdsim_record": "test"}]
    with AnyReader([journal.target]) as bag:
        assert len(list(bag.messages())) == 35
        assert {each.msgtype for each in bag.connections} == {"std_msgs/msg/UInt32"}


def test_an_empty_recording_is_a_file(journal: Journal) -> None:
    journal.writer.close()
    finish(journal.folder)
    assert numbers(journal.target) == []


@pytest.mark.parametrize("call", ["pwrite", "fsync", "ftruncate", "pread", "unlink", "close"])
def test_an_end_at_any_call_loses_nothing(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every place at which the finisher can end; the next one completes the file."""
    ended_n = 0
    for at in range(100):
        journal = Journal(tmp_path / f"{at}.mcap")
        journal.segments(2)
        journal.add(3)
        journal.writer.close()
        with monkeypatch.context() as patched:
            owner = Path if call == "unlink" else os
            patched.setattr(owner, call, ending(getattr(owner, call), at))
            try:
                finish(journal.folder)
            except EndedError:
                ended_n += 1
        if journal.folder.path.exists():
            finish(journal.folder)
        assert numbers(journal.target) == upto(23), f"ended at {call} {at}"
        if at >= ended_n:
            break
    assert ended_n >= 2, "the call is never made"


def ending(call: Callable[..., object], at: int) -> Callable[..., object]:
    """The call, which ends the process before it is made for the `at`-th time."""
    left = [at]

    def counted(*arguments: object, **options: object) -> object:
        left[0] -= 1
        if left[0] == -1:
            raise EndedError
        return call(*arguments, **options)

    return counted


def test_a_power_cut_leaves_a_segment_that_ends_anywhere(tmp_path: Path) -> None:
    whole = Journal(tmp_path / "whole.mcap")
    whole.add(6)
    whole.writer.close()
    data = whole.folder.segment(1).read_bytes()
    for cut in range(0, len(data), 7):
        journal = Journal(tmp_path / f"{cut}.mcap")
        journal.writer.close()
        journal.folder.segment(1).write_bytes(data[:cut])
        expected = sum(record[0] == 5 for record in scan(data[:cut]).records)
        done = finish(journal.folder)
        assert numbers(journal.target) == upto(expected)
        assert done.lost_bytes == cut - scan(data[:cut]).end
        assert f"{done.lost_bytes} bytes" in str(done) or not done.lost_bytes


def test_a_full_disk_leaves_the_journal_and_the_reserve_completes_the_file(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal.segments(2)

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    growing = GrowingFile(journal.folder)
    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", full)
        with pytest.raises(OSError, match="No space"):
            growing.take_segments(with_last=False)
        patched.setattr(os, "write", full)
        journal.add(1)
        with pytest.raises(OSError, match="No space"):
            journal.writer.flush()
    growing.close()
    assert journal.folder.reserve.stat().st_size >= 16 << 20
    finish(journal.folder)
    assert numbers(journal.target) == upto(20)


def test_what_cannot_be_read_back_keeps_its_journal(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal.segments(1)
    journal.writer.close()
    with monkeypatch.context() as patched:
        patched.setattr(os, "pread", lambda file, size, at: bytes(size))
        with pytest.raises(NotReadBackError):
            finish(journal.folder)
    assert journal.folder.segments()
    with monkeypatch.context() as patched:
        patched.setattr(growing_file, "make_reader", lambda stream: NoSummary())
        with pytest.raises(NotReadBackError):
            finish(journal.folder)
    assert journal.folder.path.is_dir()
    finish(journal.folder)
    assert numbers(journal.target) == upto(10)


class NoSummary:
    """A reader that finds no summary."""

    def get_summary(self) -> None:
        return None


def test_who_records_is_left_alone(journal: Journal, tmp_path: Path) -> None:
    journal.segments(1)
    with journal.folder.locked(RECORDER):
        with pytest.raises(JournalBusyError):
            finish(journal.folder)
        assert finish_all(tmp_path) == []
    assert [done.path for done in finish_all(tmp_path)] == [journal.target]


def test_the_command_completes_what_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.mcap", "b.mcap"):
        Journal(tmp_path / name).segments(1)
    first = tmp_path / "a.mcap.journal"
    assert finish_command.main(["finish", str(first)]) == 0
    assert files(tmp_path) == ["a.mcap", "b.mcap.journal"]
    assert finish_command.main(["finish", str(tmp_path)]) == 0
    assert files(tmp_path) == ["a.mcap", "b.mcap"]
    assert "complete, 10 messages" in capsys.readouterr().out
    assert finish_command.main(["finish", str(tmp_path)]) == 2
    assert "there is no journal" in capsys.readouterr().err
