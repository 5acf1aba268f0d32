"""A lane's Python environment under .ros/lanes: made on first use, kept while its pins are same."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workspace import fingerprint, pins, pip, venv
from workspace.layout import WorkspaceError
from workspace.lock import exclusive
from workspace.progress import print_status
from workspace.testing.pythons import Python

# What pip prints of a package that is a constraint too, as all of ours are.
_NO_WHEEL = re.compile(r"Cannot install (\S+) because(?s:.*)no matching distributions available")
# ROS 2 and our own overlay stay outside, also when `ws` runs inside `./ws shell`.
_SOURCES = (
    *("vdsim_protocol", "vdsim_plant", "vdsim_plant_node", "vdsim_interface"),
    "vdsim_can",
)
_NOT_PASSED = ("PYTHONPATH", "PYTHONHOME", "AMENT_PREFIX_PATH", "LD_LIBRARY_PATH", "VIRTUAL_ENV")


class NoWheelError(WorkspaceError):
    """A package has no wheel for this Python."""

    def __init__(self, requirement: str, python: Python) -> None:
        super().__init__(f"{requirement} has no wheel for Python {python.version}")
        self.requirement = requirement


@dataclass(frozen=True)
class LaneEnvironment:
    """The environment of one lane for one Python."""

    root: Path  # of the repository
    name: str
    python: Python

    @property
    def folder(self) -> Path:
        """Everything that belongs to it."""
        return self.root / ".ros" / "lanes" / f"{self.name}-{self.python.minor}"

    @property
    def venv(self) -> Path:
        """The environment itself."""
        return self.folder / "venv"

    @property
    def interpreter(self) -> Path:
        """Its Python."""
        return self.venv / "bin" / "python"

    @property
    def stamp(self) -> Path:
        """Written last; holds the fingerprint of what is installed, and its place."""
        return self.folder / "environment.stamp"

    def variables(self) -> dict[str, str]:
        """The caller's variables without any ROS 2, with this environment first on the path."""
        environ = {k: v for k, v in os.environ.items() if k not in _NOT_PASSED}
        environ["PATH"] = f"{self.venv / 'bin'}{os.pathsep}{environ.get('PATH', os.defpath)}"
        environ["VIRTUAL_ENV"] = str(self.venv)
        # As in the workspace: the processes that tests start import the packages from src/ too.
        environ["PYTHONPATH"] = os.pathsep.join(str(self.root / "src" / name) for name in _SOURCES)
        return environ


def ensure_lane_environment(environment: LaneEnvironment, files: Sequence[Path]) -> None:
    """Create the environment unless it has what the requirement files pin."""
    expected = fingerprint.of_files(files, environment.python.version, str(environment.venv))
    if _is_complete(environment, expected):
        return
    lock = environment.folder.with_name(f"{environment.folder.name}.lock")
    with exclusive(lock, f"setting up the lane {environment.name}") as held:
        if _is_complete(environment, expected):
            return
        _create(environment, files, held)
        environment.stamp.write_text(expected, encoding="utf-8")


def _is_complete(environment: LaneEnvironment, expected: str) -> bool:
    try:
        installed = environment.stamp.read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    return installed == expected and environment.interpreter.exists()


def _create(environment: LaneEnvironment, files: Sequence[Path], lock: int) -> None:
    shutil.rmtree(environment.folder, ignore_errors=True)
    environment.folder.mkdir(parents=True)
    version = environment.python.version
    print_status(f"lane {environment.name}: installing its packages for Python {version}")
    venv.make(environment.python.path, environment.venv)
    _install(environment, files, lock)


def _install(environment: LaneEnvironment, files: Sequence[Path], lock: int) -> None:
    # Wheels only: building numba or CasADi from source would take an hour and fail.
    requirements = environment.root / "tools" / "requirements"
    log = environment.folder / "setup.log"
    variables = environment.variables()
    pip.install_itself(environment.interpreter, requirements, variables, lock, log)
    constraints = environment.folder / "constraints.txt"
    arguments = ["--only-binary", ":all:", *pins.options(requirements, files, constraints)]
    for file in files:
        arguments += ["-r", str(file)]
    packages_n = len(pins.pins_of(files))
    text = pip.run(environment.interpreter, arguments, variables, lock, log, packages_n=packages_n)
    if not text:
        return
    missing = _NO_WHEEL.search(text)
    if "Retrying (" in text or "NewConnectionError" in text:
        raise WorkspaceError(f"the package index could not be reached; details in {log}")
    if missing:
        raise NoWheelError(missing.group(1), environment.python)
    raise WorkspaceError(f"pip failed; details in {log}")
