"""`./ws test --times`: each test file's time of the processor, with that of what it has started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from workspace.layout import Layout
from workspace.testing import checks
from workspace.testing.times import FOLDER, PLUGIN, Cost, read, table, write

TOOLS = Path(__file__).resolve().parents[2] / "tools"
BURN = "import time\nend = time.process_time() + 0.2\nwhile time.process_time() < end: pass\n"
ENDED = f"""
import subprocess, sys
{BURN}
def test_of_a_child_that_ends():
    subprocess.run([sys.executable, "-c", {BURN!r}], check=True)

def test_that_does_nothing():
    pass
"""
RUNNING = f"""
import subprocess, sys
import pytest

@pytest.fixture(scope="module")
def child():
    with subprocess.Popen(
        [sys.executable, "-c", {BURN + "print(flush=True); input()"!r}],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as started:
        yield started
        started.communicate(b"x")

def test_of_a_child_that_runs_on(child):
    child.stdout.readline()
"""


def test_the_time_of_the_processor_is_that_of_the_test_file_with_its_children(
    tmp_path: Path,
) -> None:
    (tmp_path / "test_ended.py").write_text(ENDED)
    (tmp_path / "test_running.py").write_text(RUNNING)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    stored = tmp_path / "stored"
    path = os.pathsep.join([str(TOOLS), *filter(None, [os.environ.get("PYTHONPATH")])])
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", PLUGIN, "-p", "no:cacheprovider"],
        env={**os.environ, "PYTHONPATH": path, FOLDER: str(stored)},
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    costs = read(stored)
    assert {name: cost.tests for name, cost in costs.items()} == {
        "test_ended.py": 2,
        "test_running.py": 1,
    }
    for cost in costs.values():
        assert cost.cpu_s >= 0.19, "a child is missing"  # by the ticks of the kernel
    assert costs["test_ended.py"].import_s >= 0.19
    assert costs["test_running.py"].import_s < costs["test_ended.py"].import_s


def test_the_table_begins_with_the_dearest_and_ends_with_the_sum(tmp_path: Path) -> None:
    write(tmp_path, "1", {"a": Cost(1.0, 2.0, 0.5, 3), "never_run": Cost()})
    write(tmp_path, "2", {"b": Cost(4.0, 9.0, 0.0, 1), "c": Cost(0.5, 1.0, 0.0, 1)})
    assert [line.split() for line in table(read(tmp_path), 2)][1:] == [
        ["4.0", "0.0", "9.0", "1", "b"],
        ["1.5", "0.5", "2.0", "3", "a"],
        ["6.0", "0.5", "12.0", "5", "all", "3", "files"],
    ]


def test_the_command_counts_in_every_part_and_forgets_the_run_before(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    layout = Layout(tmp_path, "jazzy")
    layout.python.parent.mkdir(parents=True)
    row = json.dumps({"test_x.py": {"cpu_s": 2.0, "wall_s": 3.0, "import_s": 1.0, "tests": 4}})
    layout.python.write_text(
        f'#!/bin/sh\ncase "$*" in *"-p {PLUGIN}"*) mkdir -p "${FOLDER}" ;; *) exit 3 ;; esac\n'
        f"echo '{row}' > \"${FOLDER}/1.json\"\n"
    )
    layout.python.chmod(0o755)
    layout.variables.write_text(json.dumps({"portable": True}))
    (layout.state / "times").mkdir()
    (layout.state / "times/before.json").write_text('{"gone.py": {"tests": 1}}')
    assert checks.test(layout, {**os.environ}, ["--times", "test_x.py"]) == 0
    printed = capfd.readouterr().out
    assert "3.0      1.0      3.0      4  test_x.py" in printed
    assert "gone.py" not in printed
