"""`./ws`: command line -> ready workspace -> the command, run inside it."""

from __future__ import annotations

import difflib
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from workspace import build, distro, doctor, own_workspaces
from workspace.environment import let_make_use_every_core, overlay_environment
from workspace.layout import Layout, WorkspaceError
from workspace.progress import print_status
from workspace.setup import ensure_environment
from workspace.testing import checks, lanes
from workspace.testing.docs_site import build_browser_car, build_docs, build_wheels
from workspace.testing.lane_run import run_lane
from workspace.testing.repeat import repeat
from workspace.wheel_route import requirement_sets, wheel_build, wheels

ROOT = Path(__file__).resolve().parents[2]
OPT_ROS = Path("/opt/ros")
STARTER = "VDSIM_WS"
"""Tells the command how its user calls ./ws: where it prints a command line, that one works."""

HELP = f"""\
usage: ./ws COMMAND [ARGUMENT ...]

Sets the workspace up (once), builds it (when sources are newer) and runs COMMAND inside it.

  ./ws ros2 launch vdsim_interface vdsim.launch.py   the car and its interface, running
  ./ws ros2 topic list                               any other command, with its own exit code

Commands of ws itself:
  build            only set up and build
  test             lint, types and the quick suite
  test --times     the same, and what each test file takes of the processor; then also PATH ...
  test PATH ...    pytest on these files and folders, with pytest's options
  test LANE        a heavy run in an environment of its own: {lanes.names()};
                   ./ws test --help says what each needs
  repeat N PATH    the same tests N times, to find those that fail now and then
  lint             ruff (lint and format) and mypy
  generate         write the files that are derived from the code; --check: name the stale ones;
                   --release: the changelogs of the packages
  goals DIR        one page for each safety goal, with its tests run now, for a person to sign
  docs [DIR]       this documentation as a site with a search, that works from a file
  browser_car OUT.html   the car as WebAssembly, on one page that needs no server
  wheels OUT       wheels and source archives of every Python package, checked
  pins             write the SHA-256 of every pinned package, after a version was changed
  size             lines of code, rooms, floors and arrows of the packages, beside their goals
  bench [NAME]     the benchmarks; without a name: list them
  bench --all      every figure with its peer, as one table; --check: beside the stored ones
  campaign         faults in running processes, and what must hold; --help shows how to choose
  attack           hostile messages, datagrams, files, kills at a driving stack; --minutes
  simulate         the interface and its car on virtual time, with faults drawn by seed
  exam             whether vdsim_why names the causes that are planted into simulated drives
  shell            an interactive shell inside the workspace
  secure DIR       keys, certificates and permissions by role, for a middleware with security
  doctor           what is installed, with versions, and what is missing
  doctor --live    why nothing arrives: what does not fit in the running ROS graph, and what to do
  clean [--all]    remove the build; with --all the private environment too

The ROS 2 that is used: the one sourced, else the newest under /opt/ros, else PyPI wheels in .ros/
(Jazzy; VDSIM_ROS_DISTRO=kilted for the other). Discovery is limited to this machine unless you
set ROS_AUTOMATIC_DISCOVERY_RANGE.
"""


