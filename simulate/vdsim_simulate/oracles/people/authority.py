"""Who may engage and who may drive: what forbids it, what ends it, and what a person gives back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise

from vdsim_interface.arbitration.interface_parameters import DASHBOARD

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.calm import behind, is_upset
from vdsim_simulate.oracles.causes import (
    Cause,
    broken,
    causes,
    emergencies,
    silences,
    spans,
)
from vdsim_simulate.oracles.motion import SLIP_LIMIT, motion_of
from vdsim_simulate.oracles.people import ACTS
from vdsim_simulate.oracles.people.engaging import DECIDER, PATIENCE_S, ends_of_engagements
from vdsim_simulate.oracles.promises import autonomous_at
from vdsim_simulate.oracles.stops import sent_between
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Record, Sample

SHOWN_S = 0.3
"""The mode is looked at ten times a second; it passes a topic, or a frame of the guard."""
ANSWERS_S = 0.06
"""A request passes a process, a frame and a period until it is answered."""
TOLD_AGAIN_S = 0.3
"""A new process hears how doors and the switch are within this time."""
TIMEOUTS_S = {"gamepad": 0.3, "keyboard": 0.3, "remote": 0.5}
"""docs/arbitration.md: so long each source counts after its last command."""
ABOVE: dict[str, tuple[str, ...]] = {
    "gamepad": (),
    "keyboard": ("gamepad",),
    "remote": ("gamepad", "keyboard", DASHBOARD),
}
"""By source: those of a higher priority."""
NOTICED_S = 0.4
"""Until a time-out is noticed, and shown."""
RETURNS_S = 0.8
"""A source that was lost in motion drives again after half a second without a gap."""
GAP_S = 0.12
"""A tenth of a second without a command lets a source that gave control back take it again."""
WAITS_S = 1.0
"""A packet is of another source's command for its time-out, and while the drive eases off."""
SLOWS_MPS2 = 1.0
"""A car that slows by more is not driven on, whatever throttle a steep rise takes."""
EASES, EASES_MPS = 0.02, 0.2
"""A stop that is eased to rest takes what little throttle the rolling resistance needs."""
EVEN, ENDS_S = 0.05, 0.4
"""On such a road a car that speeds up stops to do so at once: it is never driven on first."""
EXPLAINS_S = 1.5
UPSETS = (facts.KILLED, facts.STARTED, facts.MEMORY, facts.CLOCK, facts.DEAF, facts.HEARS)
LOCKS = (facts.LOCKED, facts.UNLOCKED)
UPSET_S = 4.0
UNHEARD_S = 0.25
"""A gap between the packets that reach the car that cannot make it fail to follow."""
STANDS_BESIDE_MPS, STANDS_EARLIER_S = 0.05, 0.5
"""How far the speed of a car that stands is off, and how late or early that is known and shown."""
GUARD_SILENT_S = 0.09
"""A shell that hears no guard for 0.1 s shows that nobody drives, until it hears one again."""
SHORTER_S = 0.1
"""What a stall that a process measures, or another one hears, may be longer than it is."""
EARLY_S = 0.15
"""Clocks differ, and the mode is looked at ten times a second."""
PROCESSES = ("interface", "shell", "safety", "velocity_controller", "low_pass_filter")


def outs(record: Record, names: Iterable[str] = PROCESSES) -> list[tuple[float, float]]:
    """Return when one of these processes does not run."""
    return [each for name in names for each in record.intervals(name)]


def _is_out(record: Record, from_s: float, to_s: float) -> bool:
    return any(a <= to_s and b >= from_s for a, b in outs(record))


@oracle
def autonomy_is_shown_only_after_an_engagement(record: Record) -> Iterator[Violation]:
    """From what ends an engagement on, AUTONOMOUS is not shown until a person has engaged."""
    engages = record.times(facts.ENGAGED)
    for since_s, why in sorted(ends_of_engagements(record)):
        due_s = since_s + SHOWN_S
        for a, b in sorted(outs(record)):  # what a process that does not run has shown stays
            due_s = max(due_s, b + SHOWN_S) if a <= due_s <= b + SHOWN_S else due_s
        again_s = min((t for t in engages if t >= since_s), default=record.scene.ends_s)
        shown = [due_s, *(t for t, mode in record.shown if mode == "AUTONOMOUS")]
        for time_s in shown:
            if due_s <= time_s < again_s and autonomous_at(record, time_s):
                text = f"AUTONOMOUS is shown: nobody has engaged since {why} ({since_s:.2f} s)"
                yield Violation(time_s, text)
                return


