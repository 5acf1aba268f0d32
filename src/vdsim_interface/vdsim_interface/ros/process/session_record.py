"""Keeps who drove, what the rules did and the arbiter's latches, over a crash of the process.

A process that ends normally leaves no record; neither does one that never drove. A record counts
for a process that starts soon after the one that wrote it died, on the same boot of the machine:
later nobody knows who has moved the car since. A thread writes, so that a slow disk delays nothing.
"""

import contextlib
import json
import math
import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from vdsim_protocol.checked_file import parse_json, read_text
from vdsim_protocol.launch_watch import identity

from vdsim_interface.arbitration.give_back import Latches
from vdsim_interface.values import Gear, Parked, Session

SAVE_EVERY_S = 0.2
"""How often a node saves without a change [s]: the wheels turn meanwhile."""
VALID_S = 30.0
"""A record is valid for this long after its writer's last sign of life [s]."""
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
LONGEST_BYTES = 65536
NO_LATCHES = Latches()


class SessionRecord:
    """One file. `path` None: nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.latches = NO_LATCHES
        self._kept: object = None
        self._kept_s = -math.inf
        self._latest: tuple[Session, Latches] | None = None
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._is_kept = False
        self._writer: threading.Thread | None = None

    def load(self) -> Session | None:
        """Return what a process that crashed just now has left; None when there is no such.

        `latches` are its latches then.
        """
        path = self._path
        if path is None:
            return None
        try:
            content = parse_json(read_text(path, largest_bytes=LONGEST_BYTES), source=str(path))
            age_s = time.clock_gettime(time.CLOCK_MONOTONIC) - float(content["stamp_s"])
            counts = {str(name): int(count) for name, count in content["counts"].items()}
            front, rear = map(float, content.get("wheels_rad", (0.0, 0.0)))
            session = Session(str(content["last_driver"]), counts, _parked(content), (front, rear))
            latches = Latches(
                str(content.get("emergency_stop", "")), str(content.get("waits_because", ""))
            )
            writer = str(content["process"])
            crashed = identity(int(writer.partition(":")[0])) != writer
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None  # none, or not one of ours
        is_valid = content.get("boot") == _boot_id() and 0.0 <= age_s <= VALID_S
        if not (is_valid and crashed):
            return None
        self.latches = latches
        return session

    def keep(
        self, watched: object, now: float, session: Callable[[], Session], latches: Latches
    ) -> None:
        """Save when `watched` or the latches change, and every SAVE_EVERY_S; for every period."""
        kept = watched, latches
        if kept != self._kept or not 0.0 <= now - self._kept_s < SAVE_EVERY_S:
            self._kept, self._kept_s = kept, now
            self.save(session(), latches)

    def save(self, session: Session, latches: Latches = NO_LATCHES) -> None:
        """Keep the latest state; returns at once."""
        if self._path is None:
            return
        with self._changed:
            self._latest, self._is_kept = (session, latches), True
            self._changed.notify()
        if self._writer is None:
            self._writer = threading.Thread(target=self._write_all, name="session", daemon=True)
            self._writer.start()

    def discard(self) -> None:
        """A normal end: leave no record, until the next `save`."""
        with self._writing, self._changed:
            self._latest, self._is_kept = None, False
            if self._path is not None:
                with contextlib.suppress(OSError):
                    self._path.unlink()

    def _write_all(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._latest is not None)
                latest, self._latest = self._latest, None
            with self._writing:
                if self._is_kept and self._path is not None and latest is not None:
                    with contextlib.suppress(OSError):
                        _write(self._path, *latest)


def _write(path: Path, session: Session, latches: Latches) -> None:
    before = session.parked.gear_before
    content = {
        "process": identity(os.getpid()),
        "boot": _boot_id(),
        "stamp_s": time.clock_gettime(time.CLOCK_MONOTONIC),
        "last_driver": session.last_driver,
        "counts": dict(session.counts),
        "hand_brake_set": session.parked.hand_brake,
        "gear_before_park": "" if before is None else before.name,
        "wheels_rad": session.wheels_rad,
        "emergency_stop": latches.emergency,
        "waits_because": latches.waits_because,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    partial.write_text(json.dumps(content), encoding="utf-8")
    partial.replace(path)


def _parked(content: Mapping[str, object]) -> Parked:
    """Return what the vehicle side had set; a gear that is not known is left out."""
    gears = {gear.name: gear for gear in Gear}
    before = gears.get(str(content.get("gear_before_park", "")))
    return Parked(content.get("hand_brake_set") is True, before)


def _boot_id() -> str:
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def record_path(node: str, file: str) -> Path | None:
    """Return the file of a node, by its full name, for a parameter `session_file`."""
    if file == "off":
        return None
    return default_path(node) if file == "auto" else Path(file)


def default_path(node: str) -> Path:
    """Return the file of a node, by its full name, in the ROS home."""
    home = os.environ.get("ROS_HOME") or str(Path("~/.ros").expanduser())
    domain = os.environ.get("ROS_DOMAIN_ID", "0")
    return Path(home) / "vdsim" / f"session-{domain}{node.replace('/', '-')}.json"
