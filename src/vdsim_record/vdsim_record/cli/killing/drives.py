"""Kills in a whole drive: `ros2 launch` with record:=, and one of its processes ended by SIGKILL.

Either the drive ends with it, and the file is complete by itself; or the recorder lives on, the
file is complete when the launch ends, and nothing may be missing from around the kill.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from mcap.reader import make_reader
from vdsim_protocol.checked_file import FileError, open_checked, read_text

from vdsim_record.cli.killing.figures import Kill, read
from vdsim_record.cli.killing.tries import PATIENCE_S, Completer, children, wait
from vdsim_record.journal.folder import JournalFolder
from vdsim_record.mcap_file.growing_file import LARGEST_FILE

LAUNCH = "launch"
PROGRAMS = {
    "shell": "guarded_interface",
    "guard": "vehicle_guard",
    "plant": "plant",
    "node": "vdsim_record",
}
KINDS = (*PROGRAMS, LAUNCH)
_STARTED = re.compile(r"\[([\w.]+)-\d+\]: process started with pid \[(\d+)\]")
_AROUND_S = 0.5
_LIVES_ON_S = 3.0
_LARGEST_LOG = 16 << 20


def one_kill(kind: str, after_s: float, folder: Path) -> Kill:
    """Drive and record; kill a time after the link is up."""
    ros2 = shutil.which("ros2")
    if ros2 is None:
        raise OSError("a drive needs ros2 launch; there is no ros2 here")
    target, log = folder / "drive.mcap", folder / "log.txt"
    command_port, state_port = _free_ports(2)
    command = [
        *(ros2, "launch", "vdsim_interface", "vdsim.launch.py", "composition:=guarded"),
        *(f"plant_port:={command_port}", f"state_port:={state_port}", "dashboard:=off"),
        f"record:={target}",
    ]
    own = {"ROS_LOG_DIR": str(folder), "PYTHONUNBUFFERED": "1"}
    with log.open("wb") as out:
        launch = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            start_new_session=True, env={**os.environ, **own},
        )  # fmt: skip
    try:
        journal = JournalFolder.of(target).path
        wait(lambda: journal.exists() and "vehicle link up" in _text(log), "a recorded drive")
        return _kill(kind, after_s, target, log, launch)
    finally:
        _end(launch, log)


def _kill(
    kind: str, after_s: float, target: Path, log: Path, launch: subprocess.Popen[bytes]
) -> Kill:
    time.sleep(after_s)
    pids = {**dict(_STARTED.findall(_text(log))), LAUNCH: str(launch.pid)}
    recorder = int(pids[PROGRAMS["node"]])
    victim = int(pids[PROGRAMS.get(kind, kind)])
    completer = Completer(recorder, *children(recorder))
    journal = JournalFolder.of(target)
    killed_ns = time.time_ns()
    os.kill(victim, signal.SIGKILL)
    completer.begin()
    until_s = time.monotonic() + _LIVES_ON_S
    wait(lambda: not journal.path.exists() or time.monotonic() > until_s, "the end of the recorder")
    lives_on = journal.path.exists() and _is_alive(recorder)
    if lives_on:
        completer.begin()
        launch.send_signal(signal.SIGINT)
    completer.until(lambda: not journal.path.exists())
    found = read(target)
    lost_s = _missing_s(target, killed_ns, _AROUND_S if lives_on else 0.0)
    return Kill(kind, after_s, completer.took_s, completer.waited_s, lost_s, found.fault)


def _missing_s(path: Path, killed_ns: int, after_s: float) -> float:
    """The longest time around a kill of which the file has no message [s].

    By when each was sent: a recorder without a core receives it later, and loses nothing.
    """
    first_ns, last_ns = killed_ns - round(_AROUND_S * 1e9), killed_ns + round(after_s * 1e9)
    with open_checked(path, largest_bytes=LARGEST_FILE) as stream:
        messages = make_reader(stream).iter_messages()
        sent_ns = sorted(each.publish_time for _, _, each in messages)
    times = [each for each in sent_ns if first_ns <= each <= last_ns]
    return max(1e-9 * (b - a) for a, b in pairwise([first_ns, *times, last_ns]))


def _text(log: Path) -> str:
    return read_text(log, largest_bytes=_LARGEST_LOG)


def _free_ports(count: int) -> Sequence[int]:
    with contextlib.ExitStack() as stack:
        found = [stack.enter_context(socket.socket(type=socket.SOCK_DGRAM)) for _ in range(count)]
        for each in found:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in found]


def _is_alive(pid: int) -> bool:
    try:
        return _proc(pid, "stat").rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, FileError):
        return False


def _proc(pid: int, name: str) -> str:
    return read_text(Path(f"/proc/{pid}/{name}"), largest_bytes=1 << 12)


def _end(launch: subprocess.Popen[bytes], log: Path) -> None:
    """End the launch, and what it may have left."""
    if launch.poll() is None:
        launch.send_signal(signal.SIGINT)
    try:
        launch.wait(PATIENCE_S)
    finally:
        pids = [int(pid) for _, pid in _STARTED.findall(_text(log))]
        wait(lambda: not any(map(_is_alive, pids)), "the end of its processes")
