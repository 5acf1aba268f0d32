"""A composition's processes with direct access to each by its process id, and a clock to step.

The system clock of all of them is ahead by what `step_clock` adds: their interpreters read
`time.time` through a file that they share with the test.
"""

from __future__ import annotations

import mmap
import os
import signal
import struct
from types import TracebackType

from vdsim_kit.interface_processes import GUARD, NODES, STAGES, InterfaceProcesses

MODULES = {
    "single": (f"{NODES}.vehicle_interface",),
    "container": (f"{STAGES}.component_container",),
    "guarded": (GUARD, f"{NODES}.guarded_interface"),
    "processes": tuple(
        f"{STAGES}.{stage}"
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


class CompositionProcesses(InterfaceProcesses):
    """All processes of a composition."""

    def __init__(self, composition: str, namespace: str, **parameters: object) -> None:
        super().__init__(namespace, parameters)
        if composition == "guarded":
            self._parameters.setdefault("guard.socket", self.socket)
        clock = self.folder / "clock"
        clock.write_bytes(bytes(8))
        (self.folder / "sitecustomize.py").write_text(_STEPPED_CLOCK, encoding="utf-8")
        with clock.open("r+b") as file:
            self._ahead = mmap.mmap(file.fileno(), 8)
        self.ahead_s = 0.0
        path = os.pathsep.join((str(self.folder), os.environ.get("PYTHONPATH", "")))
        environment = {**os.environ, "PYTHONPATH": path, "VDSIM_TEST_CLOCK": str(clock)}
        for module in MODULES[composition]:
            self.start(module, environment)

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, traceback)
        self._ahead.close()
