"""Real processes, killed: the file is complete, and no message in it is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from vdsim_record.cli.killing import drives, power, tries
from vdsim_record.cli.killing.figures import POWER, Kill, report, rows
from vdsim_record.cli.killing.tries import one_kill
from vdsim_record.cli.kills import store


@pytest.mark.parametrize("kind", [kind for kind in tries.KINDS if kind != tries.DISK])
def test_a_file_is_complete_whatever_ends(kind: str, tmp_path: Path) -> None:
    kill = one_kill(kind, 1.2, tmp_path)
    assert kill.fault == ""
    left = tmp_path / ("after" if kind == POWER else "disk")
    # The file is complete when the journal has lost its name; its folder is removed afterwards.
    tries.wait(lambda: [path.name for path in left.iterdir()] == ["drive.mcap"], "one file only")


def test_a_drive_is_in_the_file_when_its_launch_is_killed(tmp_path: Path) -> None:
    kill = drives.one_kill(drives.LAUNCH, 0.5, tmp_path)
    assert kill.fault == ""
    assert (tmp_path / "drive.mcap").stat().st_size > 10_000
    assert not (tmp_path / "drive.mcap.journal").exists()


def test_a_power_cut_takes_what_the_disk_was_not_asked_to_keep(tmp_path: Path) -> None:
    folder, notes = tmp_path / "disk", tmp_path / "syncs"
    (folder / "in").mkdir(parents=True)
    for name, size in (("in/kept", 7), ("in/new", 5), ("other", 3)):
        (folder / name).write_bytes(bytes(size))
    asked = [[folder / "in", ["kept"]], [folder, ["in", "other", "gone"]], [folder / "in/kept", 4]]
    notes.write_text("".join(json.dumps([str(path), kept]) + "\n" for path, kept in asked))
    power.cut(folder, notes, tmp_path / "after")
    left = {str(p.relative_to(tmp_path / "after")): p for p in (tmp_path / "after").rglob("*")}
    assert sorted(left) == ["in", "in/kept", "other"]
    assert [left[name].stat().st_size for name in ("in/kept", "other")] == [4, 0]


GOOD = Kill("recorder", 1.0, 0.5, 0.1, 0.1, "")


def test_what_took_too_long_or_lost_too_much_is_told() -> None:
    assert GOOD.verdict == ""
    assert GOOD._replace(complete_s=1.2).verdict == "complete after 1.20 s"
    assert GOOD._replace(complete_s=1.2, waited_s=0.3).verdict == ""
    assert GOOD._replace(lost_s=0.3).verdict == "0.300 s lost"
    assert GOOD._replace(lost_s=0.3, kind="power").verdict == ""
    assert GOOD._replace(lost_s=1.1, kind="power").verdict == "1.100 s lost"
    assert GOOD._replace(fault="not read").verdict == "not read"
    [line, fault] = report([GOOD, GOOD._replace(fault="not read")])
    assert "2 kills, 1 faults" in line
    assert "not read" in fault


def test_rows_of_a_kind_replace_the_stored_ones(tmp_path: Path) -> None:
    path = tmp_path / "kills.json"
    store(path, [GOOD, GOOD._replace(kind="both")], 1, "0.1 to 0.2", "abc")
    slow = GOOD._replace(complete_s=1.2, waited_s=0.3)
    store(path, [slow], 2, "0.1 to 0.2", "def")
    stored = json.loads(path.read_text())
    assert (stored["both"]["of"], stored["recorder"]["of"]) == ("abc", "def")
    [row] = rows([slow])
    assert (row.over_n, row.faults_n) == (1, 0)
    assert stored["recorder"]["complete_s"] == [1.2, 1.2, 1.2]
