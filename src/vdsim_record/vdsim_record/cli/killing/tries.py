"""One kill: record, end processes by SIGKILL (or fill the disk), and read what is there."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from vdsim_protocol.checked_file import FileError, read_bytes, read_text

from vdsim_record.cli.killing import figures, power
from vdsim_record.cli.killing.figures import NOTE, Kill, read
from vdsim_record.journal.folder import JournalFolder
from vdsim_record.mcap_file.finishing import finish

RECORDER, FINISHER, BOTH, DISK = "recorder", "finisher", "both", "disk"
KINDS = (RECORDER, FINISHER, BOTH, DISK, figures.POWER)
PATIENCE_S = 180.0
_DISK_BYTES = 40 << 20
_LARGEST_NOTE, _LARGEST_LOG = 1 << 10, 1 << 24


def one_kill(kind: str, after_s: float, folder: Path, seed: int = 0) -> Kill:
    """Record for a time after the first message, kill, and read. `seed`: of what is left open."""
    if kind == DISK:
        return _on_a_disk_of_its_own(after_s, folder)
    return _kill(kind, after_s, folder.resolve(), random.Random(f"{kind}/{seed}"))


def _kill(kind: str, after_s: float, folder: Path, draw: random.Random) -> Kill:
    disk, note, syncs = folder / "disk", folder / "note", folder / "syncs"
    disk.mkdir(exist_ok=True)
    target = disk / "drive.mcap"
    journal = JournalFolder.of(target)
    note.write_bytes(bytes(NOTE.size))
    command = [sys.executable, "-m", "vdsim_record.cli.killing.recorder", str(target), str(note)]
    if kind == figures.POWER:
        command.append(str(syncs))
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        wait(lambda: noted(note)[0] > 0 or process.poll() is not None, "the first message")
        if process.poll() is not None:
            said = read_text(folder / "log.txt", largest_bytes=_LARGEST_LOG).splitlines()
            raise OSError(f"the recorder has not begun: {said[-1] if said else ''}")
        time.sleep(after_s)
        completer = Completer(noted(note)[2])
        if kind == RECORDER:
            process.kill()
        elif kind == FINISHER:
            os.kill(completer.pid, signal.SIGKILL)
            # The recorder starts another one, or is asked to end before it has.
            time.sleep(draw.uniform(0.0, 1.0))
            completer = Completer(process.pid, noted(note)[2])
            process.send_signal(signal.SIGTERM)
        elif kind == DISK:
            completer = Completer(process.pid, completer.pid)
            _fill(disk / "filler")
        else:
            # A recorder that runs on between two kills starts another finisher.
            process.send_signal(signal.SIGSTOP)
            wait(lambda: _is_stopped(process.pid), "the recorder to stop")
            victims = [process.pid, *children(process.pid)]
            draw.shuffle(victims)
            for pid in victims:
                os.kill(pid, signal.SIGKILL)
        completer.begin()
        if kind in (FINISHER, DISK):
            completer.until(lambda: not journal.path.exists())
            # Where the finisher has made room, the disk is full again when the recorder ends.
            ended_s = time.time() - noted(note)[1] * 1e-9
            completer.took_s = min(completer.took_s, ended_s)
    finally:
        process.kill()
        process.wait()
    if kind in (BOTH, figures.POWER):
        wait(lambda: not journal.path.exists() or not journal.is_busy(), "the end of both")
        if kind == figures.POWER:
            power.cut(disk, syncs, folder / "after")
            journal = JournalFolder.of(folder / "after" / target.name)
        completer = Completer(threading.get_native_id())
        completer.begin()
        if journal.path.exists():
            finish(journal)
    if kind not in (FINISHER, DISK):
        completer.until(lambda: not journal.path.exists())
    received, last_ns, _ = noted(note)
    found = read(journal.target)
    lost_s = max(0.0, (last_ns - found.end_ns) * 1e-9) if found.messages_n else after_s
    fault = found.fault
    if kind == figures.POWER and not journal.target.exists():
        fault = ""  # the disk was not asked to keep anything yet
    if not fault and kind == FINISHER and found.messages_n != received:
        fault = f"{received - found.messages_n} messages lost, though the recorder ended in order"
    return Kill(kind, after_s, completer.took_s, completer.waited_s, lost_s, fault)


class Completer:
    """What completes the file: a process, and those that it starts for that.

    One of them waits for the next, so that the times in which they have no core add up.
    """

    def __init__(self, *pids: int) -> None:
        self.pid = pids[0]
        self._pids = pids
        self._begun_s = 0.0
        self._before: dict[int, float] = {}
        self._after: dict[int, float] = {}
        self.took_s = self.waited_s = 0.0

    def begin(self) -> None:
        """From now on the file is to be completed."""
        self._begun_s = time.monotonic()
        self._before = {pid: waited_of(pid) for pid in self._all()}

    def until(self, is_complete: Callable[[], bool]) -> None:
        """Wait, and count."""

        def is_it() -> bool:
            self._after.update({pid: waited_of(pid) for pid in self._all()})
            return is_complete()

        wait(is_it, "a complete file")
        self.took_s = time.monotonic() - self._begun_s
        spent = [after_s - self._before.get(pid, 0.0) for pid, after_s in self._after.items()]
        self.waited_s = sum(spent_s for spent_s in spent if spent_s > 0.0)

    def _all(self) -> list[int]:
        return [*dict.fromkeys([*self._pids, *(c for pid in self._pids for c in children(pid))])]


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    try:
        data = read_bytes(Path(f"/proc/{pid}/task/{pid}/children"), largest_bytes=_LARGEST_NOTE)
        return [int(word) for word in data.split()]
    except (OSError, FileError):
        return []


def _is_stopped(pid: int) -> bool:
    data = read_bytes(Path(f"/proc/{pid}/stat"), largest_bytes=_LARGEST_NOTE)
    return data.rpartition(b") ")[2].startswith(b"T")


def waited_of(pid: int) -> float:
    """How long the main thread of a process was ready and had no core [s]; 0: it has ended."""
    try:
        text = read_bytes(Path(f"/proc/{pid}/schedstat"), largest_bytes=_LARGEST_NOTE)
        return 1e-9 * int(text.split()[1])
    except (OSError, FileError, IndexError):  # it has ended
        return 0.0


def noted(note: Path) -> tuple[int, int, int]:
    """Return what a recorder has received."""
    messages_n, last_ns, pid = NOTE.unpack(note.read_bytes())
    return messages_n, last_ns, pid


def _fill(path: Path) -> None:
    """Fill the disk, once: the reserve that the finisher frees at the end is not for others."""
    with path.open("wb", buffering=0) as filler:
        for size in (1 << 20, 1 << 12):
            with contextlib.suppress(OSError):
                while filler.write(bytes(size)) == size:
                    pass


def _on_a_disk_of_its_own(after_s: float, folder: Path) -> Kill:
    """Run the kill in a namespace with a small file system. Raises OSError where none is given."""
    disk = folder.resolve() / "disk"
    disk.mkdir()
    mount = f'mount -t tmpfs -o size={_DISK_BYTES} none "$0" && exec "$@"'
    own = [sys.executable, "-m", "vdsim_record.cli.killing.tries", str(folder), str(after_s)]
    command = ["unshare", "-rm", "sh", "-c", mount, str(disk), *own]
    if shutil.which(command[0]) is None:
        raise OSError("a disk of its own needs unshare (util-linux)")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"no disk of its own: {done.stderr.strip()[-200:]}")
    return Kill(*json.loads(done.stdout.splitlines()[-1]))


def wait(until: Callable[[], bool], what: str) -> None:
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE_S
    while not until():
        if time.monotonic() > end:
            raise TimeoutError(f"no sign of {what} within {PATIENCE_S:g} s")
        time.sleep(0.005)


if __name__ == "__main__":
    made = _kill(DISK, float(sys.argv[2]), Path(sys.argv[1]).resolve(), random.Random(0))
    print(json.dumps(made))
