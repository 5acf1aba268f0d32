"""The recording format: round trip; damage and a truncated end are distinguished."""

from __future__ import annotations

import errno
import io
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters import ParameterError
from vdsim_plant_node.runs.recording import (
    InputSource,
    Record,
    RecordingError,
    RecordingReader,
    RecordKind,
    pack_input,
    pack_reset,
    unpack_input,
    unpack_reset,
)
from vdsim_plant_node.runs.recording_status import RecordingFiles
from vdsim_plant_node.runs.recording_writer import LARGEST_BACKLOG_BYTES, RecordingWriter

PEDALS = PedalInput(0.125, 0.5, 0.0, 1, False)
START = InitialState(1.0, 2.0, 0.5, 10.0, 0.25, -0.125)


def write_some(path: Path) -> None:
    writer = RecordingWriter(RecordingFiles(path), {"tick_s": 0.005, "vehicles": ["ioniq5_awd"]})
    writer.reset(7, 0, 0.0, START)
    writer.input(7, 0, 0.0, PEDALS, InputSource.FAILSAFE)
    writer.command(7, 3, 0.015, b"cmd")
    writer.state(7, 4, 0.02, b"s" * 436)
    writer.close()


def test_a_recording_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "run.vds"
    write_some(path)
    reader = RecordingReader(path)
    assert reader.metadata == {"tick_s": 0.005, "vehicles": ["ioniq5_awd"]}
    records = list(reader)
    assert records == [
        Record(RecordKind.RESET, 7, 0, 0.0, pack_reset(START)),
        Record(RecordKind.INPUT, 7, 0, 0.0, pack_input(PEDALS, InputSource.FAILSAFE)),
        Record(RecordKind.CMD, 7, 3, 0.015, b"cmd"),
        Record(RecordKind.STATE, 7, 4, 0.02, b"s" * 436),
    ]
    assert not reader.truncated


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.builds(PedalInput, finite, finite, finite, st.integers(-1, 1), st.booleans()),
    st.sampled_from(InputSource),
)
def test_inputs_are_kept_to_the_bit(pedals: PedalInput, source: InputSource) -> None:
    assert unpack_input(pack_input(pedals, source)) == (pedals, source)


@given(st.builds(InitialState, finite, finite, finite, finite, finite, finite))
def test_initial_states_are_kept_to_the_bit(initial: InitialState) -> None:
    assert unpack_reset(pack_reset(initial)) == initial


def test_every_cut_off_end_is_read_up_to_the_last_whole_record(tmp_path: Path) -> None:
    whole = tmp_path / "run.vds"
    write_some(whole)
    data = whole.read_bytes()
    first = len(data) - (24 + 48 + 4) - (24 + 30 + 4) - (24 + 3 + 4) - (24 + 436 + 4)
    cut = tmp_path / "cut.vds"
    counts = []
    for length in range(first, len(data)):
        cut.write_bytes(data[:length])
        reader = RecordingReader(cut)
        counts.append(len(list(reader)))
        assert reader.truncated == (length not in (first, first + 76, first + 134, first + 165))
    assert sorted(set(counts)) == [0, 1, 2, 3]
    assert counts == sorted(counts)


def test_every_flipped_bit_of_a_record_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "run.vds"
    write_some(path)
    data = path.read_bytes()
    records = list(RecordingReader(path))
    start = data.index(b"cmd") - 24
    for bit in range(8 * (24 + 3 + 4)):
        damaged = bytearray(data)
        damaged[start + bit // 8] ^= 1 << (bit % 8)
        path.write_bytes(damaged)
        reader = RecordingReader(path)
        seen, error = read_all(reader)
        assert error == f"damaged record at byte {start}" or (reader.truncated and not error)
        assert seen == records[:2]


def read_all(reader: RecordingReader) -> tuple[list[Record], str]:
    """The records up to the first error, and that error's text without file and detail."""
    seen: list[Record] = []
    try:
        seen.extend(reader)
    except RecordingError as error:
        return seen, str(error).split(": ")[1]
    return seen, ""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a vdsim recording"),
        (b"t,x,y\n0,0,0\n", "is not a vdsim recording"),
        (b"VDSREC\x02\x00\x02\x00\x00\x00{}", "format version 2, this program reads 1"),
        (b"VDSREC\x01\x00\x02\x00\x00\x00{]", "damaged metadata"),
        (b"VDSREC\x01\x00\x02\x00\x00\x00[]", "damaged metadata: not a mapping"),
    ],
)
def test_another_file_is_refused_with_a_reason(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "other.vds"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=message):
        RecordingReader(path)


