"""The private environment with the ROS 2 of the PyPI wheels.

Two pip processes install different packages into it at the same time, and the messages compile as
soon as ROS 2 is there. Each set of requirements has a stamp, so that the next run continues where
an interrupted one stopped. pip compiles no bytecode: the first import of a module does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from workspace import pins, pip, quirks
from workspace.distro import Distro
from workspace.layout import Layout
from workspace.lock import exclusive
from workspace.progress import print_status
from workspace.venv import evaluate
from workspace.wheel_route.requirement_sets import EVERY, PRODUCT, ROS, RequirementSet

# All needs are pinned, so pip resolves nothing; and it looks for no older version, which would read
# what the other pip is writing.
_OPTIONS = ("--no-deps", "--ignore-installed", "--no-compile")


def make(layout: Layout, distro: Distro, lock: int, when_ros_is_there: Callable[[], None]) -> None:
    """Install the first sets; `when_ros_is_there` runs beside the rest of the installation."""
    print_status(
        f"step 1 of 2: downloading and installing ROS 2 {distro.name} and what the car needs "
        "(500 MB on disk)"
    )
    with ThreadPoolExecutor(2) as pool:
        product = pool.submit(_install, layout, distro, PRODUCT, lock)
        _install(layout, distro, ROS, lock)
        early = pool.submit(when_ros_is_there)
        product.result()
        early.result()


def ensure_sets(layout: Layout, distro: Distro, sets: Sequence[RequirementSet]) -> None:
    """Install the sets that are missing; they are installed once."""
    if distro.origin != "wheels" or all(is_installed(layout, distro, s) for s in sets):
        return
    with exclusive(layout.root / ".ros" / f"{layout.name}.lock", "installing packages") as lock:
        for missing in sets:
            if not is_installed(layout, distro, missing):
                print_status(f"installing what is needed for {missing.purpose} (once)")
                _install(layout, distro, missing, lock)


def is_installed(layout: Layout, distro: Distro, requirements: RequirementSet) -> bool:
    """Whether a set is complete and has the pinned versions."""
    try:
        installed = _stamp(layout, requirements).read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    return installed == requirements.fingerprint(layout, distro)


def has_old_pins(layout: Layout, distro: Distro) -> bool:
    """Whether a set was installed with other pins; pip would leave both versions behind."""
    return any(
        _stamp(layout, requirements).exists() and not is_installed(layout, distro, requirements)
        for requirements in EVERY
    )


def _stamp(layout: Layout, requirements: RequirementSet) -> Path:
    return layout.venv / f"{requirements.name}.installed"


def _install(layout: Layout, distro: Distro, requirements: RequirementSet, lock: int) -> None:
    if is_installed(layout, distro, requirements):
        return
    files = requirements.paths(layout, distro)
    target = layout.state / f"constraints-{requirements.name}.txt"
    arguments = [*_OPTIONS, *pins.options(layout.requirements, files, target)]
    for file in files:
        arguments += ["-r", str(file)]
    log = layout.log / f"pip-{requirements.name}.log"
    pip.install(layout, arguments, os.environ, lock, log, packages_n=len(pins.pins_of(files)))
    if any(file.name.startswith("ros-") for file in files):
        _repair(layout, distro)
    stamp = _stamp(layout, requirements)
    partial = stamp.with_suffix(".partial")
    partial.write_text(requirements.fingerprint(layout, distro), encoding="utf-8")
    partial.replace(stamp)


def _repair(layout: Layout, distro: Distro) -> None:
    """Mend what the wheels bring; each repair does nothing the second time."""
    include = evaluate(layout, "import sysconfig; print(sysconfig.get_path('include'))")
    numpy_include = evaluate(layout, "import numpy; print(numpy.get_include())")
    quirks.repair_cmake_exports(layout.venv / "share", include, numpy_include)
    quirks.link_private_libraries(layout.venv)
    quirks.write_local_setup(layout.venv, distro.name)
