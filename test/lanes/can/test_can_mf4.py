"""ASAM's .mf4 by asammdf, which is optional: what is written is read again."""

from pathlib import Path

import pytest
from vdsim_can.bus.recording import Recorded, Recording, RecordingError, recorded
from vdsim_can.frame import Frame

BUSES = ("main", "body")
STAMP_S = 1700000000.25
FRAMES = [
    Recorded(STAMP_S, "main", Frame(0x110, b"\x01\x02"), False),
    Recorded(STAMP_S + 0.01, "body", Frame(0x18FF0001, bytes(range(8)), True), True),
    Recorded(STAMP_S + 0.02, "main", Frame(0x7FF, b"\x00"), True),
    Recorded(STAMP_S + 0.03, "body", Frame(0x120, bytes(range(12)), False, True), False),
    Recorded(STAMP_S + 0.04, "main", Frame(0x1FFFFFFF, bytes(range(64)), True, True), True),
]


def test_frames_come_back_from_an_mf4_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "drive.mf4"
    recording = Recording(path, BUSES)
    for each in FRAMES:
        recording.add(each.bus, each.frame, each.stamp_s, is_sent=each.is_sent)
    recording.close()
    found = list(recorded(path, BUSES))
    assert [each._replace(stamp_s=0.0) for each in found] == [
        each._replace(stamp_s=0.0) for each in FRAMES
    ]
    assert [each.stamp_s for each in found] == pytest.approx(
        [each.stamp_s for each in FRAMES], abs=1e-4
    )


def test_a_file_of_something_else_is_refused_in_one_line(tmp_path: Path) -> None:
    wrong = tmp_path / "drive.mf4"
    wrong.write_bytes(b"nothing of the kind" * 20)
    with pytest.raises(RecordingError) as refused:
        list(recorded(wrong, BUSES))
    assert "\n" not in str(refused.value)
