"""A guard and its ROS shell as processes."""

from __future__ import annotations

import subprocess

from vdsim_kit.interface_processes import GUARD, NODES, InterfaceProcesses

SHELL = f"{NODES}.guarded_interface"


class GuardedProcesses(InterfaceProcesses):
    """The two processes, each of which a test may end and start again."""

    def __init__(self, namespace: str, **parameters: object) -> None:
        super().__init__(namespace, parameters)
        self._parameters.setdefault("guard.socket", self.socket)
        self.start_guard()
        self.start_shell()

    @property
    def guard(self) -> subprocess.Popen[bytes]:
        """The guard that was started last."""
        return self.processes["vehicle_guard"]

    @property
    def shell(self) -> subprocess.Popen[bytes]:
        """The shell that was started last."""
        return self.processes["guarded_interface"]

    def start_guard(self) -> subprocess.Popen[bytes]:
        """Start the guard, again if need be."""
        return self.start(GUARD)

    def start_shell(self) -> subprocess.Popen[bytes]:
        """Start the shell, again if need be."""
        return self.start(SHELL)
