"""`./ws test` runs five parts at once: what fails in any of them fails the run."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from workspace.layout import Layout
from workspace.testing import begun_tests, checks, failed_tests

ROOT = Path(__file__).resolve().parents[2]
WAITS = re.compile(r"^\s*(?:import|from) (?:rclpy|vdsim_kit\.(?:launched|driving|spinning))", re.M)
PYTHON = """#!/bin/sh
# Stands for the interpreter: each part says how it was called, and fails when it shall.
echo null >> "${VDSIM_BEGUN_TESTS:-/dev/null}"
case "$*" in
    *mypy*) echo "lint $*"; exit "$LINT" ;;
    *ruff*) exit 0 ;;
    *no:cacheprovider*--ignore*) echo "packages $*"; exit "$PACKAGES" ;;
    *no:cacheprovider*vdsim_plant/test*) echo "plant $*"; exit "$PLANT" ;;
    *no:cacheprovider*simulate/test*) echo "simulated $*"; exit "$SIMULATED" ;;
    *no:cacheprovider*) echo "rooms $*"; exit "$ROOMS" ;;
    *) echo "system $*"; exit "$SYSTEM" ;;
esac
"""


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = Layout(tmp_path, "jazzy")
    made.python.parent.mkdir(parents=True)
    made.python.write_text(PYTHON)
    made.python.chmod(0o755)
    made.variables.write_text(json.dumps({"portable": True}))
    return made


@pytest.mark.parametrize(
    ("ends", "code"),
    [
        ((0, 0, 0, 0, 0, 0), 0),
        ((1, 0, 0, 0, 0, 0), 1),
        ((0, 2, 0, 0, 0, 0), 2),
        ((0, 0, 3, 0, 0, 0), 3),
        ((0, 0, 0, 4, 0, 0), 4),
        ((0, 0, 0, 0, 5, 0), 5),
        ((0, 0, 0, 0, 0, 6), 6),
        ((1, 2, 3, 4, 5, 6), 1),
        ((0, 2, 3, 4, 5, 6), 2),
    ],
)
def test_each_part_fails_the_run(
    layout: Layout, capfd: pytest.CaptureFixture[str], ends: tuple[int, ...], code: int
) -> None:
    names = ("system", "packages", "plant", "simulated", "rooms", "lint")
    codes = {name.upper(): str(end) for name, end in zip(names, ends, strict=True)}
    assert checks.test(layout, {**os.environ, **codes}, []) == code
    printed = capfd.readouterr().out.splitlines()
    parts = [line for line in printed if line.startswith(tuple(f"{name} " for name in names))]
    assert tuple(line.split()[0] for line in parts) == names, "never mixed"
    calls = [line.split() for line in parts[:-1]]
    for path in checks.CORES:
        assert [f"--ignore={path}" in call for call in calls] == [True, True, *(False,) * 3]
        assert [path in call for call in calls] == [
            False,
            False,
            *(path in part for part in checks.CORE_PARTS),
        ]
    limited = ["workspace.testing.time_limit" in call for call in calls]
    assert limited == [True, True, *(False,) * 3], "those that wait"
    for path in checks.PACKAGES:
        assert [path in call for call in calls] == [False, True, *(False,) * 3]
    assert "--ignore=test/workspace" in calls[0], "it runs in one part"
    assert "--ignore=test/workspace" not in calls[1]


ONCE = """#!/bin/sh
# Stands for the interpreter: the part `system` fails $FAILED tests, which pass alone if $ALONE.
echo null >> "${VDSIM_BEGUN_TESTS:-/dev/null}"
case "$*" in
    *no:cacheprovider*test_x.py*) echo "again $*"; exit "$ALONE" ;;
    *no:cacheprovider*|*ruff*|*mypy*) exit "$OTHERS" ;;
esac
for number in $(seq "$FAILED"); do
    echo "\\"test_x.py::test_$number[a b]\\"" >> "$VDSIM_FAILED_TESTS"
