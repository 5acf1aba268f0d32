"""Is everything still standing? The same question after each batch of every kind."""

from __future__ import annotations

from collections.abc import Callable

from vdsim_interface.ros.exit_codes import MEMORY_EXIT
from vdsim_interface.ros.launching.processes import how_it_ended

from vdsim_campaign.attack.rig import Rig
from vdsim_campaign.attack.row import Row

_ENDED = ") and is started again"
_OF_THE_MIDDLEWARE = "RTPS_"


def attack_in_batches(
    row: Row, rig: Rig, is_over: Callable[[], bool], batch: Callable[[int], int]
) -> Row:
    """Run batches until the time is over; `batch(n)` returns how many things it tried."""
    number, slowest_s, reported = 0, 0.0, unexplained_ends(rig)
    while not is_over():
        row.tried += batch(number)
        rig.stack.spin(0.2)
        ended = unexplained_ends(rig) - reported
        if ended > 0:
            row.fell.append(f"batch {number}: {ended} process(es) ended: {ends(rig)}")
            reported += ended
        if rig.launch.process.poll() is not None:
            row.fell.append(f"batch {number}: the launch has ended: {last_lines(rig)}")
            rig.start()
            reported = 0
        took_s = rig.recover()
        if took_s < 0.0:
            row.fell.append(
                f"batch {number}: not drivable again: {rig.answers}, {rig.stack._known()}"
            )
            rig.end()
            rig.start()
            rig.recover(2 * 60.0)
            reported = 0
        slowest_s = max(slowest_s, took_s)
        number += 1
    row.notes.append(f"drives again within {slowest_s:.1f} s of each of {number} batches")
    if gave_back := memory_ends(rig):
        row.notes.append(f"{gave_back} processes ended by themselves to give memory back")
    return row


def memory_ends(rig: Rig) -> int:
    """How often a process of this launch has ended because arrivals held its memory."""
    return rig.launch.output.count(f"has ended ({how_it_ended(MEMORY_EXIT)}) and is started again")


def unexplained_ends(rig: Rig) -> int:
    """How often a process of this launch was started again for another reason.

    One that gives memory back is said to have ended before it is started.
    """
    return max(0, rig.started_n() - len(rig.launch.pids()) - memory_ends(rig))


def ends(rig: Rig) -> str:
    """What the launch has said about processes that ended, and what each said before."""
    lines = rig.launch.output.strip().splitlines()
    found = [n for n, line in enumerate(lines) if _ENDED in line or "process has died" in line]
    said = [line for n in found[-3:] for line in (*_before(lines, n), lines[n])]
    return " / ".join(said)[-2000:] or last_lines(rig)


def _before(lines: list[str], end: int) -> list[str]:
    own = [line for line in lines[max(0, end - 200) : end] if _OF_THE_MIDDLEWARE not in line]
    return own[-6:]


def last_lines(rig: Rig) -> str:
    """What the launch has said last, in a line."""
    return " / ".join(rig.launch.output.strip().splitlines()[-4:])[-600:]
