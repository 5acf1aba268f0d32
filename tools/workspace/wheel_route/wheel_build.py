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
from workspace.progress import print_status, run_logged, tail
from workspace.wheel_route import requirement_sets

_TOOLS = Path(__file__).resolve().parents[2]
_PROGRESS = ("Generating", "Compiling", "Installing")


def interface_packages(layout: Layout, distro: Distro) -> list[Path]:
    """The folders of our interface packages, and of those that this ROS 2 lacks."""
    ours = (layout.root / "src").glob("*/CMakeLists.txt")
    lacking = (layout.portable / "interfaces").glob("*/CMakeLists.txt")
    return sorted(file.parent for file in ours) + sorted(
        file.parent for file in lacking if not has_package(layout, distro, file.parent.name)
    )


def build(layout: Layout, distro: Distro, lock: int) -> None:
    """Build what is out of date."""
    build_messages(layout, distro, lock)
    _install_python_packages(layout, distro, lock)
    for prefix in _prefixes(layout):
        quirks.write_local_setup(prefix, distro.name, _modules(layout))
    _write_variables(layout)


def _prefixes(layout: Layout) -> list[Path]:
    """What the build installs, in the order of the search paths."""
    return [layout.install, layout.messages]


def _modules(layout: Layout) -> str:
    """Where a prefix has its Python packages."""
    version = next((layout.venv / "lib").glob("python3.*")).name
    return f"lib/{version}/site-packages"


def build_messages(layout: Layout, distro: Distro, lock: int) -> None:
    """Build the interface packages unless they are current."""
    folders = interface_packages(layout, distro)
    builder = sorted((Path(__file__).parent / "messages").glob("*.py"))
    expected = fingerprint.of_sources(
        folders,
        fingerprint.of_files(builder),
        requirement_sets.ROS.fingerprint(layout, distro),
        str(layout.venv),  # the library refers to those of ROS 2 by this path
    )
    stamp = layout.state / "messages.stamp"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == expected:
        return
    stamp.unlink(missing_ok=True)
    print_status("step 2 of 2: compiling the messages")
    work = layout.build / "messages"
    _run(layout, distro, lock, "messages", [layout.messages, work, layout.venv, *folders])
    stamp.write_text(expected, encoding="utf-8")


def _install_python_packages(layout: Layout, distro: Distro, lock: int) -> None:
    folders = sorted(file.parent for file in (layout.root / "src").glob("*/setup.py"))
    _run(layout, distro, lock, "python_packages", [layout.install, *folders])


def _run(layout: Layout, distro: Distro, lock: int, module: str, arguments: list[Path]) -> None:
    environ = base_environment(layout, distro)
    environ["PYTHONPATH"] = str(_TOOLS)
    log = layout.log / f"{module}.log"
    command: list[str | Path] = [layout.python, "-m", f"workspace.wheel_route.{module}", *arguments]
    if run_logged(command, log, environ, keep=_PROGRESS, lock=lock):
        print(tail(log, 60), file=sys.stderr)
        raise WorkspaceError(f"the build failed; the whole output is in {log}")


def _write_variables(layout: Layout) -> None:
    """What sourcing the workspace would put in front of each variable; see environment.py."""
    prefixes = _prefixes(layout)
    content = {
        "prepends": {
            "AMENT_PREFIX_PATH": [str(prefix) for prefix in prefixes],
            "LD_LIBRARY_PATH": [str(layout.messages / "lib")],
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
    shutil.rmtree(layout.messages, ignore_errors=True)
    (layout.state / "messages.stamp").unlink(missing_ok=True)
