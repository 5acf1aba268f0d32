"""Real processes, killed: the file is complete, and no message in it is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_record.cli.kills import KINDS, Kill, one_kill, report


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_complete_whichever_process_is_killed(kind: str, tmp_path: Path) -> None:
    kill = one_kill(kind, 0.3, tmp_path)
    assert kill.fault == ""
    assert not (tmp_path / "drive.mcap.journal").exists()


def test_what_took_too_long_or_lost_too_much_is_told() -> None:
    good = Kill("recorder", 1.0, 0.5, 0.1, "")
    assert good.verdict == ""
    assert good._replace(complete_s=1.2).verdict == "complete after 1.20 s"
    assert good._replace(lost_s=0.3).verdict == "0.300 s lost"
    assert good._replace(fault="not read").verdict == "not read"
    [line, fault] = report([good, good._replace(fault="not read")])
    assert "2 kills, 1 faults" in line
    assert "not read" in fault
