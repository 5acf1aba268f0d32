"""The build where ROS 2 comes from the PyPI wheels: without colcon, in seconds.

Messages and Python packages have a prefix and a stamp each, so that a change of one does not
rebuild the other.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from workspace import fingerprint, quirks
from workspace.distro import Distro
from workspace.environment import base_environment, has_package
from workspace.layout import Layout, WorkspaceError
from workspace.lock import exclusive
from workspace.progress import print_status, run_logged, tail
from workspace.wheel_route import requirement_sets
from workspace.wheel_route.messages import packages

_TOOLS = Path(__file__).resolve().parents[2]
_PROGRESS = ("Parsed ", "Generated ", "Compiled ", "Linked ", "Installing ")
REQUIRED = ("composition_interfaces", "tf2_msgs")
"""What every node of ours needs of portable/interfaces. The others, of Autoware and Ackermann, are
for those who have such a stack; compiling them takes a third of the time."""


def interface_packages(layout: Layout, distro: Distro) -> list[Path]:
    """The folders of our interface packages, and of those that each node needs and ROS 2 lacks."""
    ours = sorted(file.parent for file in (layout.root / "src").glob("*/CMakeLists.txt"))
    return ours + [folder for folder in _lacking(layout, distro) if folder.name in REQUIRED]


def _lacking(layout: Layout, distro: Distro) -> list[Path]:
    """The folders of the interface packages that this ROS 2 has not."""
    files = sorted((layout.portable / "interfaces").glob("*/CMakeLists.txt"))
    folders = (file.parent for file in files)
    return [folder for folder in folders if not has_package(layout, distro, folder.name)]


def build(layout: Layout, distro: Distro, lock: int) -> None:
    """Build what is out of date."""
    build_messages(layout, distro, lock)
    _install_python_packages(layout, distro, lock)
    for prefix in _prefixes(layout):
        if prefix.is_dir():
            quirks.write_local_setup(prefix, distro.name, _modules(layout))
    _write_variables(layout)


def _prefixes(layout: Layout) -> list[Path]:
    """What the build installs, in the order of the search paths."""
    return [layout.install, layout.messages, layout.stack_messages]


def _modules(layout: Layout) -> str:
    """Where a prefix has its Python packages."""
    version = next((layout.venv / "lib").glob("python3.*")).name
    return f"lib/{version}/site-packages"


def build_messages(layout: Layout, distro: Distro, lock: int) -> None:
    """Build the interface packages unless they are current."""
    _build_messages(layout, distro, lock, layout.messages, interface_packages(layout, distro))


def ensure_stack_messages(layout: Layout, distro: Distro) -> None:
    """Build the messages of Autoware and Ackermann unless they are current, or ROS 2 has them."""
    if distro.origin != "wheels":
        return
    folders = [folder for folder in _lacking(layout, distro) if folder.name not in REQUIRED]
    if _is_current(layout, layout.stack_messages, _messages_fingerprint(layout, distro, folders)):
        return
    with exclusive(layout.root / ".ros" / f"{layout.name}.lock", "compiling messages") as lock:
        _build_messages(layout, distro, lock, layout.stack_messages, folders)
        quirks.write_local_setup(layout.stack_messages, distro.name, _modules(layout))


def _build_messages(
    layout: Layout, distro: Distro, lock: int, prefix: Path, folders: list[Path]
) -> None:
    expected = _messages_fingerprint(layout, distro, folders)
    if _is_current(layout, prefix, expected):
        return
    stamp = _stamp(layout, prefix)
    stamp.unlink(missing_ok=True)
    ours, others = "step 2 of 2: compiling the messages", "compiling the messages of other stacks"
    print_status(ours if prefix == layout.messages else f"{others} (once)")
    work = layout.build / prefix.name
    # Here, and not for each command: it loads the generators of messages and a pool of processes.
    from workspace.wheel_route.messages.compile import steps_n

    steps = steps_n([packages.read(folder) for folder in folders])
    _run(layout, distro, lock, "messages", [prefix, work, layout.venv, *folders], steps)
    stamp.write_text(expected, encoding="utf-8")


def _messages_fingerprint(layout: Layout, distro: Distro, folders: list[Path]) -> str:
    builder = sorted((Path(__file__).parent / "messages").glob("*.py"))
    return fingerprint.of_sources(
        folders,
        fingerprint.of_files(builder),
        requirement_sets.ROS.fingerprint(layout, distro),
        str(layout.venv),  # the library refers to those of ROS 2 by this path
    )


def _stamp(layout: Layout, prefix: Path) -> Path:
    return layout.state / f"{prefix.name}.stamp"


def _is_current(layout: Layout, prefix: Path, expected: str) -> bool:
    stamp = _stamp(layout, prefix)
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == expected


def _install_python_packages(layout: Layout, distro: Distro, lock: int) -> None:
    folders = sorted(file.parent for file in (layout.root / "src").glob("*/setup.py"))
    _run(layout, distro, lock, "python_packages", [layout.install, *folders], len(folders))


def _run(
    layout: Layout, distro: Distro, lock: int, module: str, arguments: list[Path], steps: int
) -> None:
    environ = base_environment(layout, distro)
    environ["PYTHONPATH"] = str(_TOOLS)
    log = layout.log / f"{module}.log"
    command: list[str | Path] = [layout.python, "-m", f"workspace.wheel_route.{module}", *arguments]
    if run_logged(command, log, environ, keep=_PROGRESS, every=15, steps=steps, lock=lock):
        print(tail(log, 60), file=sys.stderr)
        raise WorkspaceError(f"the build failed; the whole output is in {log}")


def _write_variables(layout: Layout) -> None:
    """What sourcing the workspace would put in front of each variable; see environment.py."""
    prefixes = _prefixes(layout)
    content = {
        "prepends": {
            "AMENT_PREFIX_PATH": [str(prefix) for prefix in prefixes],
            "LD_LIBRARY_PATH": [str(prefix / "lib") for prefix in prefixes[1:]],
            "PYTHONPATH": [str(prefix / _modules(layout)) for prefix in prefixes],
        },
        "scalars": {},
        "portable": True,
    }
    partial = layout.variables.with_suffix(".partial")
    partial.write_text(json.dumps(content, indent=1), encoding="utf-8")
    partial.replace(layout.variables)


def remove(layout: Layout) -> None:
    """Remove what `build` made beside colcon's folders."""
    for prefix in (layout.messages, layout.stack_messages):
        shutil.rmtree(prefix, ignore_errors=True)
        _stamp(layout, prefix).unlink(missing_ok=True)
