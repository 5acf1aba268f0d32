"""Environment variables for commands in the workspace.

Sourcing colcon's setup files takes half a second, so it is done once after each build. The file
variables.json keeps the entries that they put in front of each path-like variable; every later call
applies it.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from workspace.distro import Distro
from workspace.layout import Layout, WorkspaceError
from workspace.sourcing import system_environment

_SENTINEL = "/vdsim-sentinel"
_SCALARS = ("ROS_DISTRO", "ROS_VERSION", "ROS_PYTHON_VERSION")
_PATH_LIKE = ("AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH", "LD_LIBRARY_PATH", "PATH", "PYTHONPATH")


def _prepend(environ: dict[str, str], variable: str, entries: list[str]) -> None:
    """Put `entries` in front; an entry that is already there moves to the front."""
    kept = [e for e in environ.get(variable, "").split(os.pathsep) if e and e not in entries]
    environ[variable] = os.pathsep.join([*entries, *kept])


def base_environment(layout: Layout, distro: Distro) -> dict[str, str]:
    """The caller's variables with ROS 2 and our Python environment, without the overlay."""
    return _with_venv(layout, distro, system_environment(distro))


def _without_ours(layout: Layout, environ: dict[str, str]) -> None:
    """Remove what an outer `ws` added, so that a nested `ws` starts from the same state."""
    ours = (str(layout.root / ".ros"), str(layout.portable), str(layout.root / "simulate"))
    for variable in _PATH_LIKE:
        if variable in environ:
            entries = environ[variable].split(os.pathsep)
            kept = [e for e in entries if e and not e.startswith(ours)]
            environ[variable] = os.pathsep.join(kept)


def _with_venv(layout: Layout, distro: Distro, environ: dict[str, str]) -> dict[str, str]:
    _without_ours(layout, environ)
    venv = str(layout.venv)
    _prepend(environ, "PATH", [f"{venv}/bin"])
    environ["VIRTUAL_ENV"] = venv
    # colcon's setup files break on an interpreter whose path has a space: give them the base one.
    environ["COLCON_PYTHON_EXECUTABLE"] = str(layout.python.resolve())
    environ.pop("PYTHONHOME", None)
    if environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        # No bytecode in the source folders; without a cache each start would compile every module.
        environ.setdefault("PYTHONPYCACHEPREFIX", str(layout.state / "pycache"))
    # Discovery is limited to this machine unless the user enables more.
    if "ROS_LOCALHOST_ONLY" not in environ:
        environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    _set_fast_dds_profile(layout, distro, environ)
    if distro.origin == "wheels":
        _prepend(environ, "AMENT_PREFIX_PATH", [venv])
        _prepend(environ, "CMAKE_PREFIX_PATH", [venv])
        _prepend(environ, "LD_LIBRARY_PATH", [f"{venv}/lib"])
        environ.update(ROS_DISTRO=distro.name, ROS_VERSION="2", ROS_PYTHON_VERSION="3")
        environ["_ROS_WHEELS_BOOTSTRAP_COMPLETE"] = "1"  # saves every process a second start
        # The ports of VDS1: no command may take one from a server (portable/ros2cli/udp_ports.py).
        environ.setdefault("ROS2_PORTABLE_RESERVED_UDP_PORTS", "7001,7002")
    return environ


def _set_fast_dds_profile(layout: Layout, distro: Distro, environ: dict[str, str]) -> None:
    """Nodes discover each other within 0.5 s, and stay on loopback where others are not sought.

    portable/fastdds.xml and fastdds_loopback.xml give the reasons.
    """
    old, new = "FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"
    if old not in environ and new not in environ:
        # Kilted's Fast DDS warns about the older name; the others know no other.
        name = old if distro.name in ("humble", "iron", "jazzy") else new
        environ[name] = str(layout.portable / fast_dds_profile(environ))


def fast_dds_profile(environ: Mapping[str, str]) -> str:
    """The file of portable/ for the range in which nodes look for others."""
    only_here = environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "").upper() == "LOCALHOST"
    if environ.get("ROS_LOCALHOST_ONLY", "0") == "1" or only_here:
        return "fastdds_loopback.xml"
    return "fastdds.xml"


