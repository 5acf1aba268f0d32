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
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from vdsim_kit.ports import is_free

from vdsim_campaign.attack.judging import last_lines
from vdsim_campaign.attack.rig import RECOVERY_S, Rig, is_ours, left_of
from vdsim_campaign.attack.row import Row

LAUNCH, PLANT = "ros2 launch", "plant"
SHORTEST_STOP_S = 0.1
_STOPS = 0.4
"""The share of the tries."""
_ENDS = (PLANT, LAUNCH)
_NOTICED_S = 1.0
"""Until then the last report of a process that was killed still counts as fresh."""


def kills(
    seed: int, longest_stop_s: float, tries: int = 0, first: int = 0
) -> Callable[[Rig, Callable[[], bool]], Row]:
    """`longest_stop_s`: of a SIGSTOP, 0.1 at least; `tries`: 0, as many as the time allows.

    A try is drawn from the seed and its number alone: `first` repeats one that fell.
    """

    def attack(rig: Rig, is_over: Callable[[], bool]) -> Row:
        row = Row(f"kill -9 and SIGSTOP ({rig.composition})")
        times_s: list[float] = []
        drawn: Counter[tuple[str, str]] = Counter()
        before = leftovers()
        dead_before = dead_segments()
        while not is_over() and (not tries or row.tried < tries):
            number = first + row.tried
            pids = {**rig.pids(), LAUNCH: rig.launch.process.pid}
            name, stop_s = a_try(seed, rig.composition, number, sorted(pids), longest_stop_s)
            signal_name = f"SIGSTOP for {stop_s:.1f} s" if stop_s else "SIGKILL"
            row.tried += 1
            drawn[signal_name.split()[0], name] += 1
            what = f"try {number}: {signal_name} of {name}"
            if stop_s:
                _freeze(pids[name], stop_s, rig)
            else:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pids[name], signal.SIGKILL)
                if name in _ENDS:
                    row.fell += [f"{what}: {each}" for each in _after_the_end(rig, pids)]
                    rig.start()
            rig.stack.spin(_NOTICED_S)
            took_s = rig.recover(2 * RECOVERY_S if name in _ENDS and not stop_s else RECOVERY_S)
            again = f"drives again in {took_s:.1f} s" if took_s >= 0.0 else "does not drive again"
            print(f"    {what}: {again}", flush=True)
            if took_s >= 0.0:
                times_s.append(took_s)
                continue
            row.fell.append(
                f"{what}: not drivable in {RECOVERY_S:g} s with a core: {last_lines(rig)}"
            )
            rig.end()
            rig.start()
            rig.recover(2 * RECOVERY_S)
        new = sorted(leftovers() - before)
        row.fell += [f"left behind: {each}" for each in new]
        row.notes += [
            f"{of_signal} of " + ", ".join(f"{name} {n}" for name, n in sorted(of.items()))
            for of_signal, of in _by_signal(drawn)
        ]
        row.notes.append(
            f"{len(dead_segments() - dead_before)} segments of killed participants left"
        )
        times_s.sort()
        if times_s:
            half, most = times_s[len(times_s) // 2], times_s[-1]
            row.notes.append(f"drivable again in {half:.1f} s (median), {most:.1f} s at most")
        return row

    return attack


def a_try(
    seed: int, composition: str, number: int, names: list[str], longest_stop_s: float
) -> tuple[str, float]:
    """Draw which process a try is at, and how long it stops it [s]; 0: it is killed.

    The times are spread evenly over their magnitudes: what a time-out decides lies below a second.
    """
    chance = random.Random(f"{seed} kills {composition} {number}")
    name = chance.choice(names)
    if chance.random() >= _STOPS:
        return name, 0.0
    return name, SHORTEST_STOP_S * (longest_stop_s / SHORTEST_STOP_S) ** chance.random()


def _by_signal(drawn: Counter[tuple[str, str]]) -> list[tuple[str, dict[str, int]]]:
    signals = sorted({of_signal for of_signal, _ in drawn})
    return [
        (each, {name: n for (of_signal, name), n in drawn.items() if of_signal == each})
        for each in signals
    ]


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
        if is_ours(pid):
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
