"""Two computers, one car: a hand-over does not jump, and nobody drives for one that is dead."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

from vdsim_interface.extras.redundancy.selector import LARGEST_LIST

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.motion import motion_of
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Asked, Record

WHEEL_RATE_RADPS = 0.3
"""Of the shipped hand-over."""
WINDOW_S = 0.08
"""Four periods of the computers: one of them may just have changed what it asks for."""
ROUNDING_RAD = 1e-6
DEAD_AFTER_S = 0.4
"""The mux's time-out, a period of the switcher, and the way to the interface."""
COMPUTERS = {0: "main", 1: "sub"}
SETTLES_S, RECOVERS_S, GAP_S = 3.0, 8.0, 0.09
AMOUNT, ANGLE_RAD = 0.05, 0.002
RISES_MPS2, RISING_S = 0.9, 0.5
"""Of the shipped hand-over, a little less: from rest to 8 m/s it takes 8 s."""
SLIDES_MPS, TOLD_S = 0.1, 0.1
"""Back faster than this, by the speed that the mux received last."""
HOLD_S = 0.6
"""After a change of the selection the next one counts this much later, at the most."""


def _own_rad(sent: list[Asked], from_s: float, to_s: float) -> list[float]:
    """The angles that a computer asked for in this time."""
    first = max(bisect_right(sent, (from_s,)) - 1, 0)
    return [asked.angle_rad for asked in sent[first : bisect_right(sent, (to_s, 1e9))]]


@oracle
def a_hand_over_does_not_jump(record: Record) -> Iterator[Violation]:
    """What passes steers by no more than the rate of a hand-over and what a computer changed.

    And never away from all that is asked. What a computer shouts is its own change, too.
    """
    computers = record.computers
    if computers is None:
        return
    for before, after in pairwise(computers.passed):
        span_s = after.time_s - before.time_s
        from_s = before.time_s - WINDOW_S
        asked = [_own_rad(sent, from_s, after.time_s) for sent in computers.sent.values()]
        own_rad = max(max(angles) - min(angles) if angles else 0.0 for angles in asked)
        near = [before.angle_rad, *itertools.chain.from_iterable(asked)]
        if not min(near) - ROUNDING_RAD <= after.angle_rad <= max(near) + ROUNDING_RAD:
            text = f"the mux steers to {after.angle_rad:.4f} rad, away from all that is asked"
            yield Violation(after.time_s, text)
        most_rad = WHEEL_RATE_RADPS * max(span_s, 0.01) + own_rad + ROUNDING_RAD
        step_rad = abs(after.angle_rad - before.angle_rad)
        if step_rad > most_rad:
            text = f"the mux steers by {step_rad:.4f} rad within {span_s:.3f} s"
            yield Violation(after.time_s, f"{text}; at most {most_rad:.4f} rad were to be")


def _named(units: tuple[int, ...]) -> str:
    """Whom a message of the switcher selects; nobody new when it names two, none, or too many."""
    named = {COMPUTERS[unit] for unit in units if unit in COMPUTERS}
    return named.pop() if len(units) <= LARGEST_LIST and len(named) == 1 else ""


@oracle
def the_selected_computer_drives(record: Record) -> Iterator[Violation]:
    """What passes is what the computer asks for that is selected and sends, after its hand-over."""
    computers = record.computers
    if computers is None or record.times(facts.KILLED):
        return
    said = [(time_s, name) for time_s, units in computers.said if (name := _named(units))]
    for asked in computers.passed:
        from_s = asked.time_s - SETTLES_S
        before = [name for time_s, name in said if time_s <= from_s][-1:]
        names = {*before, *(name for time_s, name in said if from_s < time_s <= asked.time_s)}
        if len(names) != 1 or not before:
            continue
        sent = computers.sent[before[0]]
        first = bisect_right(sent, (from_s,))
        last = bisect_right(sent, (asked.time_s, 1e9))
        times = [from_s, *(each.time_s for each in sent[first:last]), asked.time_s]
        since = bisect_right(sent, (asked.time_s - RECOVERS_S,))
        times = [*(each.time_s for each in sent[since:first]), *times[1:]]
        if any(b - a > GAP_S for a, b in pairwise(times)):
            continue  # it was lost: it drives later, and its hand-over has just begun
        own = [each for each in sent[first:last] if each.time_s > asked.time_s - WINDOW_S - GAP_S]
        amounts, angles = [each.amount for each in own], [each.angle_rad for each in own]
        off = _off(asked.amount, amounts) > AMOUNT or _off(asked.angle_rad, angles) > ANGLE_RAD
        if off and not _changed(sent[first:last]) and not _rises(computers.passed, asked):
            text = f"{before[0]} is selected and asks for {amounts[-1]:.2f} and {angles[-1]:.4f}"
            text = f"{text} rad; {asked.amount:.2f} and {asked.angle_rad:.4f} rad pass"
            yield Violation(asked.time_s, text)
            return


def _off(passed: float, own: list[float]) -> float:
    if passed == 0.0 and max(own) < 0.0:
        return 0.0  # who takes over at rest and brakes leaves the hold to the interface
    return max(min(own) - passed, passed - max(own))


def _rises(passed: list[Asked], now: Asked) -> bool:
    """Whether a hand-over still raises what passes, as fast as it may."""
    before = passed[bisect_right(passed, (now.time_s - RISING_S,)) - 1]
    return now.amount - before.amount > RISES_MPS2 * (now.time_s - before.time_s) > 0.0


def _changed(sent: list[Asked]) -> bool:
    """Whether it has just asked for something else: its own step is followed at once."""
    return any(abs(b.amount - a.amount) > 1.0 for a, b in pairwise(sent[-10:]))


@oracle
def nobody_drives_for_a_dead_computer(record: Record) -> Iterator[Violation]:
    """While the one computer that was selected is dead, nothing drives that passes the mux."""
    computers = record.computers
    if computers is None:
        return
    said = [(time_s, name) for time_s, units in computers.said if (name := _named(units))]
    for asked in computers.passed:
        if not asked.drives or _brakes_a_slide(record, asked):
            continue
        since_s = asked.time_s - DEAD_AFTER_S - HOLD_S
        selected = {name for time_s, name in said if since_s <= time_s <= asked.time_s}
        selected |= {name for _, name in [each for each in said if each[0] < since_s][-1:]}
        if len(selected) != 1:
            continue  # it changed just now, or is not clear
        [name] = selected
        sent = computers.sent[name]
        index = bisect_right(sent, (asked.time_s, 1e9)) - 1
        age_s = asked.time_s - sent[index].time_s if index >= 0 else asked.time_s
        if age_s > DEAD_AFTER_S:
            text = f"{name} is selected and dead for {age_s:.2f} s, and a command drives"
            yield Violation(asked.time_s, text)


def _brakes_a_slide(record: Record, asked: Asked) -> bool:
    """Whether it is the brake of a car that slides back: no computer drives in reverse."""
    if record.scene.level != "vehicle":
        return False
    told = motion_of(record).between(asked.time_s - TOLD_S, asked.time_s)
    return any(car.vx_mps < -SLIDES_MPS for car in told)
