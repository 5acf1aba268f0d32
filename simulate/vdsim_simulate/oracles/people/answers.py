"""What is answered: requests to engage and to give back, accepted or refused, and what follows.

docs/safety.md (engaging), docs/arbitration.md (give back), docs/teleop.md (a button that was held).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from vdsim_interface.arbitration.interface_parameters import DASHBOARD
from vdsim_interface.teleop import teleop_notices

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.calm import (
    SHOWN_S,
    emergency_at,
    is_held_by_others,
    is_upset,
)
from vdsim_simulate.oracles.causes import broken, causes, spans
from vdsim_simulate.oracles.motion import motion_of
from vdsim_simulate.oracles.people.authority import UPSET_S
from vdsim_simulate.oracles.streams import turned_too_far
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Record

RESTS_MPS, ROLLS_MPS = 0.02, 0.25
ANSWERS_S, ENABLES_S = 0.3, 1.0
"""An answer, and the handshake with a car on a bus."""
MEETS_S = 0.05
"""A door that opens with the request may have opened before."""
REFUSED = ": refused"
PRESSED_S = 0.05
"""The page's pad is seen at rest before its button is pressed."""
TELLS = {
    "engage": (teleop_notices.MODE_ANSWER, teleop_notices.MODE_REFUSED),
    "give_back": (teleop_notices.GAVE_BACK, teleop_notices.GIVE_BACK_REFUSED),
}
EASES_OFF_S, GAINS_MPS = 1.0, 0.15
"""So long the drive of whoever commanded before eases off, and what a speed may gain then."""
GIVES_UP_S = 1.5
"""A source counts for its time-out; the car that it drove is stopped, and stands for a second."""


@oracle
def engaging_is_refused_for_a_reason_that_is_there(record: Record) -> Iterator[Violation]:
    """A request to engage is refused for what the page names, and for nothing else."""
    if record.scene.platform != "vds1":
        return
    forbids = [
        *spans(record, facts.DOOR_OPEN, facts.DOOR_SHUT, "a door"),
        *spans(record, facts.SWITCH_ON, facts.SWITCH_OFF, "the switch"),
        *spans(record, facts.MEMORY, facts.MEMORY_BACK, "memory"),
        *(cause for cause in causes(record) if cause.of == "no STATE"),
    ]
    starts = record.times(facts.STATE)
    for fact in record.facts:
        if fact.what != facts.ANSWER or not fact.text.startswith(facts.ENGAGE + REFUSED):
            continue
        time_s = fact.time_s
        if emergency_at(record, time_s) or is_upset(record, time_s - UPSET_S, time_s + SHOWN_S):
            continue
        if is_held_by_others(record, time_s - SHOWN_S, time_s):
            continue  # the stack waits for give_back
        if not starts or time_s < starts[0] + SHOWN_S:
            continue
        if any(c.begins_s - ANSWERS_S < time_s < c.ends_s + ANSWERS_S for c in forbids):
            continue
        yield Violation(time_s, f"{fact.text}: nothing of that is there")
        return


@oracle
def an_accepted_request_leads_to_autonomy(record: Record) -> Iterator[Violation]:
    """After an accepted request AUTONOMOUS is shown, as soon as reports and commands are there.

    On a bus it stays: a car that ended drive-by-wire while nobody drove is enabled again.
    """
    on_a_bus = record.scene.platform == "can"
    if record.scene.platform == "morai":
        return
    ends = record.times(
        *(facts.DISENGAGE, facts.SWITCH_ON, facts.DOOR_OPEN, facts.MEMORY, facts.EMERGENCY)
    )
    for time_s in record.times(facts.ENGAGED):
        due_s = time_s + (ENABLES_S if on_a_bus else 2.0 * ANSWERS_S)
        if due_s > record.scene.ends_s or any(time_s - MEETS_S <= t <= due_s for t in ends):
            continue
        if on_a_bus and _is_broken(record, time_s, due_s):
            continue
        if on_a_bus and turned_too_far(record, time_s, due_s):
            continue
        if is_upset(record, time_s - SHOWN_S, due_s, left_too=not on_a_bus):
            continue
        commands = [time_s, *(t for t in record.times(facts.COMMAND) if time_s < t < due_s), due_s]
        if any(b - a > SHOWN_S for a, b in pairwise(commands)):
            continue
        others = (f.time_s for f in record.facts if f.what == facts.COMMAND and f.who)
        if any(time_s - GIVES_UP_S < t < due_s for t in others):
            continue  # its last command is valid for a while, and the stack's do not pass
        from_s = due_s if on_a_bus else time_s
        if not any(a <= due_s and b >= from_s for a, b in _autonomous(record)):
            yield Violation(due_s, f"{due_s - time_s:.1f} s after a request to engage was accepted")
            return


def _is_broken(record: Record, from_s: float, to_s: float) -> bool:
    """Whether something is wrong on the bus, or was until a while before."""
    found = [(each.begins_s, each.ends_s + UPSET_S) for each in broken(record)]
    return any(a < to_s and b > from_s for a, b in found)


def _autonomous(record: Record) -> list[tuple[float, float]]:
    changes = [*record.shown, (record.scene.ends_s, "")]
    return [(a, b) for (a, mode), (b, _) in pairwise(changes) if mode == "AUTONOMOUS"]


