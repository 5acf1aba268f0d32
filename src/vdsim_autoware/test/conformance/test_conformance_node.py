"""The kit on a real ROS graph: the sound double passes, one that stops half way is not passed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from vdsim_autoware.conformance.interface import CAUSES
from vdsim_autoware.conformance.requirements import REQUIREMENTS

PATIENCE_S = 1200.0
KIT = [sys.executable, "-m", "vdsim_autoware.conformance.cli.conformance"]


class Doubled:
    """The double in a process of its own; a file in `folder` provokes a cause."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        command = [sys.executable, "-m", "vdsim_autoware_kit.conformance_node", str(folder)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._process = subprocess.Popen(command, env=environment)

    def close(self) -> None:
        assert self._process.poll() is None, "the double has ended by itself"
        self._process.terminate()
        self._process.wait(PATIENCE_S)


@pytest.fixture
def double(tmp_path: Path) -> Iterator[Doubled]:
    made = Doubled(tmp_path)
    yield made
    made.close()


def test_a_sound_vehicle_interface_on_a_real_graph_has_no_fault(double: Doubled) -> None:
    junit = double.folder / "junit.xml"
    words = ["--patience", "4", "--discovery", "120", "--junit", str(junit)]
    for cause in CAUSES:
        file = double.folder / cause
        words += ["--provoke", f"{cause}=touch '{file}'", "--relieve", f"{cause}=rm '{file}'"]
    done = subprocess.run(
        [*KIT, *words], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    root = ElementTree.parse(junit).getroot()
    assert not root.findall(".//failure"), said
    assert len(root.findall(".//testcase")) == len(REQUIREMENTS)
    open_ids = {
        case.get("name", "").partition(" ")[0]
        for case in root.findall(".//testcase")
        if (left := case.find("skipped")) is not None
        and "the kit itself stood still" not in left.get("message", "")
    }
    # On a loaded machine the kit cannot send at its high rate, and says so.
    assert open_ids - {"CC-12"} <= {
        *("TC-14", "HC-14", "MR-11", "MR-13"),
        *(f"{page}-03" for page in ("CC", "GC", "TC", "HC", "CM", "GS", "TS", "HS", "SS", "VS")),
    }, said


def test_an_interrupted_drive_stops_the_car_and_judges_nothing(double: Doubled) -> None:
    kit = subprocess.Popen(
        [*KIT, "--discovery", "120"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert kit.stdout is not None
    assert "looking for the vehicle interface" in kit.stdout.readline()
    assert "found; now its car drives" in kit.stdout.readline()
    kit.send_signal(signal.SIGINT)
    out, errors = kit.communicate(timeout=PATIENCE_S)
    assert kit.returncode == 130, out + errors
    assert "interrupted: nothing is judged" in errors
    assert "passed" not in out


def test_without_a_vehicle_interface_it_says_so() -> None:
    done = subprocess.run(
        [*KIT, "--namespace", "/nobody", "--discovery", "1"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 2
    assert "no topic of a vehicle interface is in this ROS graph" in done.stderr
