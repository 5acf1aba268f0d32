"""On a CAN bus: what frames carry, when none leaves, and how each fault of the bus ends."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from vdsim_can.car import CarFile
from vdsim_can.platform.vehicle_reports import NEEDED

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.causes import Broken, broken, spans
from vdsim_simulate.oracles.motion import motion_of
from vdsim_simulate.oracles.promises import autonomous_at
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import BusFrame, Record
from vdsim_simulate.wiring.shipped import can_car

NOTICED_S = 0.08
"""Until a frame of somebody else is noticed: his cycle of up to 50 ms, the wire, a period."""
SILENT_S = 0.9
"""So long after a stranger's last frame nothing is sent; the page says one second."""
NEUTRAL_RAD = 0.03
"""What the car turns its wheels while its report is on the way."""
ENDS_S = {
    "lost": 0.6,
    "stuck": 0.6,
    "checksum": 0.6,
    "silent": 1.5,
    "reset": 1.0,
    "bus_off": 1.5,
    "controller": 1.5,
    "foreign": 0.5,
    "fault": 0.5,
    "override": 0.5,
}
"""By kind of fault: within this time autonomy has ended, where the fault lasts so long."""
STALE_CYCLES = 5.0
"""Without a time of its own a message is unknown after so many cycles (docs/can-reference.md)."""
ANSWER_S = 0.3
DRAWN_S = 0.005
"""Times of faults are drawn in hundredths of a second."""
LINK_LOST_S = 1.5
"""Without these messages there is no report: the lost link ends autonomy, after a second."""
LEFT_S = 3.0
OFF_S = 0.05
ALONE_S = 2.0
"""So long after a car has left by itself, AUTONOMOUS is not shown any more."""
EXPLAINS = (
    *(facts.BROKEN, facts.MENDED, facts.STALLED, facts.RUNS_AGAIN, facts.KILLED, facts.STARTED),
    *(facts.DISENGAGE, facts.SWITCH_ON, facts.EMERGENCY, facts.MEMORY, facts.CLOCK),
    *(facts.COMMAND_CUT, facts.STATE_CUT, facts.GIVE_BACK),
)
DISTURBS = (facts.STALLED, facts.KILLED, facts.CLOCK, facts.STATE_CUT)


def _by_message(record: Record) -> dict[str, list[BusFrame]]:
    found: dict[str, list[BusFrame]] = {}
    for frame in record.frames:
        found.setdefault(frame.message, []).append(frame)
    return found


@oracle
def frames_count_and_are_protected(record: Record) -> Iterator[Violation]:
    """Each frame on a bus has the next counter and its checksum; a new process begins at 0."""
    for name, frames in _by_message(record).items():
        for frame in frames:
            if not frame.is_protected:
                yield Violation(frame.time_s, f"the checksum of {name} is wrong")
        for before, frame in pairwise(frames):
            begins = any(before.time_s < t <= frame.time_s for t in record.times(facts.STARTED))
            if begins and frame.counter == frame.first_counter:
                continue
            if frame.counter != before.next_counter:
                text = f"counter {frame.counter} of {name} after {before.counter}"
                yield Violation(frame.time_s, text)


@oracle
def without_enable_a_frame_asks_for_nothing(record: Record) -> Iterator[Violation]:
    """A frame that does not enable the car has no pedal, and the angle that the car has."""
    motion = motion_of(record)
    for frame in record.frames:
        if frame.enables is not False:
            continue
        if frame.throttle or frame.brake:
            text = f"throttle {frame.throttle:.3f}, brake {frame.brake:.3f} without ENABLE"
            yield Violation(frame.time_s, text)
        if not math.isnan(frame.steer_rad):
            turns = [car.steer_rad for car in motion.between(frame.time_s - 0.3, frame.time_s)]
            off_rad = min((abs(frame.steer_rad - rad) for rad in turns), default=0.0)
            if off_rad > NEUTRAL_RAD:
                text = f"the angle is {off_rad:.3f} rad beside that of the car, without ENABLE"
                yield Violation(frame.time_s, text)


