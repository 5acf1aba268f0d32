"""The processes of a trial: a plant, the interface in one composition, and the tap between them.

Each process is started by itself, so that a fault can end, freeze or restart any of them.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from vdsim_kit.ports import free_ports

from vdsim_campaign.faults import PROCESSES
from vdsim_campaign.wire_tap import WireTap

ROOT = Path(__file__).resolve().parents[2]
NODES = "vdsim_interface.nodes"
STAGES = "vdsim_interface.extras.stages.nodes"
STAGE_ROLES = {*PROCESSES["processes"], "component_container"}
GUARD = "vehicle_guard"
ROLES = PROCESSES
PLANT = "plant"
WIRE_VERSION = 5  # the first whose STATE has the pedals in effect
_PATIENCE_S = 20.0
_OWN_ADDRESS = "127.0.0.1"


@dataclass(frozen=True)
class PlantSetup:
    """How the plant is started."""

    ground: str = ""
    """Lines of a ground file; empty: flat and dry."""
    largest_file_bytes: int = 0
    """No file of the process may become larger, as on a full disk; 0: no limit."""


class System:
    """Starts, ends, freezes and restarts the processes; the tap outlives them all."""

    def __init__(self, folder: Path, composition: str, seed: str, *, peer_python: str = "") -> None:
        """`peer_python`: the interpreter of a peer of another vendor; empty: one that is found."""
        self.more_environment: dict[str, str] = {}
        self.folder = folder
        self.peer_python = peer_python
        self.composition = composition
        self.namespace = f"campaign_{composition}"
        ports = free_ports(5)
        self.interface_port, self.plant_port, self.http_port = ports[:3]
        self._tap_ports = (ports[3], ports[4])
        self.tap = WireTap(self._tap_ports, self.interface_port, self.plant_port, seed)
        self.socket = folder / "run" / "guard.sock"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.plant_runs = 0
        self.plant_setup = PlantSetup()

    # ---- start and end ---------------------------------------------------------------------------

    def start(self, role: str) -> None:
        """Start a process, again if it has run before."""
        if role == PLANT:
            self.start_plant(self.plant_setup)
        else:
            self.processes[role] = self._popen(role, self._interface_command(role))

    def start_plant(self, setup: PlantSetup) -> None:
        """Start the plant on a road of its own."""
        self.plant_setup = setup
        self.plant_runs += 1
        limit: Callable[[], None] | None = None
        if setup.largest_file_bytes:
            limit = _file_limit(setup.largest_file_bytes)
        self.processes[PLANT] = self._popen(PLANT, self._plant_command(setup), before=limit)

    @property
    def recording(self) -> Path:
        """The plant's own record of this run."""
        return self.folder / "record" / f"plant_{self.plant_runs}.vds"

    def send_signal(self, role: str, number: int) -> None:
        """Send a signal to a process."""
        self.processes[role].send_signal(number)

    def end(self, role: str, number: int = signal.SIGKILL) -> int:
        """End a process and wait for its end; return its exit code."""
        process = self.processes[role]
        if process.poll() is None:
            process.send_signal(number)
            process.send_signal(signal.SIGCONT)
        try:
            return process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def kill(self, role: str) -> None:
        """End a process by SIGKILL; return at its very end (a wait with a time-out polls)."""
        process = self.processes[role]
        handle = os.pidfd_open(process.pid)
        try:
            process.kill()
            select.select([handle], [], [], _PATIENCE_S)
        finally:
            os.close(handle)
        process.wait()

    def close(self) -> None:
        """End everything, the interface first."""
        for role in reversed(self.processes):
            process = self.processes[role]
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    process.send_signal(signal.SIGCONT)
                    process.send_signal(signal.SIGINT)
        for role in list(self.processes):
            self.end(role, signal.SIGINT)
        self.tap.close()

    def dead(self) -> list[str]:
        """The processes that have ended."""
        return [role for role, process in self.processes.items() if process.poll() is not None]

    # ---- what they say ---------------------------------------------------------------------------

    def log_sizes(self) -> dict[Path, int]:
        """How long each log is now."""
        return {path: path.stat().st_size for path in self.folder.glob("*.log")}

    def logged_since(self, sizes: dict[Path, int]) -> str:
        """What the processes have printed since then."""
        texts = []
        for path in sorted(self.folder.glob("*.log")):
            with path.open("rb") as file:
                file.seek(sizes.get(path, 0))
                texts.append(file.read().decode(errors="replace"))
        return "".join(texts)

    def plant_counters(self) -> dict[str, float]:
        """The plant's metrics by name and labels; {} while it does not answer."""
        try:
            with urllib.request.urlopen(
                f"http://{_OWN_ADDRESS}:{self.http_port}/metrics", timeout=2.0
            ) as answer:
                lines = answer.read().decode().splitlines()
        except (urllib.error.URLError, OSError):
            return {}
        rows = [line.rsplit(" ", 1) for line in lines if line and not line.startswith("#")]
        return {name: float(value) for name, value in rows}

    def waited_s(self) -> float:
        """How long the processes, and the tap, have waited for a core since their start [s].

        Of each process the main thread counts: it runs the tick.
        """
        own = waited_of(os.getpid()) + waited_of(os.getpid(), self.tap.thread_id)
        return own + sum(waited_of(process.pid) for process in list(self.processes.values()))

    # ---- command lines ---------------------------------------------------------------------------

    def _popen(
        self, role: str, command: Sequence[str], before: Callable[[], None] | None = None
    ) -> subprocess.Popen[bytes]:
        with (self.folder / f"{role}.log").open("ab") as log:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                preexec_fn=before,
                env={**os.environ, **self.more_environment},
            )

    def _plant_command(self, setup: PlantSetup) -> list[str]:
        _, state_port = self._tap_ports
        self.recording.parent.mkdir(exist_ok=True)
        options = {
            "--cmd-port": self.plant_port,
            "--state-port": state_port,
            "--allow-from": f"{_OWN_ADDRESS}:{state_port}",
            "--http": f"{_OWN_ADDRESS}:{self.http_port}",
            "--record": self.recording,
        }
        if setup.ground:
            ground = self.folder / f"ground_{self.plant_runs}.yaml"
            ground.write_text(setup.ground)
            options["--ground"] = ground
        words = [str(word) for pair in options.items() for word in pair]
        return [sys.executable, "-m", "vdsim_plant_node.cli.realtime", *words]

    def _interface_command(self, role: str) -> list[str]:
        if role == GUARD:
            module = "vdsim_interface.guard.vehicle_guard"
            return [sys.executable, "-m", module, "--socket", str(self.socket)]
        command_port, _ = self._tap_ports
        parameters = {
            "platform": "vds1",
            "control_command": "high_level",
            "safety.rig": "driverless",
            "vds1.version": WIRE_VERSION,
            "vds1.plant_port": command_port,
            "vds1.plant_state_port": command_port,
            "vds1.listen_port": self.interface_port,
            "guard.socket": self.socket,
            # off in a process that sends packets: the floods need a service to ask
            "process.parameter_services": "in_process",
            "output.session_file": self.folder / "session.json",
        }
        words = ["--ros-args", "-r", f"__ns:=/{self.namespace}"]
        words += ["--params-file", str(ROOT / "config" / "cars" / "ioniq5_awd.yaml")]
        for name, value in parameters.items():
            words += ["-p", f"{name}:={value}"]
        folder = STAGES if role in STAGE_ROLES else NODES
        return [sys.executable, "-m", f"{folder}.{role}", *words]


def _file_limit(size: int) -> Callable[[], None]:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # as a full disk: an error, not a signal
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def waited_of(pid: int, thread: int | None = None) -> float:
    """How long a thread, by default the main one, has waited for a core since its start [s]."""
    path = Path(f"/proc/{pid}/task/{pid if thread is None else thread}/schedstat")
    try:
        return 1e-9 * int(path.read_text().split()[1])
    except (OSError, IndexError):  # it has ended
        return 0.0
