"""The build: only when sources differ from those of the last complete build.

An installed ROS 2 builds with colcon, as in any workspace; wheel_build.py is for the wheels.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from workspace import fingerprint, quirks
from workspace.distro import Distro
from workspace.environment import (
    base_environment,
    capture_overlay,
    has_package,
    let_make_use_every_core,
)
from workspace.layout import Layout, WorkspaceError
from workspace.lock import exclusive
from workspace.progress import print_status, run_logged, tail
from workspace.wheel_route import wheel_build

_PROGRESS = ("Starting >>>", "Finished <<<", "Failed", "Aborted", "Summary")


def ensure_build(layout: Layout, distro: Distro) -> None:
    """Build unless the last complete build has the same sources."""
    expected = _fingerprint(layout)
    if _is_current(layout, expected):
        return
    with exclusive(layout.root / ".ros" / f"{layout.name}.lock", "building") as lock:
        if _is_current(layout, expected):
            return
        if distro.origin == "wheels":
            layout.build_stamp.unlink(missing_ok=True)
            wheel_build.build(layout, distro, lock)
        else:
            _build(layout, distro, lock)
        layout.build_stamp.write_text(expected, encoding="utf-8")


def _is_current(layout: Layout, expected: str) -> bool:
    try:
        built = layout.build_stamp.read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    return built == expected and layout.variables.exists()


def _fingerprint(layout: Layout) -> str:
    root = layout.root
    inputs = [root / "src", root / "portable" / "interfaces", root / "colcon.meta"]
    recipe = fingerprint.of_files(sorted(Path(wheel_build.__file__).parent.glob("*.py")))
    sources = fingerprint.of_sources(inputs, layout.venv_stamp.read_text(encoding="utf-8"), recipe)
    # Links, scripts and variables name the place: a copy would run the code of its original.
    return f"{sources}\n{layout.install}"


def base_paths(layout: Layout, distro: Distro) -> list[Path]:
    """The folders with packages: src/, and the required interface packages that are not there."""
    folders = (layout.portable / "interfaces" / name for name in wheel_build.REQUIRED)
    missing = [folder for folder in folders if not has_package(layout, distro, folder.name)]
    return [layout.root / "src", *missing]


def _build(layout: Layout, distro: Distro, lock: int) -> None:
    unfinished = layout.state / "build.unfinished"
    if unfinished.exists():
        print_status("the last build was interrupted; its unfinished packages are rebuilt")
        _remove_unfinished(layout)
    remove_what_was_built_elsewhere(layout)
    layout.build_stamp.unlink(missing_ok=True)
    layout.variables.unlink(missing_ok=True)
    unfinished.touch()
    print_status("step 2 of 2: building the workspace (messages are compiled for C++ and Python)")
    log = layout.log / "build.log"
    command: list[str | Path] = [layout.python, "-m", "colcon", "--log-base", layout.log / "colcon"]
    command += ["build", "--symlink-install", "--metas", layout.root / "colcon.meta"]
    command += ["--build-base", layout.build, "--install-base", layout.install]
    command += ["--event-handlers", "console_cohesion+", "desktop_notification-"]
    folders = base_paths(layout, distro)
    command += ["--base-paths", *folders]
    packages_n = sum(1 for folder in folders for _ in folder.rglob("package.xml"))
    environ = base_environment(layout, distro)
    let_make_use_every_core(environ)
    steps = 2 * packages_n  # colcon says when it starts a package and when it has finished
    code = run_logged(
        command, log, environ, keep=_PROGRESS, steps=steps, cwd=layout.root, lock=lock
    )
    unfinished.unlink()
    if code:
        print(tail(log, 60), file=sys.stderr)
        raise WorkspaceError(f"the build failed; the whole output is in {log}")
    if " " in str(layout.install):
        quirks.repair_interpreter_lines(layout.install)
    capture_overlay(layout, distro)


def remove_what_was_built_elsewhere(layout: Layout) -> None:
    """CMake refuses a build folder that was moved, and installed scripts name the old place."""
    try:
        _, _, place = layout.build_stamp.read_text(encoding="utf-8").partition("\n")
    except FileNotFoundError:
        return
    if place != str(layout.install):
        shutil.rmtree(layout.build, ignore_errors=True)
        shutil.rmtree(layout.install, ignore_errors=True)


def _remove_unfinished(layout: Layout) -> None:
    """Remove every package that an interrupted build may have left incomplete."""
    log = layout.log / "build.log"
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    finished = {line.split()[2] for line in lines if line.startswith("Finished <<<")}
    for folder in layout.build.glob("*/"):
        if folder.name not in finished:
            shutil.rmtree(folder, ignore_errors=True)
            shutil.rmtree(layout.install / folder.name, ignore_errors=True)


def clean(layout: Layout) -> None:
    """Remove the build; the environment stays."""
    wheel_build.remove(layout)
    for folder in (layout.build, layout.install, layout.log):
        shutil.rmtree(folder, ignore_errors=True)
    for file in (layout.build_stamp, layout.variables, layout.state / "build.unfinished"):
        file.unlink(missing_ok=True)