done
exit "$SYSTEM"
"""


@pytest.mark.parametrize(
    ("system", "failed", "alone", "others", "code", "runs"),
    [
        (1, 2, 0, 0, 0, 2),
        (1, 2, 1, 0, 1, 1),
        (1, 4, 0, 0, 1, 0),
        (1, 0, 0, 0, 1, 0),
        (2, 1, 0, 0, 2, 0),
        (1, 1, 0, 1, 1, 2),
    ],
    ids=["passes alone", "fails alone", "too many", "no test", "not begun", "a core fails, too"],
)
def test_what_failed_beside_the_others_passes_alone_or_fails_the_run(
    layout: Layout, capfd: pytest.CaptureFixture[str], system: int, failed: int, alone: int,
    others: int, code: int, runs: int,
) -> None:  # fmt: skip
    layout.python.write_text(ONCE)
    words = {"SYSTEM": system, "FAILED": failed, "ALONE": alone, "OTHERS": others}
    codes = {name: str(number) for name, number in words.items()}
    assert checks.test(layout, {**os.environ, **codes}, []) == code
    printed = capfd.readouterr()
    assert printed.out.count("again ") == runs
    names = " ".join(f"test_x.py::test_{number}[a b]" for number in range(1, failed + 1))
    assert (f"is to be mended (./ws repeat): {names}" in printed.err) is (runs == 2)


def test_the_tests_that_failed_are_noted_once_each(tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text(
        "import pytest\n"
        "@pytest.fixture\ndef broken():\n    yield\n    raise OSError\n"
        "@pytest.mark.parametrize('n', ['a b', 'c'])\ndef test_one(n): assert n == 'c'\n"
        "def test_two(broken): assert False\n"
    )
    noted = tmp_path / "noted"
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "tools"), failed_tests.FILE: str(noted)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", failed_tests.PLUGIN, "test_x.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, check=False)
    assert done.returncode == 1
    assert failed_tests.read(noted) == ["test_x.py::test_one[a b]", "test_x.py::test_two"]
    assert failed_tests.read(tmp_path / "nothing failed") == []


TAKES_PYTEST = """
import os, pytest
@pytest.mark.parametrize("n", range(6))
def test_x(n):
    print(f"runs {n}", file=open("ran", "a"))
    if str(n) in os.environ["CRASH"]:
        os._exit(int(os.environ["CODE"]))
"""


@pytest.mark.parametrize(
    ("crash", "end", "ran", "code", "named"),
    [
        ("2", "1", "012345", 1, "[2]"),
        ("2", "0", "012345", 1, "[2]"),
        ("14", "137", "012345", 1, "[4]"),
        ("5", "1", "012345", 1, "[5]"),
        ("024", "139", "01234", 3, "[4]"),
    ],
    ids=["one", "as if all was well", "two", "the last", "too many"],
)
def test_a_test_that_takes_pytest_with_it_leaves_the_others_to_run(
    layout: Layout, capfd: pytest.CaptureFixture[str], crash: str, end: str, ran: str,
    code: int, named: str,
) -> None:  # fmt: skip
    (layout.root / "test_x.py").write_text(TAKES_PYTEST)
    files = {failed_tests.FILE: "failed", begun_tests.FILE: "begun", "PYTHONPATH": "tools"}
    paths = {
        name: str((ROOT if name == "PYTHONPATH" else layout.root) / file)
        for name, file in files.items()
    }
    environ = {**os.environ, **paths, "CRASH": crash, "CODE": end}
    command = [sys.executable, "-m", "pytest", "-q", "-p", begun_tests.PLUGIN, "test_x.py"]
    first = subprocess.run(command, cwd=layout.root, env=environ, check=False).returncode
    assert checks._all_others(layout, environ, command, first) == code
    assert (layout.root / "ran").read_text().replace("runs ", "").split() == list(ran)
    takers = re.findall(r"test_x.py::test_x(\[\d\]) took pytest with it", capfd.readouterr().err)
    assert takers[-1:] == [named]


def test_pytest_that_ends_before_it_has_begun_is_never_forgiven(layout: Layout) -> None:
    environ = {**os.environ, begun_tests.FILE: str(layout.root / "nothing")}
    assert checks._all_others(layout, environ, ["false"], 1) == 3


WAITS_FOR_EVER = """
import signal, threading, pytest