@oracle
def the_car_is_enabled_in_two_frames(record: Record) -> Iterator[Violation]:
    """Before a frame enables the car, one has cleared the override."""
    for name, frames in _by_message(record).items():
        for before, frame in zip((None, *frames), frames, strict=False):
            is_enabled = before is not None and (before.enables or before.clears)
            if frame.enables and not is_enabled:
                yield Violation(frame.time_s, f"{name} enables, and has not cleared before")


@oracle
def nobody_sends_beside_a_stranger(record: Record) -> Iterator[Violation]:
    """While somebody else sends a message of ours, and for a second after, nothing is sent."""
    for fault in broken(record):
        ends_s = fault.ends_s + SILENT_S
        if fault.kind != "foreign" or _is_disturbed(record, fault.begins_s - 0.1, ends_s):
            continue
        cycle_s = 1e-3 * can_car(record.scene).send[fault.what].cycle_ms
        noticed_s = max(NOTICED_S, cycle_s + ANSWER_S / 10.0)
        # Where nothing of the bus reaches the interface from before he begins, it hears him later.
        deaf = spans(record, facts.STATE_CUT, facts.STATE_PASSES, "nothing of the bus")
        since_s = max((cut.ends_s for cut in deaf if cut.begins_s < fault.begins_s), default=0.0)
        heard_s = max(fault.begins_s, since_s)
        if heard_s + cycle_s > fault.ends_s:
            continue
        if any(
            other is not fault and other.kind in ("bus_off", "controller") and _meet(fault, other)
            for other in broken(record)
        ):
            continue
        until_s = min(ends_s, record.scene.ends_s)
        for frame in record.frames:
            if heard_s + noticed_s < frame.time_s < until_s:
                text = f"{frame.message} is sent beside a stranger's {fault.what}"
                yield Violation(frame.time_s, text)
                break


@oracle
def nothing_is_sent_off_the_bus(record: Record) -> Iterator[Violation]:
    """While our controller is off the bus nothing is sent, not even the frames of a stop."""
    faults = [fault for fault in broken(record) if fault.kind == "controller"]
    for fault in faults:
        again = any(other is not fault and _meet(fault, other) for other in faults)
        acts = (facts.STALLED, facts.KILLED, facts.CLOCK)
        if again or any(fault.begins_s - 0.1 < t < fault.ends_s for t in record.times(*acts)):
            continue
        for frame in record.frames:
            if fault.begins_s + OFF_S < frame.time_s < fault.ends_s:
                text = f"{frame.message} is sent while our controller is off the bus"
                yield Violation(frame.time_s, text)
                break


def _meet(one: Broken, other: Broken) -> bool:
    return one.begins_s - 0.5 < other.ends_s and other.begins_s - 0.5 < one.ends_s


def _is_disturbed(record: Record, from_s: float, to_s: float) -> bool:
    """Whether the interface may not have noticed.

    What is wrong on the bus comes from the car's process: while that stands still, it does not.
    """
    inside = any(from_s <= t <= to_s for t in record.times(*DISTURBS))
    names = ("interface", "shell", "safety", "car")
    outs = [interval for name in names for interval in record.intervals(name)]
    return inside or any(a <= to_s and b >= from_s for a, b in outs)


def _ends_s(car: CarFile, fault: Broken) -> float:
    """Return within which time a fault ends autonomy (docs/can-reference.md), of this car file."""
    row = car.receive.get(fault.what)
    if row is None:
        return ENDS_S[fault.kind]
    if any(r.signal.message == fault.what for r in car.reports if r.field in NEEDED):
        return LINK_LOST_S
    stale_s = 1e-3 * (row.stale_ms or STALE_CYCLES * row.cycle_ms)
    return max(ENDS_S[fault.kind], stale_s + ANSWER_S)


