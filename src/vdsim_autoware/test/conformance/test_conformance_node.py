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
from vdsim_autoware.conformance.conductor import Options
from vdsim_autoware.conformance.requirements import REQUIREMENTS
from vdsim_autoware.conformance.verdict import Outcome
from vdsim_autoware_kit.conformance_run import VirtualRun

PATIENCE_S = 1200.0
CAUSE = "link_lost"
"""One is provoked by a command; what the kit makes of each is in test_conformance_judges.py."""
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
    file = double.folder / CAUSE
    words += ["--provoke", f"{CAUSE}=touch '{file}'", "--relieve", f"{CAUSE}=rm '{file}'"]
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
    virtual = VirtualRun(options=Options(causes=frozenset((CAUSE,)))).run()
    of_virtual = {j.requirement.id for j in virtual if j.verdict.outcome is Outcome.NOT_JUDGED}
    assert len(of_virtual) < len(REQUIREMENTS) / 2
    # On a loaded machine the kit cannot send at its high rate, and says so.
    assert open_ids - {"CC-12"} <= of_virtual, said


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
