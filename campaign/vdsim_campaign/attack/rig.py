"""The stack under attack: the shipped launch file with its car, and a driver that never stops.

All of it is on loopback, in a ROS domain and with ports of its own.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from std_srvs.srv import Trigger
from vdsim_kit.driving import AUTONOMOUS, Stack
from vdsim_kit.launched import Launched, is_alive
from vdsim_kit.ports import free_ports

from vdsim_msgs.msg import VehicleStateCommand
from vdsim_msgs.srv import ChangeMode

NAMESPACE = "attack"
SPEED_MPS = 3.0
CURVATURE = 0.05
RECOVERY_S = 60.0
"""In which the car must be drivable again; a process that is started again needs seconds."""
MOST_WAITING = 5.0
"""Times that limit: so long a machine with more load than cores is waited for."""
HOST = "127.0.0.1"
_DISENGAGE = "disengage first"


class Rig:
    """The processes, and the stack that drives a circle."""

    def __init__(self, folder: Path, composition: str) -> None:
        self.folder, self.composition = folder, composition
        self.command_port, self.state_port, self.http_port = free_ports(3)
        self._runs = 0
        self.answers: dict[str, str] = {}
        """The last answer of each service that was asked to let the car drive again."""
        self.start()
        self.stack = Stack(f"/{NAMESPACE}", rate_hz=50.0)
        self.stack.drive(SPEED_MPS, CURVATURE)

    def start(self) -> None:
        """Launch it, again if it has ended."""
        self._runs += 1
        folder = self.folder / f"launch_{self._runs}"
        folder.mkdir()
        self.launch = Launched(
            folder,
            "vdsim",
            namespace=NAMESPACE,
            composition=self.composition,
            plant_port=self.command_port,
            state_port=self.state_port,
            dashboard=f"{HOST}:{self.http_port}",
        )

    # ---- how it is -------------------------------------------------------------------------------

    def pids(self) -> dict[str, int]:
        """The latest process of each name that lives."""
        found = {name: pids[-1] for name, pids in self.launch.pids().items()}
        return {name: pid for name, pid in found.items() if is_alive(pid)}

    def started_n(self) -> int:
        """How many processes the launch has started: one more where one has ended."""
        return sum(map(len, self.launch.pids().values()))

    def drives(self) -> bool:
        """Whether the car follows now."""
        stack = self.stack
        fresh = time.monotonic() - stack.odometry_s < 0.5
        return fresh and stack.mode == AUTONOMOUS and abs(stack.speed - SPEED_MPS) < 0.5

    def recover(self, limit_s: float = RECOVERY_S) -> float:
        """Undo what people may undo, until the car drives; the time that it took, or -1 [s].

        The limit is one of time with a core: what the one that waited longest of this process and
        those of the launch spent ready without a core is the machine's, up to MOST_WAITING.
        """
        begun = asked = time.monotonic()
        before = self._waited_s()
        while not self.drives():
            now = time.monotonic()
            waited = self._waited_s()
            longest_s = max(waited[name] - before.get(name, 0.0) for name in waited)
            if now - begun > limit_s + min(longest_s, (MOST_WAITING - 1.0) * limit_s):
                return -1.0
            if now - asked > 2.0:
                asked = now
                self._undo()
            self.stack.spin(0.1)
        return time.monotonic() - begun

    def _waited_s(self) -> dict[str, float]:
        pids = {f"{name} {pid}": pid for name, pid in self.pids().items()}
        return waited_s({"this": os.getpid(), **pids})

    def _undo(self) -> None:
        """As a driver and his stack do: no override, DRIVE, hand brake off, give back, engage.

        Where the answer is to disengage first, that too: another source's level of commands is
        fixed while autonomy is on.
        """
        stack = self.stack
        stack.override(False)
        stack.request(gear=VehicleStateCommand.GEAR_DRIVE, hand_brake=False)
        answer = self._ask(Trigger, "give_back")
        if answer is not None and _DISENGAGE in answer.message:
            self._ask(ChangeMode, "change_mode", request=ChangeMode.Request.REQUEST_DISENGAGE)
            self._ask(Trigger, "give_back")
        self._ask(ChangeMode, "change_mode", request=ChangeMode.Request.REQUEST_ENGAGE)

    def _ask(self, kind: Any, name: str, **fields: Any) -> Any:
        """The answer of a service of the interface; None without one in 2 s."""
        stack = self.stack
        client = stack._node.create_client(kind, f"/{NAMESPACE}/{name}")
        stack.spin(0.2)
        answer = None
        if client.service_is_ready():
            future = client.call_async(kind.Request(**fields))
            end = time.monotonic() + 2.0
            while not future.done() and time.monotonic() < end:
                stack.spin(0.02)
            answer = future.result() if future.done() else None
        stack._node.destroy_client(client)
        self.answers[name] = str(answer)
        return answer

    def metrics(self) -> dict[str, float]:
        """The plant's counters; {} while it does not answer."""
        try:
            with urllib.request.urlopen(
                f"http://{HOST}:{self.http_port}/metrics", timeout=5.0
            ) as answer:
                lines = answer.read().decode().splitlines()
        except (urllib.error.URLError, OSError):
            return {}
        rows = [line.rsplit(" ", 1) for line in lines if line and not line.startswith("#")]
        return {name: float(value) for name, value in rows}

    def counter(self, beginning: str) -> float:
        """The sum of the counters whose name begins so."""
        return sum(v for name, v in self.metrics().items() if name.startswith(beginning))

    # ---- the end ---------------------------------------------------------------------------------

    def end(self) -> list[str]:
        """End the launch as Ctrl-C does; return what is still there then."""
        known = {pid for pids in self.launch.pids().values() for pid in pids}
        try:
            self.launch.end()
        except Exception:  # it does not end: that is the finding
            os.killpg(self.launch.process.pid, signal.SIGKILL)
        return left_of(known)

    def close(self) -> list[str]:
        """End everything."""
        self.stack.close()
        return self.end()


def waited_s(pids: dict[str, int]) -> dict[str, float]:
    """For how long the first thread of each process has been ready without a core, ever [s]."""
    found = {}
    for name, pid in pids.items():
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()
            found[name] = int(words[1]) * 1e-9
    return found


def is_ours(pid: int) -> bool:
    """Whether this process lives and is in our ROS domain: a number is used again by others."""
    ours = f"ROS_DOMAIN_ID={os.environ['ROS_DOMAIN_ID']}".encode()
    try:
        return is_alive(pid) and ours in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def left_of(pids: set[int], limit_s: float = 30.0) -> list[str]:
    """Which of these processes still live after a while."""
    end = time.monotonic() + limit_s
    while any(map(is_ours, pids)) and time.monotonic() < end:
        time.sleep(0.1)
    return [f"process {pid} is left" for pid in sorted(filter(is_ours, pids))]