@oracle
def nobody_engages_against_what_forbids_it(record: Record) -> Iterator[Violation]:
    """No request to engage is accepted in an emergency stop, with an open door, without reports.

    Nor while a person uses the switch, nor one that waited for a process that did not run.
    """
    forbidden = [
        *emergencies(record),
        *spans(record, facts.DOOR_OPEN, facts.DOOR_SHUT, "a door is open"),
        *spans(record, facts.SWITCH_ON, facts.SWITCH_OFF, "a person uses the switch"),
        *(cause for cause in causes(record) if cause.of == "no STATE"),
        *spans(record, facts.MEMORY, facts.MEMORY_BACK, "memory runs short"),
    ]
    starts = record.times(facts.STARTED)
    for time_s in record.times(facts.ENGAGED):
        if any(0.0 <= time_s - t < TOLD_AGAIN_S for t in starts):
            continue
        is_engaged = autonomous_at(record, time_s - EARLY_S) or autonomous_at(record, time_s)
        for cause in forbidden:
            if is_engaged and cause.name != facts.EMERGENCY:
                continue  # the answer is that it drives already
            if cause.begins_s + ANSWERS_S < time_s < cause.ends_s - ANSWERS_S:
                yield Violation(time_s, f"a request to engage is accepted although {cause.of}")
        yield from _waited(record, time_s)


def _waited(record: Record, time_s: float) -> Iterator[Violation]:
    """A request that waited while its process did not run must be refused."""
    timeout_s = record.parameters.command_timeout_s
    asked_s = max((t for t in record.times(facts.ASKS_TO_ENGAGE) if t <= time_s), default=math.inf)
    for begins_s, ends_s in record.intervals(DECIDER[record.scene.composition]):
        is_long = ends_s - begins_s > timeout_s + 2.0 * ANSWERS_S
        if is_long and begins_s < asked_s < ends_s <= time_s:
            text = f"a request to engage is accepted that waited for {ends_s - asked_s:.2f} s"
            yield Violation(time_s, f"{text} in a process that did not run")


@oracle
def the_stack_waits_for_give_back(record: Record) -> Iterator[Violation]:
    """After a source, a lock or an emergency stop the stack drives only when it is given back.

    One give_back does one thing: the first one resets an emergency stop, the next lets it drive.
    """
    motion, waiting = motion_of(record), sorted(_waits(record))
    for since_s, needs_n, why in waiting:
        given = [t for t in record.times(facts.GIVEN_BACK) if t > since_s]
        until_s = given[needs_n - 1] if len(given) >= needs_n else record.scene.ends_s
        later = [t for t, _, _ in waiting if since_s < t < until_s]
        until_s = min([until_s, *later])
        for packet in sent_between(record, since_s + WAITS_S, until_s):
            if packet.time_s == until_s:
                break  # the page's request is handled in the period of this packet
            car = motion.at(packet.time_s)
            slides = motion.most_slip(packet.time_s) > SLIP_LIMIT  # which slows the car itself
            eases = packet.throttle < EASES and (slides or abs(car.vx_mps) < EASES_MPS)
            drives = packet.throttle > 0.0 and not _slows(car) and not eases
            if drives and not _another_sends(record, packet.time_s):
                text = f"throttle {packet.throttle:.3f} of the stack: {why} at {since_s:.2f} s"
                yield Violation(packet.time_s, f"{text}, and given back {len(given)} times")
                return


def _slows(car: Sample) -> bool:
    """Whether the car is slowed as in the arbiter's stop: steeply uphill that takes throttle."""
    return math.copysign(1.0, car.vx_mps) * car.accel_mps2 < -SLOWS_MPS2


