"""A composition's processes with direct access to each by its process id, and a clock to step.

The system clock of all of them is ahead by what `step_clock` adds: their interpreters read
`time.time` through a file that they share with the test.
"""

from __future__ import annotations

import mmap
import os
import signal
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType

from vdsim_kit.ports import free_ports

NODES = "vdsim_interface.nodes"
GUARD = "vdsim_interface.cli.vehicle_guard"
MODULES = {
    "single": (f"{NODES}.vehicle_interface",),
    "container": (f"{NODES}.component_container",),
    "guarded": (GUARD, f"{NODES}.guarded_interface"),
    "processes": tuple(
        f"{NODES}.{stage}"
        for stage in (
            "velocity_controller",
            "low_pass_filter",
            "safety_state_machine",
            "platform_interface",
        )
    ),
}
_STEPPED_CLOCK = """
import mmap, os, struct, time
with open(os.environ["VDSIM_TEST_CLOCK"], "rb") as file:
    ahead = mmap.mmap(file.fileno(), 8, access=mmap.ACCESS_READ)
def stepped(read, unit):
    return lambda: read() + type(unit)(struct.unpack_from("d", ahead)[0] * unit)
time.time = stepped(time.time, 1.0)
time.time_ns = stepped(time.time_ns, 1_000_000_000)
"""


class CompositionProcesses:
    """The processes on a VDS1 link; `command_port` and `state_port` are the vehicle's."""

    def __init__(self, composition: str, namespace: str, **parameters: object) -> None:
        self.namespace = namespace
        self.command_port, self.state_port = free_ports(2)
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        self._socket = folder / "run" / "guard.sock"
        (folder / "clock").write_bytes(bytes(8))
        (folder / "sitecustomize.py").write_text(_STEPPED_CLOCK, encoding="utf-8")
        with (folder / "clock").open("r+b") as file:
            self._ahead = mmap.mmap(file.fileno(), 8)
        self.ahead_s = 0.0
        self._parameters = {
            "platform": "vds1",
            "control_command": "vehicle",
            "safety.auto_engage": True,
            "safety.rig": "driverless",
            "vds1.plant_port": self.command_port,
            "vds1.listen_port": self.state_port,
            **({"guard.socket": self._socket} if composition == "guarded" else {}),
            **parameters,
        }
        self._log = (folder / "log").open("w+")
        self.processes = {
            module.rsplit(".", maxsplit=1)[-1]: self._start(module)
            for module in MODULES[composition]
        }

    def _start(self, module: str) -> subprocess.Popen[bytes]:
        arguments = ["--ros-args", "-r", f"__ns:=/{self.namespace}"]
        for name, value in self._parameters.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            arguments += ["-p", f"{name}:={text}"]
        if module == GUARD:
            arguments = ["--socket", str(self._socket)]
        folder = self._folder.name
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join((folder, os.environ.get("PYTHONPATH", ""))),
            "VDSIM_TEST_CLOCK": str(Path(folder) / "clock"),
        }
        return subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdout=self._log,
            stderr=subprocess.STDOUT,
            env=environment,
        )

    def step_clock(self, seconds: float) -> None:
        """Set the system clock of all processes."""
        self.ahead_s += seconds
        struct.pack_into("d", self._ahead, 0, self.ahead_s)

    def freeze(self, name: str) -> None:
        """Stop a process until `thaw`."""
        self.processes[name].send_signal(signal.SIGSTOP)

    def thaw(self, name: str) -> None:
        """Let it run again."""
        self.processes[name].send_signal(signal.SIGCONT)

    def log(self) -> str:
        """What all have printed."""
        self._log.flush()
        return (Path(self._folder.name) / "log").read_text(encoding="utf-8")

    def __enter__(self) -> CompositionProcesses:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.send_signal(signal.SIGINT)
        for process in self.processes.values():
            try:
                process.wait(20.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._ahead.close()
        self._log.close()
        self._folder.cleanup()
