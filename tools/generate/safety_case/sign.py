"""`./ws goals DIR`: one page for each safety goal that a person can read, check and sign.

./ws goals build/goals                     every goal: runs its tests, some minutes
./ws goals build/goals --goal G2 G10       these alone

A page has the hazard, the claim, and the evidence as it was found on this day: the time measured,
each test with its result, the SHA-256 of each file that was used, the commit and whether the folder
differed from it.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import inspect
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from generate.paths import ROOT
from generate.safety_case import checks
from generate.safety_case.control_actions import UNSAFE
from generate.safety_case.goals import GOALS, HAZARDS
from generate.safety_case.rows import Goal
from generate.tables import table

PASSED, FAILED, NOT_RUN = "passed", "FAILED", "did not run here"


class Source(NamedTuple):
    """What the evidence was made from."""

    commit: str
    is_clean: bool
    date: str
    machine: str


class Result(NamedTuple):
    """Of one test, all its parameters together."""

    outcome: str
    cases: int
    seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pages; 1 when a goal is not shown."""
    parser = argparse.ArgumentParser(prog="ws goals", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the pages are written")
    parser.add_argument("--goal", nargs="+", choices=[goal.number for goal in GOALS], default=None)
    options = parser.parse_args(arguments)
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        print(f"ws goals: {options.folder}: {error.strerror}", file=sys.stderr)
        return 2
    source = source_of(ROOT)
    open_goals = []
    for goal in GOALS:
        if options.goal is not None and goal.number not in options.goal:
            continue
        results = results_of([checks.path_of(test) for test in goal.tests])
        text, is_shown = page_of(goal, results, source)
        (options.folder / f"{goal.number}.md").write_text(text, encoding="utf-8")
        print(f"{goal.number}: {'shown' if is_shown else 'NOT shown'}: {goal.goal}", flush=True)
        if not is_shown:
            open_goals.append(goal.number)
    return 1 if open_goals else 0


def source_of(root: Path) -> Source:
    """Which code this is, and where and when it ran."""
    commit = _git(root, "rev-parse", "HEAD") or "not a checkout of git"
    changed = _git(root, "status", "--porcelain", "--untracked-files=no")
    date = datetime.now(tz=timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    return Source(commit, not changed, date, machine)


def _git(root: Path, *command: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *command], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def results_of(tests: Iterable[str]) -> Mapping[str, Result]:
    """Run tests, named as pytest does, and return what each gave."""
    found = {}
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.xml"
            options = ["-q", "-p", "no:cacheprovider", f"--junit-xml={report}"]
            subprocess.run(
                [sys.executable, "-m", "pytest", *options, test],
                cwd=ROOT,
                capture_output=True,
                check=False,
            )
            found[test] = _result(report)
    return found


def _result(report: Path) -> Result:
    if not report.exists():
        return Result(FAILED, 0, 0.0)
    cases = list(ElementTree.parse(report).iter("testcase"))
    seconds = sum(float(case.get("time", "0")) for case in cases)
    bad = [case for case in cases if {child.tag for child in case} & {"failure", "error"}]
    skipped = [case for case in cases if case.find("skipped") is not None]
    if bad or not cases:
        return Result(FAILED, len(cases), seconds)
    return Result(NOT_RUN if len(skipped) == len(cases) else PASSED, len(cases), seconds)


def page_of(goal: Goal, results: Mapping[str, Result], source: Source) -> tuple[str, bool]:
    """Return a goal's page, and whether it is shown."""
    took_s = goal.measured()
    in_time = took_s <= goal.tolerable_s
    is_shown = in_time and all(result.outcome == PASSED for result in results.values())
    lines = [
        f"# Safety goal {goal.number}",
        "",
        f"**Claim**: {goal.goal}.",
        f"**Safe state**: {goal.safe_state}.",
        f"**This page shows it**: {'yes' if is_shown else 'NO'}.",
        "",
        "## Hazards",
        "",
        *(f"- {hazard}: {HAZARDS[hazard]}" for hazard in goal.hazard.split()),
        "",
        "## Unsafe control actions that it answers",
        "",
        *(f"- {row.action}, {row.way}: {row.context}" for row in UNSAFE if row.goal == goal.number),
        "",
        "## Evidence",
        "",
        f"Made on {source.date} from commit `{source.commit}`"
        f"{'' if source.is_clean else ' WITH CHANGES that are in no commit'}, {source.machine}.",
        "",
        _time(goal, took_s),
        "",
        table(("test", "result", "cases", "time"), _tests(results)),
        "",
        table(("file", "SHA-256"), _files(goal, results)),
        "",
        "What is not covered: docs/safety-case.md, of the same commit.",
        "",
        "## Signed",
        "",
        table(("", "name", "date", "signature"), [("read", "", "", ""), ("accepted", "", "", "")]),
        "",
    ]
    return "\n".join(lines), is_shown


def _time(goal: Goal, took_s: float) -> str:
    tolerable = f"{goal.tolerable_s:g} s" if goal.tolerable_s else "never"
    return f"Tolerable: {tolerable}; measured: {took_s:g} s."


def _tests(results: Mapping[str, Result]) -> list[tuple[str, ...]]:
    return [
        (f"`{test}`", result.outcome, str(result.cases), f"{result.seconds:.1f} s")
        for test, result in results.items()
    ]


def _files(goal: Goal, results: Mapping[str, Result]) -> list[tuple[str, str]]:
    paths = {ROOT / test.partition("::")[0] for test in results}
    paths |= {_file_of(name) for name in goal.mechanisms}
    return [
        (f"`{path.relative_to(ROOT)}`", hashlib.sha256(path.read_bytes()).hexdigest())
        for path in sorted(paths)
    ]


def _file_of(mechanism: str) -> Path:
    """Return the source that defines a mechanism."""
    module, _, symbol = mechanism.partition(":")
    place = importlib.import_module(
        module if module.startswith("vdsim_") else f"vdsim_interface.{module}"
    )
    found: Any = place
    for part in symbol.split("."):
        found = getattr(found, part)
    # A table is defined where it is named; a class or function where it was written.
    written = inspect.isroutine(found) or inspect.isclass(found)
    return Path(inspect.getfile(found if written else place)).resolve()


if __name__ == "__main__":
    sys.exit(main())