def _waits(record: Record) -> Iterator[tuple[float, int, str]]:
    """When the stack begins to wait, how often one must give back, and why."""
    for time_s in record.times(facts.EMERGENCY):
        yield time_s, 2, "an emergency stop"
    for fact in record.facts:
        if fact.what == facts.UNLOCKED:
            yield fact.time_s, 1, f"the lock {fact.who} was set"
    emergency = [(cause.begins_s, cause.ends_s) for cause in emergencies(record)]
    for time_s, who in record.drivers:
        stops = any(a <= time_s <= b + SHOWN_S for a, b in emergency)
        if who in (*TIMEOUTS_S, DASHBOARD) and not stops:
            yield time_s, 1, f"the {who} commanded"


def _another_sends(record: Record, time_s: float) -> bool:
    return any(
        fact.what in (facts.COMMAND, facts.HELD)
        and fact.who
        and 0.0 <= time_s - fact.time_s < WAITS_S
        for fact in record.facts
    )


@oracle
def the_highest_source_commands(record: Record) -> Iterator[Violation]:
    """Who has the highest priority of those that send is shown to command."""
    emergency = [(cause.begins_s, cause.ends_s) for cause in emergencies(record)]
    for who, above in ABOVE.items():
        if any(fact.what == facts.COMMAND and fact.who in above for fact in record.facts):
            continue
        for begins_s, ends_s in _spans_of(record, who):
            from_s, to_s = begins_s + RETURNS_S, ends_s
            upsets = record.times(*UPSETS, *LOCKS, facts.STALLED)
            if from_s >= to_s or any(begins_s - 1.0 < t < to_s for t in upsets):
                continue
            # Who has given back may take over again: only what is sent on without a gap does not.
            if any(begins_s - GAP_S < t < to_s for t in record.times(facts.GIVE_BACK)):
                continue
            if any(a < to_s and b + 1.0 > begins_s for a, b in emergency):
                continue
            if _is_out(record, begins_s - 1.0, to_s):
                continue
            shown = [name for t, name in record.drivers if t <= from_s][-1:]
            shown += [name for t, name in record.drivers if from_s < t < to_s]
            if any(name != who for name in shown) or not shown:
                text = f"the {who} has sent for {from_s - begins_s:.1f} s, and"
                yield Violation(from_s, f"{text} {[*shown, 'nobody'][0] or 'nobody'} commands")


def _spans_of(record: Record, who: str) -> Iterator[tuple[float, float]]:
    """When a source sends without a gap."""
    times = [f.time_s for f in record.facts if f.what == facts.COMMAND and f.who == who]
    begins_s = math.nan
    for before_s, next_s in pairwise([-math.inf, *times, math.inf]):
        if next_s - before_s > 0.5 * TIMEOUTS_S[who]:
            if not math.isnan(begins_s):
                yield begins_s, before_s
            begins_s = next_s


@oracle
def who_has_fallen_silent_commands_no_more(record: Record) -> Iterator[Violation]:
    """A source that has not sent for its time-out is not shown to command."""
    for (since_s, who), (until_s, _) in pairwise([*record.drivers, (record.scene.ends_s, "")]):
        if who not in TIMEOUTS_S:
            continue
        sent = [f.time_s for f in record.facts if f.what == facts.COMMAND and f.who == who]
        last_s = max((t for t in sent if t < until_s), default=since_s)
        due_s = last_s + TIMEOUTS_S[who] + NOTICED_S
        if due_s < until_s and not _is_out(record, last_s - 1.0, due_s):
            if any(last_s - 1.0 < t < due_s for t in record.times(*UPSETS)):
                continue
            text = f"{who} is shown to command {until_s - last_s:.2f} s after its last command"
            yield Violation(due_s, text)


@oracle
def autonomy_ends_for_a_reason(record: Record) -> Iterator[Violation]:
    """What lasts less long than the pages say, or ends no autonomy, does not end it."""
    for (_, before), (time_s, mode) in pairwise(record.shown):
        if before == "AUTONOMOUS" != mode and not _is_explained(record, time_s):
            yield Violation(time_s, f"{mode} is shown after AUTONOMOUS, and nothing explains it")


