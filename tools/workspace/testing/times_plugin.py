"""A plug-in of pytest that counts what each test file takes (`./ws test --times`).

The processor time is that of this process and of every process that it started: unlike the time by
the clock it hardly depends on what else the machine does.
"""

from __future__ import annotations

import contextlib
import os
import resource
import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest

from workspace.testing.times import FOLDER, Cost, write

_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
_costs: defaultdict[str, Cost] = defaultdict(Cost)


def _cpu_s() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    ended_s = sum(usage.ru_utime + usage.ru_stime for usage in used)
    return ended_s + sum(_running_s(child) for child in _children("self"))


def _children(process: str) -> list[str]:
    """The processes that a running one has started, by their numbers."""
    found: list[str] = []
    with contextlib.suppress(OSError):  # it has ended
        for thread in Path("/proc", process, "task").iterdir():
            found += (thread / "children").read_text().split()
    return found


def _running_s(process: str) -> float:
    """What a process has used with those that it waited for, and what its own use."""
    try:
        fields = Path("/proc", process, "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / _TICKS_A_SECOND + sum(map(_running_s, _children(process)))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Count what the import of a test file takes."""
    began_s = _cpu_s()
    report = yield
    if isinstance(collector, pytest.File):
        _costs[collector.nodeid].import_s += _cpu_s() - began_s
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Count what a test takes, with the fixtures that begin before it or end after it."""
    began_s, began_at_s = _cpu_s(), time.monotonic()
    result = yield
    took = Cost(_cpu_s() - began_s, time.monotonic() - began_at_s, tests=1)
    _costs[item.nodeid.partition("::")[0]].add(took)
    return result


def pytest_sessionfinish() -> None:
    """Store what was counted."""
    write(Path(os.environ[FOLDER]), str(os.getpid()), _costs)