def main(arguments: list[str]) -> int:
    """Run a command line of `ws`; returns the exit code of the command."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(HELP, end="")
        return 0 if arguments else 2
    try:
        chosen = distro.choose(os.environ, OPT_ROS, ROOT / ".ros")
        layout = Layout(ROOT, chosen.environment_name)
        code = _dispatch(layout, chosen, arguments[0], arguments[1:])
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # As in `./ws doctor | head`: nobody reads the rest. Python's own flush at the end would
        # find that out again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except WorkspaceError as error:
        print_status(str(error))
        return 1
    except KeyboardInterrupt:
        print_status("interrupted; run the same command again to continue")
        return 130


def _dispatch(layout: Layout, chosen: distro.Distro, name: str, rest: list[str]) -> int:
    if name == "doctor" and not rest:
        return doctor.report(layout, chosen)
    if name == "doctor" and rest[0] != "--live":
        print_status(f"doctor {' '.join(rest)}: must be `doctor` or `doctor --live [--seconds N]`")
        return 2
    if name == "clean":
        return _clean(layout, rest)
    if name == "size":
        return _size(layout, rest)
    if name == "pins":
        return checks.look_up_pins(layout, rest)
    if name == "docs":
        return build_docs(layout.root, rest)
    if name == "browser_car":
        return build_browser_car(layout.root, rest)
    if name == "wheels":
        return build_wheels(layout.root, rest)
    if name == "test" and rest:
        code = _test_without_workspace(layout, rest)
        if code is not None:
            return code
    ensure_environment(
        layout, chosen, lambda lock: wheel_build.build_messages(layout, chosen, lock)
    )
    build.ensure_build(layout, chosen)
    wheels.ensure_sets(layout, chosen, requirement_sets.needed_by(name, rest))
    if requirement_sets.speaks_to_other_stacks(name, rest):
        wheel_build.ensure_stack_messages(layout, chosen)
    environ = overlay_environment(layout, chosen)
    own: dict[str, Callable[[Layout, dict[str, str], list[str]], int]] = {
        "build": lambda _layout, _environ, _rest: 0,
        "test": checks.test,
        "repeat": repeat,
        "lint": checks.lint,
        "generate": checks.generate,
        "goals": checks.goals,
        "bench": checks.bench,
        "campaign": checks.campaign,
        "attack": checks.attack,
        "simulate": checks.simulate,
        "exam": checks.exam,
        "shell": _shell,
    }
    if name in own:
        return own[name](layout, environ, rest)
    environ[STARTER] = "./ws" if Path.cwd() == layout.root else shlex.quote(f"{layout.root}/ws")
    if name == "doctor":
        return _become(environ, "vdsim_doctor", rest[1:])
    if name == "secure":
        # In the caller's folder, to which the keystore's is relative.
        environ["PYTHONPATH"] = os.pathsep.join(
            filter(None, [str(layout.root / "tools"), environ.get("PYTHONPATH", "")])
        )
        return _become(environ, str(layout.python), ["-m", "workspace.secure", *rest])
    if name == "colcon":
        let_make_use_every_core(environ)
        if own_workspaces.has_aftermath(layout, rest):
            return own_workspaces.build(layout, environ, rest)
    return _become(environ, name, rest)


def _test_without_workspace(layout: Layout, rest: list[str]) -> int | None:
    """Help, a lane or a wrong argument: these need neither ROS 2 nor a build. None: go on."""
    if rest[0] in ("-h", "--help"):
        print(lanes.help_text(), end="")
        return 0
    lane = lanes.lane_named(rest[0])
    if lane is not None:
        return run_lane(layout.root, lane, rest[1:])
    line = checks.wrong_test_argument(layout, rest[0])
    if line:
        print_status(line)
        return 2
    return None


def did_you_mean(name: str) -> str:
    """Return the nearest of ws's own commands, as the end of a complaint; nothing if none is."""
    own = re.findall(r"^  ([a-z_]+)", HELP.partition("Commands of ws itself:")[2], re.MULTILINE)
    close = difflib.get_close_matches(name, own, n=1)
    return f"; did you mean ./ws {close[0]}?" if close else ""


def _become(environ: dict[str, str], name: str, rest: list[str]) -> int:
    """Replace this process, so that signals and the exit code are the command's own."""
    program = shutil.which(name, path=environ["PATH"])
    if program is None:
        near = did_you_mean(name)
        print_status(f"{name}: no such command in ws (see ./ws --help) or in the workspace{near}")
        return 127
    sys.stdout.flush()
    try:
        os.execve(program, [name, *rest], environ)
    except OSError as error:
        print_status(f"{name}: cannot be run: {error.strerror}")
        return 126


def _shell(_layout: Layout, environ: dict[str, str], rest: list[str]) -> int:
    shell = environ.get("SHELL", "/bin/bash")
    environ.pop(STARTER, None)
    print_status(f"a shell inside the workspace ({environ['ROS_DISTRO']}); leave it with exit")
    return _become(environ, shell, rest)


def _size(layout: Layout, rest: list[str]) -> int:
    if rest:
        print_status(f"size {' '.join(rest)}: takes no arguments")
        return 2
    from size.report import report  # no other command waits for it

    print(report(layout.root))
    return 0


def _clean(layout: Layout, rest: list[str]) -> int:
    if rest not in ([], ["--all"]):
        print_status(f"clean {' '.join(rest)}: only --all is allowed")
        return 2
    build.clean(layout)
    if rest:
        shutil.rmtree(layout.root / ".ros", ignore_errors=True)
    return 0
