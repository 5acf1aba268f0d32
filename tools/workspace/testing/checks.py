"""`./ws test`, `./ws lint`, `./ws generate`, `./ws campaign`, `./ws simulate`, `./ws bench`."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType

from workspace.environment import is_portable
from workspace.layout import Layout
from workspace.progress import print_status
from workspace.testing import begun_tests, failed_tests, lanes, times


def lint(layout: Layout, environ: dict[str, str], rest: list[str]) -> int:
    """Ruff's lint and format, and mypy; all three run, the first failure's code is returned."""
    if rest:
        print_status(f"lint {' '.join(rest)}: takes no arguments")
        return 2
    codes = [_run(layout, environ, command) for command in _lint_commands(layout)]
    return next((code for code in codes if code), 0)


def _lint_commands(layout: Layout) -> tuple[list[str], ...]:
    python = str(layout.python)
    return (
        [python, "-m", "ruff", "check", "."],
        [python, "-m", "ruff", "format", "--check", "."],
        [python, "-m", "mypy"],
    )


PLANT, SIMULATED = ("src/vdsim_plant/test",), ("simulate/test",)
ROOMS = (
    "src/vdsim_plant_node/test/morai",
    "src/vdsim_autoware/test/conformance/test_conformance_judges.py",
    *(f"src/vdsim_interface/test/{room}" for room in (
        "controller", "extras/adapters", "extras/calibration", "extras/morai", "filter", "gate",
        "guard", "longitudinal", "mutation", "parameters", "pipeline", "plausibility", "platforms",
        "safety", "standstill", "values",
    )),
    *(f"test/test_{name}.py" for name in (
        "authority_on_hills", "autohyu_stack", "curvature_drive", "generated", "hill_faults",
        "hills", "layering", "morai_loop", "morai_release_drives", "parameter_fields",
        "parameter_limits", "pedal_maps", "plant_restart", "plausibility", "requirements",
        "safety_case", "shipped_torque_map", "size", "stops_on_the_wire", "wheel_motor_car",
    )),
)  # fmt: skip
CORE_PARTS = (PLANT, SIMULATED, ROOMS)
CORES = tuple(path for part in CORE_PARTS for path in part)
"""Tests that compute and wait for nothing: they take what the processes of the others leave, in
three processes, so that the last of them is not alone for long."""
PACKAGES = ("src", "portable/test", "campaign/test", "test/workspace")
"""The tests of the packages and of this tool, about half of those that wait."""
SYSTEM = "test"
"""The other half, without what is in one of the other two parts."""
_TIME_LIMIT = "workspace.testing.time_limit"
_NICENESS = 19
_MOST_AGAIN, _TIMES_AGAIN = 3, 2
_MOST_TAKEN = 2
_FAILED, _NO_TEST_LEFT, _NOT_ALL_RAN = 1, 5, 3
"""Exit codes: the first two are pytest's."""
_DEAREST = 40


def test(layout: Layout, environ: dict[str, str], rest: list[str]) -> int:
    """Everything, lint and types included; with arguments, pytest with these.

    With --times first, a table at the end says what each file took of the processor.
    """
    if rest[:1] != ["--times"]:
        return _test(layout, environ, rest, [])
    folder = layout.state / "times"
    shutil.rmtree(folder, ignore_errors=True)
    path = os.pathsep.join(
        filter(None, [str(layout.root / "tools"), environ.get("PYTHONPATH", "")])
    )
    environ = {**environ, "PYTHONPATH": path, times.FOLDER: str(folder)}
    code = _test(layout, environ, rest[1:], ["-p", times.PLUGIN])
    print("\n".join(times.table(times.read(folder), _DEAREST)))
    return code


