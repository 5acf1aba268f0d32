"""kill -9 and SIGSTOP of random processes of the launch, the launch itself among them.

A killed process is started again by the launch, and the car must be drivable again in time; the
plant's end ends the launch with its reason, and nothing of it may be left: no process, no port, no
shared memory of a dead process, no folder.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from vdsim_kit.launched import is_alive
from vdsim_kit.ports import is_free

from vdsim_campaign.attack.judging import last_lines
from vdsim_campaign.attack.rig import RECOVERY_S, Rig, left_of
from vdsim_campaign.attack.row import Row

LAUNCH, PLANT = "ros2 launch", "plant"
LONGEST_STOP_S = 60.0
_ENDS = (PLANT, LAUNCH)
_NOTICED_S = 1.0
"""Until then the last report of a process that was killed still counts as fresh."""


def kills(seed: int, longest_stop_s: float) -> Callable[[Rig, Callable[[], bool]], Row]:
    """`longest_stop_s`: of a SIGSTOP, 0.1 at least."""

    def attack(rig: Rig, is_over: Callable[[], bool]) -> Row:
        chance = random.Random(f"{seed} kills {rig.composition}")
        row = Row(f"kill -9 and SIGSTOP ({rig.composition})")
        times_s: list[float] = []
        before = leftovers()
        dead_before = dead_segments()
        while not is_over():
            pids = {**rig.pids(), LAUNCH: rig.launch.process.pid}
            name = chance.choice(sorted(pids))
            stops = chance.random() < 0.4
            row.tried += 1
            what = f"{'SIGSTOP' if stops else 'SIGKILL'} of {name}"
            if stops:
                _freeze(pids[name], chance.uniform(0.1, longest_stop_s), rig)
            else:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pids[name], signal.SIGKILL)
                if name in _ENDS:
                    row.fell += [f"{what}: {each}" for each in _after_the_end(rig, pids)]
                    rig.start()
            rig.stack.spin(_NOTICED_S)
            took_s = rig.recover(2 * RECOVERY_S if name in _ENDS and not stops else RECOVERY_S)
            if took_s >= 0.0:
                times_s.append(took_s)
                continue
            row.fell.append(f"{what}: not drivable in {RECOVERY_S:g} s: {last_lines(rig)}")
            rig.end()
            rig.start()
            rig.recover(2 * RECOVERY_S)
        new = sorted(leftovers() - before)
        row.fell += [f"left behind: {each}" for each in new]
        row.notes.append(
            f"{len(dead_segments() - dead_before)} segments of killed participants left"
        )
        times_s.sort()
        if times_s:
            half, most = times_s[len(times_s) // 2], times_s[-1]
            row.notes.append(f"drivable again in {half:.1f} s (median), {most:.1f} s at most")
        return row

    return attack


def _freeze(pid: int, for_s: float, rig: Rig) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    rig.stack.spin(for_s)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


def _after_the_end(rig: Rig, pids: dict[str, int]) -> list[str]:
    """What is left of a launch that has ended, or was killed."""
    every = {pid for found in rig.launch.pids().values() for pid in found} | set(pids.values())
    wrong = left_of(every)
    with contextlib.suppress(Exception):
        rig.launch.process.wait(1.0)
    for pid in every:
        if is_alive(pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    end = time.monotonic() + 5.0
    ports = (rig.command_port, rig.state_port, rig.http_port)
    while not all(map(is_free, ports)) and time.monotonic() < end:
        time.sleep(0.1)
    return wrong + [f"port {port} is not free" for port in ports if not is_free(port)]


def leftovers() -> set[str]:
    """Our temporary folders and shared memory."""
    found = {str(path) for path in Path(tempfile.gettempdir()).glob("vdsim-fmu-*")}
    for path in Path("/dev/shm").glob("*vdsim*"):
        found.add(str(path))
    return found


def dead_segments() -> set[str]:
    """Shared memory of participants that are dead, whoever's: nobody maps it."""
    mapped = set()
    for maps in Path("/proc").glob("[0-9]*/maps"):
        with contextlib.suppress(OSError):
            mapped.update(re.findall(r"/dev/shm/(fastrtps_[0-9a-f]{16})\b", maps.read_text()))
    every = {path.name for path in Path("/dev/shm").glob("fastrtps_*")}
    return {name for name in every if re.fullmatch(r"fastrtps_[0-9a-f]{16}", name)} - mapped
