"""`./ws test LANE`: the lane's environment, then pytest in it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from workspace.layout import WorkspaceError
from workspace.progress import print_status
from workspace.testing.lane_environment import (
    LaneEnvironment,
    NoWheelError,
    ensure_lane_environment,
)
from workspace.testing.lanes import Lane
from workspace.testing.pythons import MINORS, Python, installed, this_python


class Outcome(NamedTuple):
    """What one Python did with the lane's tests."""

    code: int
    text: str


def run_lane(root: Path, lane: Lane, rest: Sequence[str]) -> int:
    """Run a lane's tests; options in `rest` go to pytest. The exit code is pytest's, or 1."""
    is_missing = lane.variable and not os.environ.get(lane.variable)
    if is_missing or not all(any(Path("/").glob(file)) for file in lane.files):
        print_status(f"lane {lane.name}: not run: needs {lane.needs}")
        return 0
    if not lane.every_python:
        return _run(root, lane, this_python(), rest).code
    outcomes = {python: _run(root, lane, python, rest) for python in installed()}
    if not outcomes:
        raise WorkspaceError(f"lane {lane.name}: no Python of {_supported()} was found")
    for line in summary(outcomes):
        print(line)
    return next((outcome.code for outcome in outcomes.values() if outcome.code), 0)


def summary(outcomes: dict[Python, Outcome]) -> list[str]:
    """One line for each supported Python."""
    texts = {python.minor: (python.version, outcome.text) for python, outcome in outcomes.items()}
    rows = [texts.get(f"3.{m}", (f"3.{m}", "not on this machine")) for m in MINORS]
    return [f"Python {version:<8} {text}" for version, text in rows]


def _run(root: Path, lane: Lane, python: Python, rest: Sequence[str]) -> Outcome:
    folder = root / "tools" / "requirements"
    environment = LaneEnvironment(root, lane.name, python)
    plain = folder / lane.requirements
    if not lane.numeric_tests:
        ensure_lane_environment(environment, [plain])
        return _pytest(environment, lane.tests, rest)
    try:
        ensure_lane_environment(environment, [plain, folder / lane.numeric_requirements])
    except NoWheelError as error:
        print_status(f"{error}: only {' '.join(lane.tests)} runs there")
        environment = LaneEnvironment(root, f"{lane.name}-plain", python)
        ensure_lane_environment(environment, [plain])
        outcome = _pytest(environment, lane.tests, rest)
        left_out = " ".join(lane.numeric_tests)
        return Outcome(
            outcome.code, f"{outcome.text}; {left_out} not run: no wheel of {error.requirement}"
        )
    return _pytest(environment, (*lane.tests, *lane.numeric_tests), rest)


def _pytest(environment: LaneEnvironment, tests: Sequence[str], rest: Sequence[str]) -> Outcome:
    cache = f"cache_dir={environment.folder / 'pytest_cache'}"
    command = [str(environment.interpreter), "-m", "pytest", "-o", cache, *tests, *rest]
    print_status(f"Python {environment.python.version}: pytest {' '.join([*tests, *rest])}")
    start_s = time.monotonic()
    done = subprocess.run(command, cwd=environment.root, env=environment.variables(), check=False)
    took_s = time.monotonic() - start_s
    result = "passed" if done.returncode == 0 else f"FAILED (pytest ended with {done.returncode})"
    return Outcome(done.returncode, f"{result} in {took_s:.0f} s: {' '.join(tests)}")


def _supported() -> str:
    return f"3.{MINORS[0]} to 3.{MINORS[-1]}"
