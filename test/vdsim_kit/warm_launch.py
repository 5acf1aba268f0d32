"""Launches that end by themselves, in forks of a process that has imported what each of them needs.

The imports are most of such a launch. A process of its own, without threads, has them once; each
launch is a fork of it, with its own command line, variables and output.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path

NEEDED = (
    *("ros2cli.cli", "launch_ros.actions", "vdsim_interface.ros.launching"),
    *("vdsim_interface.guard.local_socket", "vdsim_interface.pipeline.parameters"),
    *("vdsim_interface.extras.morai", "vdsim_can.platform", "vdsim_plant_node.ros.start_check"),
)
"""What the launch files import; what else one needs its fork imports."""


def launch_warm(words: list[str], limit_s: float) -> subprocess.CompletedProcess[str]:
    """Run `ros2 launch WORDS`; return its code and its output."""
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.TemporaryDirectory(prefix="vdsim-warm-") as folder:
        request = {"words": words, "folder": folder, "environ": {**os.environ}, "limit_s": limit_s}
        server.stdin.write(f"{json.dumps(request)}\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        said = [(Path(folder) / name).read_text("utf-8") for name in ("stdout", "stderr")]
    return subprocess.CompletedProcess(words, code, *said)


@cache
def _server() -> subprocess.Popen[str]:
    path = os.pathsep.join(sys.path)
    server = subprocess.Popen(
        [sys.executable, "-m", "vdsim_kit.warm_launch"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    atexit.register(server.communicate)  # its input ends, and so does it
    return server


def _serve() -> None:
    for name in NEEDED:
        import_module(name)
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if not child:
            _become(request)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _become(request: dict[str, object]) -> None:
    """Be `ros2 launch`: its words, its variables, its output; ended when it takes too long."""
    signal.alarm(int(request["limit_s"]))  # type: ignore[call-overload]
    os.environ.clear()
    os.environ.update(request["environ"])  # type: ignore[arg-type]
    for number, name in enumerate(("stdout", "stderr"), start=1):
        file = os.open(f"{request['folder']}/{name}", os.O_WRONLY | os.O_CREAT, 0o600)
        os.dup2(file, number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.argv = ["ros2", "launch", *request["words"]]  # type: ignore[misc]
    sys.exit(import_module("ros2cli.cli").main())


if __name__ == "__main__":
    _serve()