def _test(layout: Layout, environ: dict[str, str], rest: list[str], options: list[str]) -> int:
    pytest = [str(layout.python), "-m", "pytest", *options]
    # With an installed ROS 2 those tests would import upstream's packages.
    left_out = [] if is_portable(layout) else ["--ignore=portable/test"]
    if rest:
        return _run(layout, environ, [*pytest, *left_out, *rest])
    left_out += [f"--ignore={path}" for path in CORES]
    # Several caches of pytest in one folder overwrite each other.
    alone = [*pytest, "-q", "-p", "no:cacheprovider"]
    low = ["nice", "-n", str(_NICENESS)]
    packages = [*alone, *left_out, *PACKAGES]
    elsewhere = [f"--ignore={path}" for path in PACKAGES if path.startswith(f"{SYSTEM}/")]
    system = [*pytest, *left_out, *elsewhere, SYSTEM]
    with _ending_in_order(), tempfile.TemporaryDirectory() as folder, ExitStack() as beside:
        failures = Path(folder) / "failed"
        python_path = filter(None, [str(layout.root / "tools"), environ.get("PYTHONPATH", "")])
        noted = {**environ, "PYTHONPATH": os.pathsep.join(python_path)}
        noted[failed_tests.FILE] = str(failures)
        limit = ["-p", _TIME_LIMIT]
        note = [*limit, "-p", failed_tests.PLUGIN, "-p", begun_tests.PLUGIN]
        of_packages = {**noted, begun_tests.FILE: str(Path(folder) / "packages")}
        of_system = {**noted, begun_tests.FILE: str(Path(folder) / "system")}

        def begin(environ: dict[str, str], command: list[str]) -> Callable[[], int]:
            return beside.enter_context(_in_background(layout, environ, command))

        finish_lint = [begin(environ, [*low, *command]) for command in _lint_commands(layout)]
        finish_packages = begin(of_packages, [*packages, *note])
        finish_cores = [begin(environ, [*low, *alone, *part]) for part in CORE_PARTS]
        code = _run(layout, of_system, [*system, *note])
        waiting = [_all_others(layout, of_system, [*system, *note], code)]
        print_status("the tests of the packages, which ran beside them")
        code = finish_packages()
        waiting.append(_all_others(layout, of_packages, [*packages, *note], code))
        print_status("the tests of the cores, which ran beside them")
        codes = [finish() for finish in finish_cores]
        print_status("lint and types, which ran beside them")
        lint_codes = [finish() for finish in finish_lint]
        if set(waiting) <= {0, 1} and _passes_alone(
            layout, noted, [*alone, *limit], failed_tests.read(failures)
        ):
            waiting = [0]
    if any(lint_codes):
        print_status("lint or types failed (their output precedes this line)")
    return next((code for code in (*waiting, *codes, *lint_codes) if code), 0)


def _all_others(layout: Layout, environ: dict[str, str], command: list[str], code: int) -> int:
    """Run what a test left that took pytest with it, stuck or by a crash; it counts as failed.

    Return the code of the run, one that is never forgiven where tests were left for all that.
    """
    begun = Path(environ[begun_tests.FILE])
    for runs_left_n in range(_MOST_TAKEN, -1, -1):
        taker = begun_tests.last(begun)
        if not taker:
            break
        print_status(f"{taker} took pytest with it (exit code {code}); the tests that it left:")
        failed_tests.note(taker, Path(environ[failed_tests.FILE]))
        if runs_left_n:
            code = _run(layout, environ, command)
            code = _FAILED if code in (0, _NO_TEST_LEFT) else code
    return code if begun_tests.have_ended(begun) else _NOT_ALL_RAN


def _passes_alone(
    layout: Layout, environ: dict[str, str], pytest: list[str], failed: list[str]
) -> bool:
    """Whether the few tests of real processes that failed pass, each time, with nothing beside.

    Such a test needs a processor when its processes do, and a machine that others use may stand
    still for longer than any patience. It is named all the same: test or product is to be mended.
    """
    if not 0 < len(failed) <= _MOST_AGAIN:
        return False
    print_status(f"failed beside the others; alone, {_TIMES_AGAIN} times: {' '.join(failed)}")
    if any(_run(layout, environ, [*pytest, *failed]) for _ in range(_TIMES_AGAIN)):
        return False
    print_status(f"passed alone, and is to be mended (./ws repeat): {' '.join(failed)}")
    return True


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """End what runs in the background when somebody ends this process (SIGTERM, SIGHUP).

    A script's `&` has SIGINT ignored, and so would each part, which is ended by it.
    """

    def leave(number: int, frame: FrameType | None) -> None:
        del frame
        raise SystemExit(128 + number)

    handlers = {
        signal.SIGTERM: leave, signal.SIGHUP: leave, signal.SIGINT: signal.default_int_handler,
    }  # fmt: skip
    before = [signal.signal(number, handler) for number, handler in handlers.items()]
    try:
        yield
    finally:
        for number, handler in zip(handlers, before, strict=True):
            signal.signal(number, handler)