def capture_overlay(layout: Layout, distro: Distro) -> None:
    """Source an installed ROS 2 and the overlay once; keep the variables that they add."""
    environ = _with_venv(layout, distro, dict(os.environ))
    for variable in _PATH_LIKE:
        environ[variable] = os.pathsep.join(filter(None, [_SENTINEL, environ.get(variable, "")]))
    files = [str(layout.install / "local_setup.bash")]
    if distro.setup_file:
        files.insert(0, str(distro.setup_file))
    after = _sourced(files, environ)
    prepends = {v: _before_sentinel(after.get(v, "")) for v in _PATH_LIKE}
    if not prepends["AMENT_PREFIX_PATH"]:
        raise WorkspaceError(f"sourcing {layout.install}/local_setup.bash set nothing")
    content = {
        "prepends": prepends,
        "scalars": {v: after[v] for v in _SCALARS if v in after},
        "portable": not _has_upstream_launch(layout, distro),
    }
    partial = layout.variables.with_suffix(".partial")
    partial.write_text(json.dumps(content, indent=1), encoding="utf-8")
    partial.replace(layout.variables)


def _sourced(files: list[str], environ: Mapping[str, str]) -> dict[str, str]:
    script = "".join(f'. "{file}" >/dev/null 2>&1 && ' for file in files) + "env -0"
    done = subprocess.run(["bash", "-c", script], env=environ, capture_output=True, check=False)
    if done.returncode:
        raise WorkspaceError(f"sourcing {' and '.join(files)} failed")
    output = done.stdout.decode(errors="surrogateescape")
    return dict(item.split("=", 1) for item in output.split("\0") if "=" in item)


def _before_sentinel(value: str) -> list[str]:
    before, separator, _ = value.partition(_SENTINEL)
    return [e for e in before.split(os.pathsep) if e] if separator else []


def _has_upstream_launch(layout: Layout, distro: Distro) -> bool:
    """Whether ROS 2 has its own launch and command line, so that portable/ is not used."""
    check = (
        "import importlib.util as u, sys\n"
        "sys.exit(any(u.find_spec(m) is None for m in ('launch_ros', 'ros2cli')))"
    )
    done = subprocess.run(
        [str(layout.python), "-c", check],
        env=base_environment(layout, distro),
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


def overlay_environment(layout: Layout, distro: Distro) -> dict[str, str]:
    """The environment of a command in the ready workspace."""
    content = json.loads(layout.variables.read_text(encoding="utf-8"))
    environ = _with_venv(layout, distro, dict(os.environ))
    environ.update(content["scalars"])
    for variable, entries in content["prepends"].items():
        if entries:
            _prepend(environ, variable, entries)
    _prepend(environ, "PATH", [f"{layout.venv}/bin"])
    if content["portable"]:
        _prepend(environ, "PATH", [str(layout.portable / "bin")])
        _prepend(environ, "PYTHONPATH", [str(layout.portable)])
    # The simulator is not installed; a test that it wrote runs from any folder.
    entries = [environ.get("PYTHONPATH", ""), str(layout.root / "simulate")]
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, entries))
    # Behind everything else, so that they hide no command of the system.
    folders = command_folders(content["prepends"]["AMENT_PREFIX_PATH"])
    environ["PATH"] = os.pathsep.join([environ["PATH"], *folders])
    return environ


def command_folders(prefixes: list[str]) -> list[str]:
    """Where `ros2 run` finds the commands of the packages below these prefixes."""
    return [
        str(folder)
        for prefix in map(Path, prefixes)
        for name in sorted(prefix.glob("share/ament_index/resource_index/packages/*"))
        if (folder := prefix / "lib" / name.name).is_dir()
    ]


def let_make_use_every_core(environ: dict[str, str]) -> None:
    """colcon would add a load limit, which all but stops a build on a busy machine."""
    environ.setdefault("MAKEFLAGS", f"-j{os.cpu_count() or 1}")


def has_package(layout: Layout, distro: Distro, name: str) -> bool:
    """Whether ROS 2 itself (not our overlay) holds a package."""
    prefixes = base_environment(layout, distro).get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    return any(p and (Path(p) / "share" / name / "package.xml").is_file() for p in prefixes)


def is_portable(layout: Layout) -> bool:
    """Whether commands run on portable/ instead of upstream's launch and ros2."""
    return bool(json.loads(layout.variables.read_text(encoding="utf-8"))["portable"])


def variables_of(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that affect ROS 2, for `./ws doctor`."""
    names = ("ROS_DISTRO", "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_DOMAIN_ID", "RMW_IMPLEMENTATION")
    return {name: environ[name] for name in names if name in environ}
