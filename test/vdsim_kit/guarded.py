"""A guard and its ROS shell as processes, with direct access to each by its process id."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType

from vdsim_kit.ports import free_ports

GUARD = "vdsim_interface.cli.vehicle_guard"
SHELL = "vdsim_interface.nodes.guarded_interface"


class GuardedProcesses:
    """The two processes on a VDS1 link; `command_port` and `state_port` are the vehicle's."""

    def __init__(self, namespace: str, **parameters: object) -> None:
        self.namespace = namespace
        self.command_port, self.state_port = free_ports(2)
        self._folder = tempfile.TemporaryDirectory()
        self.socket = Path(self._folder.name) / "run" / "guard.sock"
        self._parameters = {
            "platform": "vds1",
            "control_command": "vehicle",
            "safety.auto_engage": True,
            "safety.rig": "driverless",
            "vds1.plant_port": self.command_port,
            "vds1.listen_port": self.state_port,
            "guard.socket": self.socket,
            **parameters,
        }
        self._log = (Path(self._folder.name) / "log").open("w+")
        self.guard = self.start_guard()
        self.shell = self.start_shell()

    def start_guard(self) -> subprocess.Popen[bytes]:
        """Start the guard, again if need be."""
        self.guard = self._start([GUARD, "--socket", str(self.socket)])
        return self.guard

    def start_shell(self) -> subprocess.Popen[bytes]:
        """Start the shell, again if need be."""
        arguments = ["--ros-args", "-r", f"__ns:=/{self.namespace}"]
        for name, value in self._parameters.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            arguments += ["-p", f"{name}:={text}"]
        self.shell = self._start([SHELL, *arguments])
        return self.shell

    def _start(self, module: list[str]) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", *module]
        return subprocess.Popen(command, stdout=self._log, stderr=subprocess.STDOUT)

    def log(self) -> str:
        """What both have printed."""
        self._log.flush()
        return (Path(self._folder.name) / "log").read_text(encoding="utf-8")

    def __enter__(self) -> GuardedProcesses:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for process in (self.shell, self.guard):
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.send_signal(signal.SIGINT)
        for process in (self.shell, self.guard):
            try:
                process.wait(20.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._log.close()
        self._folder.cleanup()


def modules_of(process: subprocess.Popen[bytes]) -> str:
    """The shared libraries that a process has loaded."""
    return Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8")