class FullDisk(io.RawIOBase):
    """A file that takes some bytes, and then no more."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.content = b""

    def write(self, data: Any) -> int:
        if self.room == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = bytes(data[: self.room])
        self.room -= len(taken)
        self.content += taken
        return len(taken)


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_a_full_disk_ends_the_recording_and_not_the_run(tmp_path: Path) -> None:
    writer = RecordingWriter(RecordingFiles(tmp_path / "run.vds"), {})
    writer._file.close()
    disk = FullDisk(1000)
    writer._file = disk
    for tick in range(20):
        writer.state(0, tick, 0.005 * tick, b"s" * 436)
    wait_for(lambda: writer.failure is not None)
    assert "No space left on device" in str(writer.status().failure)
    writer.state(0, 21, 0.0, b"s" * 436)
    writer.close()
    assert len(disk.content) == 1000  # what had room is there, the last record cut off


def test_a_disk_that_is_full_at_the_start_is_one_error() -> None:
    with pytest.raises(OSError, match="No space left on device"):
        RecordingWriter(RecordingFiles(Path("/dev/full"), replace=True), {})


def test_everything_is_on_the_disk_without_closing(tmp_path: Path) -> None:
    path = tmp_path / "run.vds"
    writer = RecordingWriter(RecordingFiles(path), {"tick_s": 0.005})
    assert RecordingReader(path).metadata == {"tick_s": 0.005}, "the header is written at once"
    writer.state(0, 1, 0.005, b"s" * 436)
    wait_for(lambda: len(list(RecordingReader(path))) == 1)
    writer.close()


def test_an_existing_file_is_kept_unless_it_may_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "run.vds"
    write_some(path)
    before = path.read_bytes()
    with pytest.raises(ParameterError, match=r"record=.*run.vds: exists; choose another name"):
        RecordingWriter(RecordingFiles(path), {})
    assert path.read_bytes() == before
    RecordingWriter(RecordingFiles(path, replace=True), {}).close()
    assert len(list(RecordingReader(path))) == 0


def test_the_next_file_of_another_recording_is_no_place_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "run.2.vds").touch()
    with pytest.raises(ParameterError, match=r"run.2.vds: exists"):
        RecordingWriter(RecordingFiles(tmp_path / "run.vds"), {})


@pytest.mark.parametrize(("kept", "names"), [(0, "1234"), (2, "34"), (1, "4")])
def test_a_full_file_goes_on_in_the_next_one(tmp_path: Path, kept: int, names: str) -> None:
    files = RecordingFiles(tmp_path / "run.vds", largest_bytes=900, kept=kept)
    writer = RecordingWriter(files, {"tick_s": 0.005})
    for tick in range(7):  # two states fill a file
        if writer.is_full:
            writer.begin_next()
        writer.state(0, tick, 0.005 * tick, b"s" * 436)
    writer.close()
    there = [number for number in range(1, 6) if files.numbered(number).exists()]
    assert there == [int(name) for name in names]
    records = [r.tick for number in there for r in RecordingReader(files.numbered(number))]
    assert records == list(range(7))[2 * (there[0] - 1) :]


def test_a_disk_that_does_not_answer_costs_bounded_memory(tmp_path: Path) -> None:
    writer = RecordingWriter(RecordingFiles(tmp_path / "run.vds"), {})
    hold = threading.Event()
    writer._write = lambda data: hold.wait() and None  # type: ignore[assignment, func-returns-value]
    payload = bytes(60_000)
    for tick in range(2000):
        writer.state(0, tick, 0.0, payload)
    assert writer.failure == "the disk does not keep up"
    assert writer._pending_bytes < LARGEST_BACKLOG_BYTES + 70_000
    hold.set()
    writer.close()
