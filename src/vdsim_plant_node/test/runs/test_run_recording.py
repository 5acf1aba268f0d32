"""The recording format: round trip; damage and a truncated end are distinguished."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant_node.runs.recording import (
    InputSource,
    Record,
    RecordingError,
    RecordingReader,
    RecordingWriter,
    RecordKind,
    pack_input,
    pack_reset,
    unpack_input,
    unpack_reset,
)

PEDALS = PedalInput(0.125, 0.5, 0.0, 1, False)
START = InitialState(1.0, 2.0, 0.5, 10.0, 0.25, -0.125)


def write_some(path: Path) -> None:
    writer = RecordingWriter(path, {"tick_s": 0.005, "vehicles": ["ioniq5_awd"]})
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


def test_a_full_disk_ends_the_recording_and_not_the_run() -> None:
    writer = RecordingWriter(Path("/dev/full"), {})
    for tick in range(2000):
        writer.state(0, tick, 0.005 * tick, b"s" * 436)
    assert writer.failure is not None
    assert "No space left on device" in writer.failure
    writer.close()


def test_a_disk_that_is_full_at_the_end_is_noticed() -> None:
    writer = RecordingWriter(Path("/dev/full"), {})
    writer.close()
    assert writer.failure is not None