def _is_explained(record: Record, time_s: float) -> bool:
    safety = record.parameters.safety
    if any(time_s - EXPLAINS_S < t <= time_s for t in record.times(*ACTS, facts.KEYBOARD)):
        return True
    if any(time_s - UPSET_S < t <= time_s for t in record.times(*UPSETS)):
        return True
    for who in PROCESSES:
        least_s = _ends_autonomy_s(record, who)
        out = (each for each in _out(record, who) if each[1] - each[0] > least_s)
        if any(a <= time_s and b > time_s - UPSET_S for a, b in out):
            return True
    if any(a <= time_s <= b + EXPLAINS_S for a, b in behind(record)):
        return True
    lost_s = safety.link_lost_s - safety.report_timeout_s
    if record.scene.platform == "can":
        lost_s = 0.0  # the first message that is back finds another one stale
    silent_s = safety.command_lost_s - record.parameters.command_timeout_s
    ends_s = record.scene.ends_s
    unreported = silences(_news_s(record), safety.report_timeout_s, ends_s, "no STATE")
    for cause in (*causes(record), *unreported):
        if cause.of == "no STATE" and _has_lasted(cause, time_s, lost_s):
            return True
        # Silence and a door end autonomy of a car that stands, as far as reports tell.
        unheard = _unheard(record, cause)
        is_silent = cause.of == "no command" and _has_lasted(unheard, time_s, silent_s)
        if is_silent and _has_stood(record, time_s, silent_s - STANDS_EARLIER_S):
            return True
        is_open = cause.of == "the door is open" and _has_lasted(cause, time_s, 0.0)
        if is_open and (_has_stood(record, time_s, 0.0) or _is_unseen(record, time_s)):
            return True
    if any(cause.begins_s <= time_s < cause.ends_s + EXPLAINS_S for cause in _late(record)):
        return True
    # A stop was reset, and nothing passes until a person gives back again.
    reset_s = [cause.ends_s for cause in emergencies(record)]
    if any(ends_s <= time_s < ends_s + EXPLAINS_S for ends_s in reset_s):
        return _has_stood(record, time_s, 0.0)
    if any(each.begins_s <= time_s < each.ends_s + UPSET_S for each in broken(record)):
        return True
    left = record.left_alone() if record.driven else []
    if any(a <= time_s < b + UPSET_S for a, b in left):
        return True
    return not _follows(record, time_s)


def _out(record: Record, who: str) -> list[tuple[float, float]]:
    """Return when nothing of a process arrives; where each is apart, its receiver stalls too."""
    found = record.intervals(who)
    if record.scene.composition == "processes" and who == "safety":
        found = sorted([*found, *record.intervals("interface")])
    joined: list[tuple[float, float]] = []
    for begins_s, ends_s in found:
        if joined and begins_s <= joined[-1][1] + SHORTER_S:
            begins_s, before_s = joined.pop()
            ends_s = max(ends_s, before_s)
        joined.append((begins_s, ends_s))
    return joined


def _ends_autonomy_s(record: Record, who: str) -> float:
    """Return how long a process must stand still at the least to end autonomy (docs/safety.md)."""
    parameters = record.parameters
    ends_s = parameters.command_timeout_s
    if record.scene.composition == "guarded" and who == "interface":
        return GUARD_SILENT_S  # the shell shows nobody driving by a guard that is silent
    if record.scene.composition == "processes" and who == "interface":
        ends_s = PATIENCE_S
    elif record.scene.composition == "processes" and who == "safety":
        # The vehicle side brakes by itself meanwhile, and shows that.
        ends_s = min(ends_s, max(parameters.safety.report_timeout_s, 5.0 * parameters.period_s))
    return ends_s - SHORTER_S


def _has_stood(record: Record, time_s: float, for_s: float) -> bool:
    """Whether the car stood for so long before autonomy ended, which was shown a moment later."""
    from_s = time_s - SHOWN_S - for_s
    stands_mps = record.parameters.safety.standstill_speed_mps + STANDS_BESIDE_MPS
    return motion_of(record).stands_for(for_s - EARLY_S, stands_mps, from_s, time_s)


def _is_unseen(record: Record, time_s: float) -> bool:
    states = [t for t in record.times(facts.STATE) if time_s - 2.0 * SHOWN_S < t <= time_s]
    times = [time_s - 2.0 * SHOWN_S, *states, time_s]
    return any(b - a > record.parameters.safety.report_timeout_s - 0.02 for a, b in pairwise(times))


def _news_s(record: Record) -> Iterator[float]:
    """Return when a report came that is later than all before: a stranger repeats old ones."""
    latest_s = -math.inf
    for time_s, vehicle_time_s in record.used:
        if vehicle_time_s > latest_s:
            latest_s = vehicle_time_s
            yield time_s