@pytest.fixture
def ends_never():
    yield
    threading.Event().wait()

def test_waits():
    try:
        threading.Event().wait()
    except OSError:
        pass  # as what receives does
def test_ends(ends_never): pass
def test_is_quick(): pass
def test_takes_no_signal():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    threading.Event().wait()
def test_leaves_a_thread(): threading.Thread(target=threading.Event().wait).start()
"""


def test_a_test_that_waits_for_ever_fails_by_name(tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text(WAITS_FOR_EVER)
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "tools"), "VDSIM_TEST_LIMIT_S": "2"}

    def run(chosen: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pytest", "-v", "-p", "workspace.testing.time_limit"]
        return subprocess.run(
            [*command, "-k", chosen, "test_x.py"], cwd=tmp_path, env=environ,
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    ended = run("not (no_signal or thread)")
    assert ended.returncode == 1
    assert re.findall(r"::(\w+) (PASSED|FAILED|ERROR) ", ended.stdout) == [
        ("test_waits", "FAILED"), ("test_ends", "PASSED"), ("test_ends", "ERROR"),
        ("test_is_quick", "PASSED"),
    ]  # fmt: skip
    assert "Failed: test_x.py::test_waits takes more than 2 s" in ended.stdout
    for chosen, where in (("no_signal", "test_takes_no_signal"), ("thread", "_shutdown")):
        stuck = run(chosen)
        assert stuck.returncode == 1
        assert f" in {where}" in stuck.stderr, "where it hangs"
        named = "test_x.py::test_takes_no_signal is stuck, and with it pytest"
        assert (stuck.stderr.splitlines()[-1] == named) is (chosen == "no_signal")


WAITING = """#!/bin/sh
# Stands for the interpreter: each part runs until it is interrupted.
case "$*" in *ruff*|*mypy*) exit 0 ;; esac
trap 'echo $$ >> ended; exit 130' INT
echo $$ >> started
for number in $(seq 2000); do sleep 0.05; done
"""
RUN = """
import os, sys
from pathlib import Path
from workspace.layout import Layout
from workspace.testing import checks
checks.test(Layout(Path(sys.argv[1]), "jazzy"), dict(os.environ), [])
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("words", ["", "trap '' INT;"], ids=["", "of a script's &"])
def test_a_run_that_somebody_ends_leaves_no_part_behind(
    layout: Layout, number: signal.Signals, words: str
) -> None:
    layout.python.write_text(WAITING)
    run = subprocess.Popen(
        ["sh", "-c", f'{words} exec "$@"', "sh", sys.executable, "-c", RUN, str(layout.root)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "tools")}, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    started, ended = layout.root / "started", layout.root / "ended"
    deadline = time.monotonic() + 60.0
    while not started.exists() or len(started.read_text().split()) < 5:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    run.send_signal(number)
    assert run.wait(60.0) == 128 + number
    assert sorted(ended.read_text().split()) == sorted(started.read_text().split())


def test_the_parts_are_all_tests(pytestconfig: pytest.Config) -> None:
    paths = pytestconfig.getini("testpaths")
    assert paths
    for path in paths:
        parts = (*checks.PACKAGES, *checks.CORES)
        assert path == "test" or path.startswith(parts), "no part runs it"


@pytest.mark.parametrize("path", checks.CORES)
def test_what_runs_beside_the_others_waits_for_nothing(path: str) -> None:
    place = ROOT / path
    files = [place] if place.is_file() else list(place.rglob("test_*.py"))
    assert files, "there is nothing"
    assert not [file for file in files if WAITS.search(file.read_text(encoding="utf-8"))]
