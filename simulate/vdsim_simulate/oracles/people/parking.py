"""Hand brake at rest and hazard lamps: set when a stop holds the car, ended with their cause."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise, product

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.asked import ASKS, quiet
from vdsim_simulate.oracles.calm import LATE_S as LAGS_S
from vdsim_simulate.oracles.calm import behind, has_fault
from vdsim_simulate.oracles.causes import NO_COMMAND, arbiter_acts, causes
from vdsim_simulate.oracles.motion import motion_of
from vdsim_simulate.oracles.people import ACTS
from vdsim_simulate.oracles.promises import autonomous_at
from vdsim_simulate.oracles.stops import FAILSAFE_S, arrive_all_the_time, sent_between
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Record

LOADED_S = 1.0
"""So long a scenario that is loaded may still show in what is sent."""
STANDS_BESIDE_MPS = 0.05
"""How far the speed of a car that stands is off in a report that is older."""
EARLY_S, GAP_S = 0.05, 0.06
LATE_S = 0.5
"""A gear that changes just then has its own time; the hand brake waits for the report."""
RESTS_MPS, REPORTS_S = 0.02, 0.1
HELD_S, SETTLES_S = 0.2, 1.0
LIES = ("link_harmed", "reports_late", "stranger_reports", "clock_runs_wrong", "sample_late")
"""What lets a report say what is not, or time pass otherwise."""
UNANSWERED_S, AGREES_S = 1.2, 1.1
"""Of docs/plausibility.md: pedals that have no effect for so long contradict the reports, and until
a second after that; the checks run ten times a second."""
HAZARD, HAZARD_S = "HAZARD", 0.5
"""The lamps are looked at ten times a second, and reported by what was sent."""


def _asks_for_a_body(record: Record) -> bool:
    return any(event.name in ASKS for event in record.scene.events)


@oracle
def parked_only_after_a_rest(record: Record) -> Iterator[Violation]:
    """The interface sets the hand brake only on a car that has stood for its time, by reports."""
    if _asks_for_a_body(record):
        return
    motion, rests_s = motion_of(record), record.parameters.safety.stop_park_after_s - EARLY_S
    jumps_s = min(record.times(facts.CLOCK), default=math.inf)
    for before, packet in pairwise(record.packets):
        if packet.time_s > jumps_s:
            return  # its clock says another time
        follows = packet.time_s - before.time_s < FAILSAFE_S
        if not follows or not packet.hand_brake or before.hand_brake:
            continue
        if any(0.0 < packet.time_s - t < LOADED_S for t in record.times(facts.LOADED)):
            continue  # the gear is the one that the scenario has
        since_s = packet.time_s - (GAP_S if _tells_first(record, packet.time_s) else rests_s)
        stands_mps = record.parameters.safety.standstill_speed_mps + STANDS_BESIDE_MPS
        last = [
            car for car in motion.between(since_s, packet.time_s) if abs(car.vx_mps) > stands_mps
        ]
        if last:
            stood_s = packet.time_s - last[-1].time_s
            text = f"the hand brake is set {stood_s:.2f} s after the car moved at"
            yield Violation(packet.time_s, f"{text} {abs(last[-1].vx_mps):.2f} m/s")
            return
        states = [t for t in record.times(facts.STATE) if since_s < t <= packet.time_s]
        gap_s = max(b - a for a, b in pairwise([since_s, *states, packet.time_s]))
        if gap_s > record.parameters.safety.report_timeout_s + GAP_S:
            text = f"the hand brake is set, and no report has told for {gap_s:.2f} s of the last"
            yield Violation(packet.time_s, f"{text} {rests_s:.2f} s that the car stands")
            return


def _tells_first(record: Record, time_s: float) -> bool:
    """Whether a report has just told a process for the first time how the car moves.

    The gear of VDS1 is modelled: a car that stands then is in the initial gear, PARK, which is
    neutral with the hand brake set. What was sent before had no gear, as the car might roll.
    """
    if record.scene.platform != "vds1":
        return False
    started = [f.time_s for f in record.facts if f.what == facts.STARTED and f.who == "interface"]
    begins_s = max((t for t in started if t < time_s), default=0.0)
    told = [t for t in record.times(facts.STATE) if begins_s < t <= time_s]
    return bool(told) and time_s - told[0] < GAP_S


@oracle
def a_stop_that_holds_the_car_parks_it(record: Record) -> Iterator[Violation]:
    """A car that a stop has held at rest for its time has the hand brake set."""
    if _asks_for_a_body(record):
        return
    motion = motion_of(record)
    waits_s = record.parameters.safety.stop_park_after_s + LATE_S
    for cause in causes(record):
        if cause.of == "no STATE" or not autonomous_at(record, cause.begins_s):
            continue
        if cause.of == NO_COMMAND and arbiter_acts(record, cause.ends_s):
            continue  # it holds the car by commands of its own, as a stack does
        moves = [
            c.time_s
            for c in motion.between(cause.begins_s, cause.ends_s)
            if abs(c.vx_mps) > RESTS_MPS
        ]
        due_s = max([cause.begins_s, *moves[-1:]]) + waits_s
        if due_s > cause.ends_s or not _is_undisturbed(record, cause.begins_s, due_s):
            continue
        if _takes_a_gear(record, cause.begins_s, due_s):
            continue
        for packet in sent_between(record, due_s, cause.ends_s)[:1]:
            if not packet.hand_brake:
                text = f"no hand brake {waits_s:g} s after the car came to rest"
                yield Violation(packet.time_s, f"{text}; {cause.of}")
                return


def _takes_a_gear(record: Record, from_s: float, to_s: float) -> bool:
    """Whether somebody asks for lamps: a first message counts in full, its gear too."""
    return any(from_s < t < to_s for t in record.times(facts.LAMPS_SAID))


@oracle
def whoever_holds_the_car_parks_it(record: Record) -> Iterator[Violation]:
    """A car that the interface holds at rest has the hand brake set, whoever began to hold it.

    In each stop, in each mode without autonomy, and where the safety stage does not run.
    """
    if record.scene.platform != "vds1" or not record.scene.holds:
        return
    rests_s = record.parameters.safety.stop_park_after_s + LATE_S
    for begins_s, ends_s in _held(record):
        for from_s, to_s in _at_rest(record, begins_s, ends_s):
            due_s = from_s + rests_s
            if due_s >= to_s or is_blind(record, from_s, due_s):
                continue
            if _contradicts(record, from_s, due_s) or _takes_a_gear(record, from_s, due_s):
                continue
            packets = sent_between(record, from_s, due_s)
            times = [from_s, *(packet.time_s for packet in packets), due_s]
            is_sent = all(b - a < FAILSAFE_S for a, b in pairwise(times))
            if is_sent and not packets[-1].hand_brake:
                text = f"no hand brake {rests_s:g} s after the car came to rest, and it is held"
                yield Violation(due_s, f"{text} since {begins_s:.2f} s")
                return


def _held(record: Record) -> Iterator[tuple[float, float]]:
    """When the interface holds the car itself, where it sends."""
    # An emergency stop of a car that a person has brakes it, and leaves its body to that person.
    driverless = record.scene.rig == "driverless"
    acts = [] if driverless else record.times(*ACTS)
    leaves = acts if driverless else [*acts, *record.times(facts.STARTED)]
    found = []
    for cause in causes(record):
        if cause.of == NO_COMMAND and arbiter_acts(record, cause.ends_s):
            continue  # it holds the car by commands of its own, as a stack does
        if cause.of != "no STATE" and (driverless or autonomous_at(record, cause.begins_s)):
            # A process that starts in the stop cannot know whether that person has the car.
            taken_s = [t for t in leaves if cause.begins_s - SETTLES_S < t]
            found.append((cause.begins_s, min([cause.ends_s, *taken_s])))
    found += list(_without_autonomy(record))
    if record.scene.composition == "processes":
        silent_s = record.parameters.safety.report_timeout_s + HELD_S
        gone = record.intervals("safety")
        found += [(a + silent_s, b) for a, b in gone if driverless or autonomous_at(record, a)]
    begins_s = ends_s = -math.inf
    for a, b in sorted(found):
        if a > ends_s + FAILSAFE_S:
            if ends_s > begins_s:
                yield begins_s, ends_s
            begins_s, ends_s = a, b
        ends_s = max(ends_s, b)
    if ends_s > begins_s:
        yield begins_s, ends_s


def _without_autonomy(record: Record) -> Iterator[tuple[float, float]]:
    """When the interface holds the car without autonomy: with a driver, until that person acts."""
    driverless = record.scene.rig == "driverless"
    acts = record.times(*ACTS)
    shown = [(0.0, ""), *record.shown, (record.scene.ends_s, "")]
    for (_, before), (a, mode), (b, _) in zip(shown, shown[1:], shown[2:], strict=False):
        ends_s = min([b, *(t for t in acts if a - SETTLES_S < t and not driverless)]) - HELD_S
        holds = driverless or (before == "AUTONOMOUS" and mode == "DISENGAGED")
        if mode != "AUTONOMOUS" and holds and ends_s > a:
            yield a, ends_s


def _at_rest(record: Record, from_s: float, to_s: float) -> Iterator[tuple[float, float]]:
    since_s = math.nan
    for car in motion_of(record).between(from_s, to_s):
        if abs(car.vx_mps) > RESTS_MPS:
            if car.time_s > since_s:
                yield since_s, car.time_s
            since_s = math.nan
        elif math.isnan(since_s):
            since_s = car.time_s
    if since_s < to_s:
        yield since_s, to_s


def is_blind(record: Record, from_s: float, to_s: float) -> bool:
    """Whether reports do not arrive all the time, are late, or a clock is another one."""
    states = [from_s, *(t for t in record.times(facts.STATE) if from_s < t < to_s), to_s]
    if any(b - a > REPORTS_S for a, b in pairwise(states)):
        return True
    if any(a < to_s and b > from_s for a, b in behind(record)):
        return True
    if has_fault(record, LIES, from_s - SETTLES_S, to_s):
        return True
    # A clock that has jumped ahead makes reports look late for as long as one that stood still.
    if any(from_s - LAGS_S < t < to_s for t in record.times(facts.CLOCK)):
        return True
    return any(from_s - SETTLES_S < t < to_s for t in record.times(facts.STARTED))


def _contradicts(record: Record, from_s: float, to_s: float) -> bool:
    """Whether drive that does not reach the car lets its reports contradict what is sent."""
    for a, b in pairwise(record.arrivals_s):
        if b - a > UNANSWERED_S and a < to_s and b > from_s - AGREES_S:
            sent = sent_between(record, max(a, from_s - AGREES_S), min(b, to_s))
            if any(packet.throttle > 0.0 for packet in sent):
                return True
    return False


def _is_undisturbed(record: Record, from_s: float, to_s: float) -> bool:
    """Whether nobody acts, nothing fails to run, and packets arrive all the time."""
    names = (
        *(facts.DISENGAGE, facts.ENGAGE, facts.SWITCH_ON, facts.GIVE_BACK, facts.KILLED),
        *(facts.STALLED, facts.MEMORY, facts.CLOCK, facts.STATE_CUT, facts.COMMAND_CUT),
        *(facts.BROKEN,),
    )
    if any(from_s - 2.0 < time_s < to_s for time_s in record.times(*names)):
        return False
    if has_fault(record, ("reports_late",), from_s - SETTLES_S, to_s):
        return False
    states = [from_s, *(t for t in record.times(facts.STATE) if from_s < t < to_s), to_s]
    is_reported = max(b - a for a, b in pairwise(states)) < REPORTS_S
    return is_reported and arrive_all_the_time(record, from_s, to_s)


@oracle
def hazard_lamps_end_with_the_stop(record: Record) -> Iterator[Violation]:
    """While autonomy drives and no stop stands, no hazard lamps flash."""
    ends_s = record.scene.ends_s
    flashes = list(_while(record.lamps, HAZARD, ends_s))
    drives = list(_while(record.shown, "AUTONOMOUS", ends_s))
    for (a_s, b_s), (c_s, d_s) in product(flashes, drives):
        from_s, to_s = max(a_s, c_s), min(b_s, d_s)
        if to_s - from_s < HAZARD_S:
            continue
        if any(time_s < to_s for time_s in record.times(facts.KILLED)):
            return  # a new process takes lamps that flash for those of a person
        for begins_s in range(math.ceil(from_s), math.floor(to_s - HAZARD_S)):
            if quiet(record, begins_s, begins_s + HAZARD_S):
                yield Violation(begins_s + HAZARD_S, "hazard lamps flash, and no stop stands")
                return


@oracle
def hazard_lamps_flash_in_a_stop(record: Record) -> Iterator[Violation]:
    """While a stop of autonomy for missing commands stands, hazard lamps flash."""
    if not record.scene.holds:
        return
    ends_s = record.scene.ends_s
    dark = [(0.0, ""), *record.lamps]
    drives = list(_while(record.shown, "AUTONOMOUS", ends_s))
    for cause in causes(record):
        due_s = cause.begins_s + HAZARD_S
        if cause.of != NO_COMMAND or due_s > cause.ends_s:
            continue
        if not any(a < cause.begins_s and due_s < b for a, b in drives):
            continue
        if not _is_undisturbed(record, cause.begins_s, due_s):
            continue
        if arbiter_acts(record, due_s):
            continue  # it stops the car by commands, which is no safe stop
        lamps = [name for since_s, name in dark if since_s <= due_s][-1]
        if lamps != HAZARD:
            yield Violation(due_s, f"no hazard lamps {HAZARD_S:g} s after {cause.of}")
            return


def _while(
    changes: list[tuple[float, str]], name: str, ends_s: float
) -> Iterator[tuple[float, float]]:
    """Yield the intervals in which something has a name."""
    for (since_s, now), (until_s, _) in pairwise([*changes, (ends_s, "")]):
        if now == name:
            yield since_s, until_s