@oracle
def a_fault_on_the_bus_ends_autonomy(record: Record) -> Iterator[Violation]:
    """A fault of bus or car ends autonomy in its time (docs/can-reference.md); no frame drives on.

    While the car reports a fault no request to engage is accepted.
    """
    car = can_car(record.scene)
    for fault in broken(record):
        ends_s = _ends_s(car, fault)
        due_s = fault.begins_s + ends_s
        for other in broken(record):  # a car that is off the bus reports no fault
            if other.kind == "bus_off" != fault.kind and other.begins_s < due_s:
                due_s += max(0.0, other.ends_s - max(other.begins_s, fault.begins_s))
            # A report tells of a fault; without the messages that make it the link is lost first.
            is_met = other.begins_s < due_s and other.ends_s > fault.begins_s
            if other is not fault and is_met and _ends_s(car, other) == LINK_LOST_S:
                due_s = max(due_s, min(other.ends_s + ends_s, other.begins_s + LINK_LOST_S))
        if due_s > min(fault.ends_s, record.scene.ends_s):
            continue
        # Our own controller's fault is itself a cut of both ways.
        cuts = fault.kind == "controller"
        until_s = fault.begins_s - DRAWN_S if cuts else due_s
        if _is_disturbed(record, fault.begins_s - 1.0, until_s):
            continue
        if cuts and _is_disturbed(record, fault.begins_s + DRAWN_S, due_s):
            continue
        if any(fault.begins_s - 1.0 < t < due_s for t in record.times(facts.ENGAGED)):
            continue
        if autonomous_at(record, due_s):
            late_s = due_s - fault.begins_s
            text = f"AUTONOMOUS is shown {late_s:.1f} s after {fault.kind} of {fault.what}"
            yield Violation(due_s, text)
        for packet in record.packets:
            if due_s < packet.time_s < fault.ends_s and packet.throttle > 0.0:
                text = f"throttle {packet.throttle:.2f} after {fault.kind} of {fault.what}"
                yield Violation(packet.time_s, text)
                break
        if fault.kind != "fault" or _is_disturbed(record, due_s, fault.ends_s):
            continue
        for time_s in record.times(facts.ENGAGED):
            if due_s < time_s < fault.ends_s:
                text = f"a request is accepted while the car reports a fault by {fault.what}"
                yield Violation(time_s, text)
                break


@oracle
def a_person_at_the_controls_drives(record: Record) -> Iterator[Violation]:
    """While a person uses a control of the car, no frame is sent."""
    if not record.frames:
        return
    if any(row.when_silent is not None for row in can_car(record.scene).send.values()):
        return  # this car is told by frames that nobody commands
    for fault in broken(record):
        if fault.kind != "override" or _is_disturbed(record, fault.begins_s - 0.1, fault.ends_s):
            continue
        heard_s = [time_s for time_s in record.times(facts.STATE) if time_s > fault.begins_s]
        deaf_s = min(heard_s, default=math.inf) - fault.begins_s  # no STATE reaches the interface
        for frame in record.frames:
            if fault.begins_s + deaf_s + 0.3 < frame.time_s < fault.ends_s:
                if any(
                    o.kind not in ("override", "foreign") and _meet(fault, o)
                    for o in broken(record)
                ):
                    break  # what the person does may not reach the interface
                text = f"{frame.message} is sent while a person uses {fault.what}"
                yield Violation(frame.time_s, text)
                break


@oracle
def the_car_is_let_go_for_a_reason(record: Record) -> Iterator[Violation]:
    """The car does not fall out of its enabled state by itself."""
    times = record.times(*EXPLAINS)
    for time_s, driven in record.driven[1:]:
        if not driven and not any(time_s - LEFT_S < t <= time_s for t in times):
            yield Violation(time_s, "commands do not drive the car any more, and nothing happened")


@oracle
def autonomous_means_that_the_car_is_driven(record: Record) -> Iterator[Violation]:
    """While AUTONOMOUS is shown, the car's ECUs let commands drive it."""
    for begins_s, ends_s in record.left_alone():
        due_s = begins_s + ALONE_S
        if due_s > ends_s or _is_disturbed(record, begins_s - 0.5, due_s):
            continue
        if any(begins_s < t < due_s for t in record.times(facts.ENGAGED)):
            continue
        if autonomous_at(record, due_s):
            text = f"AUTONOMOUS is shown {ALONE_S:g} s after the car has left"
            yield Violation(due_s, text)
