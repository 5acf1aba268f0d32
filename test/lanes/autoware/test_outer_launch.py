"""Autoware's own launch XML, unmodified, starts our car, in each release that VDSIM_AUTOWARE has.

And the pedal maps that these clones hold are found again from logs of whole km/h.

VDSIM_AUTOWARE names a folder: a clone of autoware_launch, or one folder for each release with the
clones that hold its launch packages. Until release 0.49 simulator.launch.xml and vehicle.launch.xml
are in autoware_universe, since 0.50 in autoware_launch. The run is stored, and docs/autoware.md
shows it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[3]
RECORD = ROOT / "tools/workspace/autoware_run.json"
GIVEN = Path(os.environ["VDSIM_AUTOWARE"]).resolve()
LAUNCH = "autoware_launch/package.xml"


def releases() -> list[Path]:
    """The folders of the releases, each with one package autoware_launch."""
    if (GIVEN / LAUNCH).is_file():
        return [GIVEN]
    return sorted(each for each in GIVEN.iterdir() if list(each.glob(f"*/{LAUNCH}")))


def commit_of(folder: Path) -> str:
    """The commit of the clone that a folder is."""
    command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    return subprocess.run(command, text=True, check=True, capture_output=True).stdout.strip()


def clones(release: Path) -> list[Path]:
    """The clones of a release."""
    own = [release, *sorted(release.iterdir())]
    return [each for each in own if (each / ".git").exists()]


def keep(release: Path, result: str) -> None:
    """Store what was seen of a release, with its commits."""
    content = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}
    [launch] = [file for at in ("", "*/") for file in release.glob(at + LAUNCH)]
    version = ElementTree.parse(launch).findtext("version") or ""
    commits = {each.name: commit_of(each) for each in clones(release)}
    content[version] = {"on": str(date.today()), "result": result, "commits": commits}
    ordered = dict(sorted(content.items()))
    RECORD.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


def tested(file: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a file of this folder in the workspace."""
    command = [str(ROOT / "ws"), "pytest", "-q", "-s", "-p", "no:cacheprovider", file]
    done = subprocess.run(
        command, cwd=Path(__file__).parent, check=False, text=True, capture_output=True,
        env={**os.environ, "VDSIM_AUTOWARE": str(folder)},
    )  # fmt: skip
    print(done.stdout, done.stderr)
    return done


def test_there_are_releases() -> None:
    assert releases(), f"VDSIM_AUTOWARE={GIVEN}: no clone of autoware_launch, and none below it"


@pytest.mark.parametrize("release", releases(), ids=lambda path: path.name)
def test_the_launch_files_of_autoware_start_our_car(release: Path) -> None:
    done = tested("outer_launch.py", release)
    found = re.search(r"^(\d+ (?:passed|failed).*?) in ", done.stdout, re.MULTILINE)
    keep(release, found[1] if found else f"exit code {done.returncode}")
    assert done.returncode == 0


def test_the_pedal_maps_of_autoware_are_found_again_from_logs_of_whole_kph() -> None:
    assert tested("foreign_pedal_maps.py", GIVEN).returncode == 0