@oracle
def what_the_page_asks_is_answered(record: Record) -> Iterator[Violation]:
    """Who presses the page's button to engage, or to give back, is told what has become of it."""
    for event in record.scene.events:
        pressed_s = event.at_s + PRESSED_S
        due_s = pressed_s + ANSWERS_S
        if event.name != "page_asks" or due_s > record.scene.ends_s:
            continue
        if is_upset(record, event.at_s - SHOWN_S, due_s, left_too=False):
            continue
        kinds = [str(kind) for kind in TELLS[str(event.values["button"])]]
        if not any(pressed_s < t < due_s and kind in kinds for t, kind, _ in record.told):
            yield Violation(due_s, f"{event.values['button']} of the page has no answer")
            return


@oracle
def an_emergency_stop_is_reset_at_rest_only(record: Record) -> Iterator[Violation]:
    """No give_back resets an emergency stop while reports show that the car moves."""
    motion = motion_of(record)
    for cause in spans(record, facts.EMERGENCY, facts.GIVEN_BACK, "the emergency stop is on"):
        time_s = cause.ends_s
        if time_s >= record.scene.ends_s or is_upset(record, time_s - 2.0 * ANSWERS_S, time_s):
            continue
        near = motion.between(time_s - ANSWERS_S, time_s + SHOWN_S)
        if near and all(abs(car.vx_mps) > ROLLS_MPS for car in near):
            text = f"an emergency stop is given back at {near[-1].vx_mps:.2f} m/s"
            yield Violation(time_s, text)
            return


@oracle
def giving_back_is_refused_for_a_reason_that_is_there(record: Record) -> Iterator[Violation]:
    """A give_back is refused in motion after an emergency stop, in a lock, or without a stack."""
    motion = motion_of(record)
    locked = [
        (f.time_s, f.what == facts.LOCKED)
        for f in record.facts
        if f.what in (facts.LOCKED, facts.UNLOCKED)
    ]
    for fact in record.facts:
        if fact.what != facts.ANSWER or not fact.text.startswith(facts.GIVE_BACK + REFUSED):
            continue
        time_s = fact.time_s
        near = motion.between(time_s - UPSET_S, time_s + SHOWN_S)
        moved = any(abs(car.vx_mps) > RESTS_MPS for car in near[-200:])
        if (emergency_at(record, time_s) or _asks_for_a_stop(record, time_s)) and moved:
            continue
        if any(is_set for t, is_set in locked if time_s - UPSET_S < t <= time_s):
            continue
        if _is_alone(record, time_s) or is_upset(record, time_s - UPSET_S, time_s):
            continue
        yield Violation(time_s, f"{fact.text}: nothing of that is there")
        return


def _asks_for_a_stop(record: Record, time_s: float) -> bool:
    return any(abs(t - time_s) < ANSWERS_S for t in record.times(facts.EMERGENCY))


def _is_alone(record: Record, time_s: float) -> bool:
    """Whether another source sends, and the stack does not, or has just been silent."""
    stack = [f.time_s for f in record.facts if f.what == facts.COMMAND and not f.who]
    near = [t for t in stack if time_s - GIVES_UP_S < t <= time_s]
    times = [time_s - GIVES_UP_S, *near, time_s]
    return any(b - a > SHOWN_S for a, b in pairwise(times))


@oracle
def a_button_that_was_held_moves_nothing(record: Record) -> Iterator[Violation]:
    """A page whose button was held from its first message on is not shown to command."""
    held = [f.time_s for f in record.facts if f.what == facts.HELD]
    used = [
        f.time_s
        for f in record.facts
        if f.who == DASHBOARD and f.what in (facts.COMMAND, facts.JOY)
    ]
    for since_s, who in record.drivers:
        if who != DASHBOARD or any(since_s - GIVES_UP_S < t <= since_s for t in used):
            continue
        if any(since_s - SHOWN_S < t <= since_s for t in held):
            yield Violation(since_s, "a page commands whose button was never seen released")
            return


@oracle
def a_throttle_that_was_pressed_first_moves_nothing(record: Record) -> Iterator[Violation]:
    """A throttle that was pressed before the dead-man button gives no drive until released."""
    motion = motion_of(record)
    for pulled in spans(record, facts.PULLED, facts.PULLED_NO_MORE, "a throttle pressed first"):
        from_s = pulled.begins_s + EASES_OFF_S
        cars = motion.between(from_s, pulled.ends_s)
        shown = [who for t, who in record.drivers if t <= from_s][-1:]
        shown += [who for t, who in record.drivers if from_s < t < pulled.ends_s]
        if (
            not cars
            or set(shown) != {DASHBOARD}
            or is_upset(record, pulled.begins_s - 1.0, pulled.ends_s)
        ):
            continue
        if any(motion.rise(car.time_s) < 0.0 for car in cars):
            continue  # a descent drives the car
        slowest_mps = abs(cars[0].vx_mps)
        for car in cars:
            slowest_mps = min(slowest_mps, abs(car.vx_mps))
            if abs(car.vx_mps) > slowest_mps + GAINS_MPS:
                text = f"the car drives {abs(car.vx_mps):.2f} m/s, up from {slowest_mps:.2f} m/s,"
                yield Violation(car.time_s, f"{text} by a throttle that was pressed first")
                return
