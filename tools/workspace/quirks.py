"""Repairs of the ROS 2 wheels; each does nothing where nothing is broken.

The wheels' CMake exports carry two include folders of the machine that built them, which CMake
refuses; some libraries search for their private copies of others in folders that only the wheels'
own start-up hook adds; and the environment has no local_setup files, which the setup files of a
workspace that is built on it source. Our own prefixes get the same files.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

_FOREIGN_PYTHON = re.compile(r"/opt/python/[^;\"]*/include/python3\.\d+")
_FOREIGN_NUMPY = re.compile(r"/opt/python/[^;\"]*/numpy/_?core/include")


def repair_cmake_exports(share: Path, python_include: str, numpy_include: str) -> int:
    """Point the exports below `share` at this machine's include folders; how many files changed."""
    changed = 0
    for file in share.glob("*/cmake/*.cmake"):
        text = file.read_text(encoding="utf-8", errors="surrogateescape")
        repaired = _FOREIGN_NUMPY.sub(lambda _: numpy_include, text)
        repaired = _FOREIGN_PYTHON.sub(lambda _: python_include, repaired)
        if repaired != text:
            file.write_text(repaired, encoding="utf-8", errors="surrogateescape")
            changed += 1
    return changed


def link_private_libraries(venv: Path) -> int:
    """Make every library in site-packages/ros_*.libs reachable from the one folder lib/."""
    linked = 0
    for library in sorted(venv.glob("lib/python3*/site-packages/ros_*.libs/*.so*")):
        link = venv / "lib" / library.name
        if not link.exists():
            link.unlink(missing_ok=True)
            link.symlink_to(library.relative_to(venv / "lib"))
            linked += 1
    return linked


def repair_interpreter_lines(install: Path, interpreters: Path | None = None) -> int:
    """Let installed scripts start where the workspace's path has a space; how many changed.

    Linux cuts the first line of a script at the space. Inside the workspace `env` finds the same
    interpreter. It is below `interpreters`, or else below the folder that holds `install`.
    """
    below = str(interpreters or install.parent).encode()
    changed = 0
    for script in [*install.glob("*/lib/*/*"), *install.glob("lib/*/*")]:
        if script.is_symlink() or not script.is_file():
            continue
        content = script.read_bytes()
        first, newline, rest = content.partition(b"\n")
        if first.startswith(b"#!") and below in first and b" " in first:
            script.write_bytes(b"#!/usr/bin/env python3" + newline + rest)
            changed += 1
    return changed


def write_local_setup(prefix: Path, distro: str, modules: str = "") -> None:
    """Files that colcon's install/setup.* source for this prefix.

    `modules` is the folder below the prefix that Python imports from, for a prefix that is not a
    Python environment.
    """
    quoted = shlex.quote(str(prefix))
    lines = [
        "# Makes what is installed in this prefix usable from a shell.",
        f"_vdsim_prefix={quoted}",
        f"export ROS_DISTRO={distro} ROS_VERSION=2 ROS_PYTHON_VERSION=3",
        "export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1",
    ]
    folders = {
        "AMENT_PREFIX_PATH": "",
        "CMAKE_PREFIX_PATH": "",
        "LD_LIBRARY_PATH": "/lib",
        "PATH": "/bin",
        **({"PYTHONPATH": f"/{modules}"} if modules else {}),
    }
    for variable, folder in folders.items():
        value = f"$_vdsim_prefix{folder}"
        lines.append(
            f'case ":${variable}:" in *":{value}:"*) ;; '
            f'*) export {variable}="{value}${{{variable}:+:${variable}}}" ;; esac'
        )
    lines.append("unset _vdsim_prefix")
    text = "\n".join(lines) + "\n"
    for name in ("local_setup", "setup"):
        for shell in ("sh", "bash", "zsh"):
            (prefix / f"{name}.{shell}").write_text(text, encoding="utf-8")
