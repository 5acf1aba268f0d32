"""Install ament_python packages: `python -m workspace.wheel_route.python_packages PREFIX NAME ...`.

Makes what `colcon build --symlink-install` makes of them, in one process.

Runs in the private environment of the wheels. Modules and data files are links to the sources, so
that an edit needs no build.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from workspace.wheel_route.messages.install import site_packages

_LONGEST_FIRST_LINE = 127  # Linux cuts what follows
_SCRIPT = """\
#!{interpreter}
import sys

from {module} import {attribute}

if __name__ == "__main__":
    sys.exit({attribute}())
"""


def main(arguments: list[str]) -> int:
    """Install every package into a new prefix; the exit code."""
    prefix, *folders = (Path(argument).resolve() for argument in arguments)
    partial = prefix.with_name(f"{prefix.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    site_packages(partial).mkdir(parents=True)
    for folder in folders:
        print(f"Installing {folder.name}", flush=True)
        _install(folder, partial)
    shutil.rmtree(prefix, ignore_errors=True)
    partial.replace(prefix)
    return 0


def _install(folder: Path, prefix: Path) -> None:
    importlib.import_module("setuptools")  # it provides distutils, which Python 3.12 has not
    os.chdir(folder)
    run_setup = importlib.import_module("distutils.core").run_setup
    package = run_setup("setup.py", stop_after="config")
    modules = site_packages(prefix)
    for name in sorted({module.partition(".")[0] for module in package.packages}):
        (modules / name).symlink_to(folder / name)
    for target, files in package.data_files:
        (prefix / target).mkdir(parents=True, exist_ok=True)
        for file in files:
            (prefix / target / Path(file).name).symlink_to(folder / file)
    for line in package.entry_points["console_scripts"]:
        _write_script(prefix / "lib" / package.get_name(), line)
    _write_metadata(package, modules)


def _write_script(folder: Path, entry: str) -> None:
    name, _, target = (part.strip() for part in entry.partition("="))
    module, _, attribute = target.partition(":")
    # Inside the workspace `env` finds the same interpreter.
    usable = " " not in sys.executable and len(sys.executable) < _LONGEST_FIRST_LINE
    interpreter = sys.executable if usable else "/usr/bin/env python3"
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / name
    text = _SCRIPT.format(interpreter=interpreter, module=module, attribute=attribute)
    script.write_text(text, encoding="utf-8")
    script.chmod(0o755)


def _write_metadata(package: Any, modules: Path) -> None:
    """Version, requirements and entry points, for importlib.metadata."""
    info = modules / f"{package.get_name()}.egg-info"
    command = package.get_command_obj("egg_info")
    command.egg_base = str(modules)
    command.ensure_finalized()
    info.mkdir(exist_ok=True)
    for entry in importlib.import_module("importlib.metadata").entry_points(
        group="egg_info.writers"
    ):
        entry.load()(command, entry.name, str(info / entry.name))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
