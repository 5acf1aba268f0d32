"""How long from `git clone` to a car that moves, and to a rebuild after one message changed.

    ./ws bench setup/first_drive [--distro kilted] [--keep FOLDER]

Clones this repository (what is committed) into a folder with a space in its name, with an empty
HOME, and starts README's commands side by side: launch, `topic pub`, `topic echo`. Packages are
downloaded again, since pip's cache is below HOME; their sizes are those that pip prints. Targets on
two idle cores: 90 s and 15 s, 45 s of CPU, 150 MB. On a machine that does other work compare the
CPU time.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test"))
from vdsim_kit.ports import free_ports  # noqa: E402 - its folder was just added

DRIVE_TARGET_S = 90.0
REBUILD_TARGET_S = 15.0
CPU_TARGET_S = 45.0
DOWNLOAD_TARGET_MB = 150.0
COMMAND = "{stamp: now, velocity_mps: 5.0, curvature: 0.02}"
KEPT = re.compile(r"(?i)(PATH|LANG|PIP_.*|SSL_.*|REQUESTS_.*|.*_proxy)")
MOVING = re.compile(r"^velocity_mps: *(?!0(\.0*)?$)[0-9.]+$")
DOWNLOADED = re.compile(r"Downloading \S+ \(([\d.]+) (kB|MB)\)")
OURS = (str(ROOT / ".ros"), str(ROOT / "portable"))


def environment(home: Path, distro: str) -> dict[str, str]:
    """A new user's variables: nothing of this workspace, and nobody else's discovery."""
    environ = {name: value for name, value in os.environ.items() if KEPT.fullmatch(name)}
    path = [entry for entry in environ["PATH"].split(os.pathsep) if not entry.startswith(OURS)]
    domain = os.environ.get("ROS_DOMAIN_ID", str(os.getpid() % 101 + 1))
    return {
        **environ,
        "PATH": os.pathsep.join(path),
        "HOME": str(home),
        "ROS_DOMAIN_ID": domain,
        "VDSIM_ROS_DISTRO": distro,
    }


class Clone:
    """A fresh clone in which commands run."""

    def __init__(self, folder: Path, distro: str) -> None:
        self.started = time.monotonic()
        self.root = folder / "a fresh clone"
        home = folder / "home"
        home.mkdir()
        self.environ = environment(home, distro)
        command = ["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(self.root)]
        subprocess.run(command, check=True)
        self.note("cloned")

    def note(self, text: str) -> None:
        """Print a line with the time since the start."""
        print(f"{time.monotonic() - self.started:7.1f} s  {text}", flush=True)

    @contextmanager
    def running(self, *arguments: str, read: bool = True) -> Iterator[subprocess.Popen[str]]:
        """`./ws ARGUMENTS`, ended with Ctrl-C; the caller reads its output, or nobody does."""
        child = subprocess.Popen(
            [str(self.root / "ws"), *arguments],
            env=self.environ,
            cwd=self.root,
            stdout=subprocess.PIPE if read else subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            yield child
        finally:
            os.killpg(child.pid, signal.SIGINT)
            try:
                child.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.communicate()

    def print_lines(self, child: subprocess.Popen[str]) -> None:
        """Note every step that `./ws` and the launch report."""
        assert child.stdout is not None
        for line in child.stdout:
            if line.startswith("ws: ") or "process started" in line or "ERROR" in line:
                self.note(line.strip()[:110])


def drive(clone: Clone) -> float:
    """Seconds from the clone to the first odometry with a speed."""
    port, state_port, page = free_ports(3)
    ports = (f"plant_port:={port}", f"state_port:={state_port}", f"dashboard:=127.0.0.1:{page}")
    topic, kind = "/vehicle/high_level_command", "vdsim_msgs/msg/HighLevelControlCommand"
    with (
        clone.running("ros2", "launch", "vdsim_interface", "vdsim.launch.py", *ports) as launch,
        clone.running("ros2", "topic", "pub", "-r", "20", topic, kind, COMMAND, read=False),
    ):
        threading.Thread(target=clone.print_lines, args=(launch,), daemon=True).start()
        while launch.poll() is None:
            with clone.running("ros2", "topic", "echo", "/vehicle/odometry") as echo:
                assert echo.stdout is not None
                for line in echo.stdout:  # ends with echo: no such topic yet, so once more
                    if MOVING.match(line):
                        clone.note("the car moves")
                        return time.monotonic() - clone.started
    raise SystemExit("the launch ended before the car moved")


def rebuild(clone: Clone) -> float:
    """Seconds for `./ws build` after one message got a field."""
    message = clone.root / "src" / "vdsim_msgs" / "msg" / "LinkStatus.msg"
    message.write_text(f"{message.read_text()}float64 one_more\n")
    started = time.monotonic()
    subprocess.run([clone.root / "ws", "build"], env=clone.environ, check=True)
    return time.monotonic() - started


def downloaded_mb(root: Path) -> float:
    """Megabytes that pip says it has downloaded into a workspace."""
    logs = root.glob(".ros/*/log/pip-*.log")
    found = [size for log in logs for size in DOWNLOADED.findall(log.read_text(encoding="utf-8"))]
    return sum(float(size) * (1.0 if unit == "MB" else 1e-3) for size, unit in found)


def cpu_s() -> float:
    """CPU time of every process that this one started and that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Print the steps and the two times; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--distro", default="jazzy", choices=["jazzy", "kilted"])
    parser.add_argument("--keep", type=Path, help="clone into this new folder and keep it")
    options = parser.parse_args()
    folder = options.keep or Path(tempfile.mkdtemp(prefix="vdsim-first-drive-"))
    folder.mkdir(exist_ok=True)
    print(f"load of the machine: {os.getloadavg()[0]:.1f}, cores: {os.cpu_count()}")
    try:
        clone = Clone(folder, options.distro)
        drive_s = drive(clone)
        drive_cpu_s = cpu_s()
        megabytes = downloaded_mb(clone.root)
        rebuild_s = rebuild(clone)
        rebuild_cpu_s = cpu_s() - drive_cpu_s
    finally:
        if options.keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    print(f"clone to a moving car  {drive_s:6.1f} s (target {DRIVE_TARGET_S:.0f}), ", end="")
    print(f"{drive_cpu_s:.1f} s of CPU until all had ended (goal {CPU_TARGET_S:.0f})")
    print(f"downloaded             {megabytes:6.1f} MB (goal {DOWNLOAD_TARGET_MB:.0f})")
    print(f"one message changed    {rebuild_s:6.1f} s (target {REBUILD_TARGET_S:.0f}), ", end="")
    print(f"{rebuild_cpu_s:.1f} s of CPU")
    return int(drive_s > DRIVE_TARGET_S or rebuild_s > REBUILD_TARGET_S)


if __name__ == "__main__":
    sys.exit(main())
