"""A run of pytest that is ended by SIGTERM leaves no process of its tests behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

from vdsim_kit.launched import is_alive

KIT = Path(__file__).parent
STARTS = """
import os, subprocess, time
from pathlib import Path

def test_it_waits_beside_a_process_of_its_own():
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    try:
        Path("partial").write_text(str(child.pid))
        Path("partial").rename("pid")
        child.wait()
    finally:
        child.kill()
        child.wait()
"""
PATIENCE_S = 60.0


def test_sigterm_ends_what_a_test_has_started(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        f"import sys; sys.path.insert(0, {str(KIT)!r})\n"
        "from vdsim_kit.ending import end_in_order\nend_in_order()\n"
    )
    (tmp_path / "test_it.py").write_text(STARTS)
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as run:  # fmt: skip
        wait_for(tmp_path / "pid")
        child = int((tmp_path / "pid").read_text())
        assert is_alive(child)
        run.send_signal(signal.SIGTERM)
        said, _ = run.communicate(timeout=PATIENCE_S)
    assert not is_alive(child)
    assert run.returncode == 2, said  # pytest's code for an interruption
    assert "KeyboardInterrupt" in said


def wait_for(file: Path) -> None:
    end = time.monotonic() + PATIENCE_S
    while not file.exists():
        assert time.monotonic() < end, f"no {file.name}"
        time.sleep(0.02)
