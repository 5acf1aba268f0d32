"""`./ws repeat N PATH ...`: the same tests many times, to find those that fail now and then."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workspace.layout import Layout
from workspace.progress import print_status

_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
# Ends with its parent, however that ends.
_BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(100_000))\n"


@dataclass(frozen=True)
class Request:
    """What to repeat, and beside what."""

    runs: int
    busy: int
    at_once: int
    pytest: tuple[str, ...]


def parse(rest: list[str]) -> Request:
    """The request of a command line; options that are not ours go to pytest."""
    parser = argparse.ArgumentParser(
        prog="./ws repeat",
        usage="./ws repeat N PATH ... [--busy K] [--at-once K] [PYTEST-OPTION ...]",
        description="Run the tests N times, each time in a new process; name what failed.",
        allow_abbrev=False,
    )
    parser.add_argument("runs", type=_count, metavar="N", help="number of runs")
    parser.add_argument(
        "--busy", type=_count_or_none, default=0, help="processes that keep a core busy"
    )
    parser.add_argument("--at-once", type=_count, default=1, help="runs side by side")
    options, tests = parser.parse_known_args(rest)
    if not any(not test.startswith("-") for test in tests):
        parser.error("PATH: name the tests to repeat")
    return Request(options.runs, options.busy, options.at_once, tuple(tests))


def _count_or_none(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text}: must be a whole number, at least 0")
    return int(text)


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: must be a whole number, at least 1")
    return int(text)


def repeat(layout: Layout, environ: dict[str, str], rest: list[str]) -> int:
    """Repeat the tests; 0 when every run passed."""
    request = parse(rest)
    logs = layout.log / f"repeat-{os.getpid()}"
    logs.mkdir(parents=True, exist_ok=True)
    command = [str(layout.python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *request.pytest]
    failures: Counter[str] = Counter()
    failed_runs = 0
    with _busy(request.busy), ThreadPoolExecutor(request.at_once) as pool:
        runs = [
            pool.submit(_run, command, environ, layout.root, logs / f"{number:04}.log")
            for number in range(1, request.runs + 1)
        ]
        try:
            for number, run in enumerate(as_completed(runs), start=1):
                failed = run.result()
                failures.update(failed)
                failed_runs += bool(failed)
                if failed or number % 20 == 0:
                    print_status(f"{number} of {request.runs} runs, {failed_runs} failed")
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)  # only those that have begun go on
            raise
    for line in summary(request, failures, failed_runs, logs):
        print(line)
    if not failed_runs:
        logs.rmdir()
    return 1 if failed_runs else 0


def _run(command: list[str], environ: dict[str, str], root: Path, log: Path) -> list[str]:
    """The tests that failed in one run; the log of a run that passed is removed."""
    with log.open("w", encoding="utf-8") as file:
        done = subprocess.run(command, env=environ, cwd=root, stdout=file, stderr=file, check=False)
    if done.returncode == 0:
        log.unlink()
        return []
    text = log.read_text(encoding="utf-8", errors="replace")
    return _FAILED.findall(text) or [f"pytest ended with {done.returncode}"]


def summary(request: Request, failures: Counter[str], failed_runs: int, logs: Path) -> list[str]:
    """The result, and each test that failed with how often."""
    beside = f", {request.at_once} at once" if request.at_once > 1 else ""
    beside += f", beside {request.busy} busy processes" if request.busy else ""
    lines = [f"{request.runs} runs{beside}: {failed_runs} failed"]
    lines += [f"  {count:4} x {test}" for test, count in failures.most_common()]
    return [*lines, f"logs: {logs}"] if failures else lines


@contextmanager
def _busy(count: int) -> Iterator[None]:
    """Processes that each keep one core busy."""
    children = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for child in children:
            child.kill()
            child.wait()