@contextmanager
def _in_background(
    layout: Layout, environ: dict[str, str], command: list[str]
) -> Iterator[Callable[[], int]]:
    """Run a command; yield what waits for its end, prints its output and gives its code."""
    with tempfile.TemporaryFile("w+b") as output:
        process = subprocess.Popen(
            command, env=environ, cwd=layout.root, stdin=subprocess.DEVNULL,
            stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip

        def finish() -> int:
            code = process.wait()
            output.seek(0)
            print(output.read().decode(errors="replace"), flush=True)
            return code

        with _ended_with_us(process):
            yield finish


def wrong_test_argument(layout: Layout, first: str) -> str:
    """One line when the first argument of `./ws test` is neither an option nor a path."""
    path = first.partition("::")[0]
    if first.startswith("-") or (layout.root / path).exists():
        return ""
    return f"test {first}: no such file, folder or lane; the lanes are {lanes.names()}"


def generate(layout: Layout, environ: dict[str, str], rest: list[str]) -> int:
    """Write every file that is derived from the code; with --check only name the stale ones."""
    return _of_generate("generate", layout, environ, rest)


def goals(layout: Layout, environ: dict[str, str], rest: list[str]) -> int:
    """Run the tests of the safety goals and write a page each, from the caller's folder."""
    return _of_generate("generate.safety_case.sign", layout, environ, rest, Path.cwd())


def _of_generate(
    module: str, layout: Layout, environ: dict[str, str], rest: list[str], cwd: Path | None = None
) -> int:
    # The kits, the campaign and the simulator are not installed.
    names = ("tools", "campaign", "simulate", "test", "src/vdsim_interface")
    folders = [str(layout.root / name) for name in names]
    path = os.pathsep.join(filter(None, [*folders, environ.get("PYTHONPATH", "")]))
    environ = {**environ, "PYTHONPATH": path}
    return _run(layout, environ, [str(layout.python), "-m", module, *rest], cwd)


def look_up_pins(layout: Layout, rest: list[str]) -> int:
    """Write tools/requirements/hashes.txt; the environment may be one with the old versions."""
    if rest:
        print_status(f"pins {' '.join(rest)}: takes no arguments")
        return 2
    if not layout.python.exists():
        print_status("pins: needs the pip of an environment; create one first: ./ws build")
        return 1
    environ = {**os.environ, "PYTHONPATH": str(layout.root / "tools")}
    command = [str(layout.python), "-m", "workspace.pin_lookup", str(layout.requirements)]
    return _run(layout, environ, command)


def campaign(layout: Layout, environ: dict[str, str], rest: list[str]) -> int:
    """Run the fault campaign (campaign/vdsim_campaign) with the kits of the tests."""
    return _of_campaign("vdsim_campaign", layout, environ, rest)


def attack(layout: Layout, environ: dict[str, str], rest: list[str]) -> int:
    """Attack a driving stack (campaign/vdsim_campaign/attack)."""
    return _of_campaign("vdsim_campaign.attack", layout, environ, rest)


def _of_campaign(module: str, layout: Layout, environ: dict[str, str], rest: list[str]) -> int:
    folders = [
        str(layout.root / name)
        for name in ("campaign", "simulate", "test", "tools", "src/vdsim_interface")
    ]
    path = os.pathsep.join(filter(None, [*folders, environ.get("PYTHONPATH", "")]))
    command = [str(layout.python), "-m", module, *rest]
    return _run(layout, {**environ, "PYTHONPATH": path}, command, Path.cwd())


def simulate(layout: Layout, environ: dict[str, str], rest: list[str]) -> int:
    """Run the interface and its car on virtual time, from the caller's folder."""
    command = [str(layout.python), "-m", "vdsim_simulate.cli.simulate", *rest]
    return _run(layout, environ, command, Path.cwd())


def exam(layout: Layout, environ: dict[str, str], rest: list[str]) -> int:
    """Ask why after causes that are planted into a simulated drive, from the caller's folder."""
    command = [str(layout.python), "-m", "vdsim_simulate.cli.exam", *rest]
    return _run(layout, environ, command, Path.cwd())


def bench(layout: Layout, environ: dict[str, str], rest: list[str]) -> int:
    """Run bench/<NAME>: a file, or every file of a folder; without a name list them."""
    if rest[:1] == ["--all"]:
        path = os.pathsep.join([str(layout.root / "tools"), environ.get("PYTHONPATH", "")])
        command = [str(layout.python), "-m", "benchmarks.run", *rest[1:]]
        return _run(layout, {**environ, "PYTHONPATH": path}, command, Path.cwd())
    folder = layout.root / "bench"
    benchmarks = {_bench_name(folder, path): path for path in sorted(folder.rglob("bench_*.py"))}
    if not rest:
        print("\n".join(["benchmarks (./ws bench NAME):", *(f"  {name}" for name in benchmarks)]))
        print("each with its peer, as one table; --check beside the stored one: ./ws bench --all")
        return 0
    chosen = [
        p for name, p in benchmarks.items() if name == rest[0] or name.startswith(f"{rest[0]}/")
    ]
    if not chosen:
        print_status(f"bench {rest[0]}: not one of {', '.join(benchmarks)}")
        return 2
    python, here = str(layout.python), Path.cwd()
    codes = [_run(layout, environ, [python, str(p), *rest[1:]], here) for p in chosen]
    return next((code for code in codes if code), 0)


def _bench_name(folder: Path, path: Path) -> str:
    parent = path.parent.relative_to(folder)
    return str(parent / path.stem.removeprefix("bench_"))


def _run(
    layout: Layout, environ: dict[str, str], command: list[str], cwd: Path | None = None
) -> int:
    print_status(" ".join(Path(part).name if part.startswith("/") else part for part in command))
    process = subprocess.Popen(command, env=environ, cwd=cwd or layout.root)
    with _ended_with_us(process):
        return process.wait()


@contextmanager
def _ended_with_us(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Never leave the process behind: pytest, interrupted, ends what its tests have started."""
    try:
        yield
    except KeyboardInterrupt:
        process.wait()  # the Ctrl-C of a terminal has reached it too
        raise
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait()
