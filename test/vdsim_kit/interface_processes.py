"""Processes of the interface on a VDS1 link, started without a launch, and their log."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from vdsim_kit.ports import free_ports

NODES = "vdsim_interface.nodes"
STAGES = "vdsim_interface.extras.stages.nodes"
GUARD = "vdsim_interface.guard.vehicle_guard"
PATIENT = {"command_timeout_s": 5.0, "safety.report_timeout_s": 2.0, "safety.link_lost_s": 10.0}
"""Stalls of a loaded machine end nothing: what is left is what the test does."""
Own = TypeVar("Own", bound="InterfaceProcesses")


class InterfaceProcesses:
    """The processes in `processes`; `command_port` and `state_port` are the vehicle's."""

    def __init__(self, namespace: str, parameters: Mapping[str, object]) -> None:
        self.namespace = namespace
        self.command_port, self.state_port = free_ports(2)
        self._temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self._temporary.name)
        self.socket = self.folder / "run" / "guard.sock"
        self._parameters = {
            "platform": "vds1",
            "control_command": "vehicle",
            "safety.auto_engage": True,
            "safety.rig": "driverless",
            "tracking.lost_s": 60.0,  # a WireCar follows nothing
            "vds1.plant_port": self.command_port,
            "vds1.listen_port": self.state_port,
            **parameters,
        }
        self._log = (self.folder / "log").open("w+")
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(
        self, module: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start the guard or a node, again if need be."""
        arguments = self._ros_arguments()
        if module == GUARD:
            arguments = ["--socket", str(self.socket)]
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdout=self._log,
            stderr=subprocess.STDOUT,
            env=environment,
        )
        self.processes[module.rsplit(".", maxsplit=1)[-1]] = process
        return process

    def _ros_arguments(self) -> list[str]:
        arguments = ["--ros-args", "-r", f"__ns:=/{self.namespace}"]
        for name, value in self._parameters.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            arguments += ["-p", f"{name}:={text}"]
        return arguments

    def log(self) -> str:
        """What all have printed."""
        self._log.flush()
        return (self.folder / "log").read_text(encoding="utf-8")

    def __enter__(self: Own) -> Own:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        end(self.processes.values())
        if kind is not None:
            print(self.log())  # pytest shows it with the failure
        self._log.close()
        self._temporary.cleanup()


def end(processes: Iterable[subprocess.Popen[bytes]]) -> None:
    """Interrupt processes, also frozen ones, and wait for their end."""
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.send_signal(signal.SIGINT)
    for process in processes:
        try:
            process.wait(20.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def modules_of(process: subprocess.Popen[bytes]) -> str:
    """The shared libraries that a process has loaded."""
    return Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8")