def _unheard(record: Record, cause: Cause) -> Cause:
    """Return a silence with the emergency stop that came in it, and keeps out what comes again."""
    meanwhile = (e for e in emergencies(record) if cause.begins_s < e.begins_s < cause.ends_s)
    return cause._replace(ends_s=max([cause.ends_s, *(e.ends_s for e in meanwhile)]))


def _has_lasted(cause: Cause, time_s: float, needed_s: float) -> bool:
    """Whether a cause had lasted for what ends autonomy, now or a moment before."""
    needed_s -= EARLY_S
    ends_s = min(cause.ends_s, time_s)
    return ends_s - cause.begins_s >= needed_s and time_s - cause.ends_s < SHOWN_S


def _late(record: Record) -> Iterator[Cause]:
    """While reports arrive late."""
    late = [(arrived_s, arrived_s - sent_s) for arrived_s, sent_s in record.heard]
    for time_s, age_s in late:
        if age_s > 0.1:
            yield Cause(time_s, time_s + 0.1, "silence", "late STATE")


def _follows(record: Record, time_s: float) -> bool:
    """Whether what is sent has reached the car, which can do it."""
    from_s = time_s - 2.0
    arrived = [t for t in record.arrivals_s if from_s < t <= time_s]
    gaps = pairwise([from_s, *arrived, time_s])
    motion = motion_of(record)
    return all(b - a < UNHEARD_S for a, b in gaps) and motion.most_slip(time_s, 2.0) < 0.3


@oracle
def a_handshake_ends_and_needs_both_sides(record: Record) -> Iterator[Violation]:
    """NOT_READY lasts for its time at most; AUTONOMOUS follows a report and a fresh command."""
    most_s = record.parameters.safety.engage_timeout_s + SHOWN_S
    commands, states = record.times(facts.COMMAND), record.times(facts.STATE)
    changes = [*record.shown, (record.scene.ends_s, "")]
    for (since_s, mode), (until_s, _) in pairwise(changes):
        if mode == "NOT_READY" and until_s - since_s > most_s:
            asked = any(since_s < t < until_s for t in record.times(facts.ENGAGE))
            if not asked and not _is_out(record, since_s - 1.0, until_s):
                yield Violation(since_s + most_s, f"NOT_READY for {until_s - since_s:.2f} s")
        if mode != "AUTONOMOUS" or _is_out(record, since_s - UPSET_S, since_s):
            continue
        young_s = since_s - SHOWN_S - record.parameters.command_timeout_s
        if not any(young_s < t <= since_s for t in commands):
            yield Violation(since_s, "AUTONOMOUS is shown, and no command has come")
        asked_s = max((t for t in record.times(facts.ENGAGED) if t <= since_s), default=math.inf)
        if asked_s < math.inf and not any(asked_s <= t <= since_s for t in states):
            text = f"AUTONOMOUS is shown, and no report has come since {asked_s:.2f} s"
            yield Violation(since_s, text)


@oracle
def a_lock_keeps_the_stack_out(record: Record) -> Iterator[Violation]:
    """While a lock is set no command of the stack drives; `stop_all` covers every source."""
    for lock in ("stop_all", "hold_autonomy"):
        said = [f for f in record.facts if f.what in LOCKS and f.who == lock]
        began_s = None
        for fact in said:
            if fact.what == facts.LOCKED:
                began_s = fact.time_s if began_s is None else began_s
                continue
            from_s, to_s = (began_s or fact.time_s) + WAITS_S, fact.time_s
            began_s = None
            if _is_out(record, from_s - 1.0, to_s):
                continue
            if any(from_s - 2.0 < t < to_s for t in record.times(*UPSETS)):
                continue
            even = abs(record.scene.grade) <= EVEN
            if even and not is_upset(record, from_s - WAITS_S - 1.0, to_s):
                from_s += ENDS_S - WAITS_S  # on a rise the drive eases off
            for packet in sent_between(record, from_s, to_s):
                others = lock == "hold_autonomy" and _another_sends(record, packet.time_s)
                if packet.throttle > 0.0 and not others:
                    text = f"throttle {packet.throttle:.3f} although the lock {lock} is set"
                    yield Violation(packet.time_s, text)
                    return
