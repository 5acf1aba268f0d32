"""The streams of both ends: numbers, stamps, versions, cycles, and that STATE tells the truth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from vdsim_can.frame import Frame, packed

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.causes import broken, causes, emergencies
from vdsim_simulate.oracles.motion import motion_of
from vdsim_simulate.oracles.promises import autonomous_at
from vdsim_simulate.oracles.stops import STRANGER_S
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Header, Record
from vdsim_simulate.wiring.shipped import can_car

FORWARDS_S = 0.5
"""A clock that was set, or a process that starts, ends a stream."""
SAYS_RAD, SAYS_M, SAYS_MPS, SAYS = 1e-6, 1e-3, 1e-6, 1e-6
EARLY = 1.5
"""So much of a cycle may a frame come early; two may leave together after a stall."""
CATCHES_UP_S = 1.0
FRAMES_N, OTHERS_N = 10, 2
STARTS_S = 0.4
"""A new process opens its bus, and needs a report."""
USED_S = 1.3
"""The page says a second; what a person does reaches the interface in frames."""
REPORTED_S, LEAVES_S = 0.5, 0.15
"""When the last frame leaves after a person's act."""
PRESSED_S = 0.25
"""docs/safety.md: after 0.3 s an emergency stop ends for who presses the accelerator."""


@oracle
def each_packet_has_the_next_number(record: Record) -> Iterator[Violation]:
    """On VDS1 each CMD and STATE has the next number and a later stamp; a process begins at 0."""
    begins = record.times(facts.STARTED, facts.CLOCK)
    sent = record.headers
    if sent and sent[0].number != 0:
        yield Violation(sent[0].time_s, f"the first CMD has number {sent[0].number}")
    for before, header in pairwise(sent):
        is_new = header.number == 0 and any(before.time_s < t <= header.time_s for t in begins)
        if not is_new:
            yield from _follows("CMD", before, header, begins)
    for one, other in pairwise(record.states):
        yield from _follows("STATE", one.header, other.header, ())


def _follows(
    what: str, before: Header, header: Header, clocks_s: Sequence[float]
) -> Iterator[Violation]:
    if header.number != before.number + 1:
        yield Violation(header.time_s, f"{what} {header.number} after {before.number}")
    is_set = any(before.time_s - FORWARDS_S < t <= header.time_s for t in clocks_s)
    if header.stamp_s <= before.stamp_s and not is_set:
        text = f"{what} {header.number} has stamp {header.stamp_s:.3f} s after"
        yield Violation(header.time_s, f"{text} {before.stamp_s:.3f} s")


@oracle
def commands_have_the_version_of_the_reports(record: Record) -> Iterator[Violation]:
    """While autonomy drives, CMD has the version of STATE."""
    for header in record.headers:
        if header.version != record.scene.wire_version and autonomous_at(record, header.time_s):
            text = f"CMD of version {header.version}, and STATE has"
            yield Violation(header.time_s, f"{text} {record.scene.wire_version}")
            return


@oracle
def reports_tell_the_motion(record: Record) -> Iterator[Violation]:
    """On VDS1 each STATE says how the car moves, where its wheels and pedals are."""
    motion = motion_of(record)
    for told in record.states:
        car = motion.at(told.header.time_s)
        off = {
            "x": (told.x_m - car.x_m, SAYS_M),
            "speed": (told.vx_mps - car.vx_mps, SAYS_MPS),
            "yaw rate": (told.yaw_rate_radps - car.yaw_rate_radps, SAYS_MPS),
            "wheel angle": (told.steer_rad - car.steer_rad, SAYS_RAD),
            "brake": (told.brake - car.brake, SAYS),
        }
        for name, (difference, most) in off.items():
            if abs(difference) > most:
                text = f"STATE tells a {name} that is off by {difference:.4g}"
                yield Violation(told.header.time_s, text)
                return


def turned_too_far(record: Record, from_s: float, to_s: float) -> bool:
    """Whether the wheels of a car on a bus have an angle that no frame may ask for at its speed.

    So it slides: no tyre gives that lateral acceleration. It is not enabled before it is slower.
    """
    limits = can_car(record.scene).limits.angle
    if limits is None or limits.wheelbase_m is None or limits.lateral_accel_mps2 is None:
        return False
    most = limits.lateral_accel_mps2 * limits.wheelbase_m
    cars = motion_of(record).between(from_s, to_s)
    return any(abs(car.steer_rad) * car.vx_mps**2 > most for car in cars)


@oracle
def frames_keep_their_cycle(record: Record) -> Iterator[Violation]:
    """On a bus no message leaves more often than its cycle says, and each one while one does."""
    if not record.frames:
        return
    upsets = record.times(facts.STALLED, facts.RUNS_AGAIN, facts.STARTED, facts.CLOCK)
    # Without a report no frame can have the angle that the car has.
    blind = [(each.begins_s, each.ends_s) for each in causes(record) if each.of == "no STATE"]
    car, ends_s = can_car(record.scene), record.scene.ends_s
    times: dict[str, list[float]] = {name: [] for name in car.send}
    for frame in record.frames:
        times[frame.message].append(frame.time_s)
    every = [frame.time_s for frame in record.frames]

    def is_upset(from_s: float, to_s: float) -> bool:
        return any(from_s - CATCHES_UP_S < t <= to_s for t in upsets)

    for name, sent in times.items():
        cycle_s = 1e-3 * car.send[name].cycle_ms
        for first_s, time_s in zip(sent, sent[FRAMES_N:], strict=False):
            lasts_s = time_s - first_s
            if lasts_s < (FRAMES_N - EARLY) * cycle_s and not is_upset(first_s, time_s):
                text = f"{FRAMES_N} frames of {name} in {lasts_s:.3f} s; its cycle is"
                yield Violation(time_s, f"{text} {cycle_s:.3f} s")
                return
        for before_s, time_s in pairwise([*sent, ends_s]):
            if time_s - before_s < (2.0 + EARLY) * cycle_s or is_upset(before_s, time_s):
                continue
            others = sum(before_s + cycle_s < t < time_s - cycle_s for t in every)
            unknown = any(a < time_s and b > before_s for a, b in blind)
            unknown = unknown or turned_too_far(record, time_s - STARTS_S, time_s)
            if others > OTHERS_N and not unknown:
                text = f"no {name} for {time_s - before_s:.3f} s while others leave; its cycle is"
                yield Violation(before_s + 2.0 * cycle_s, f"{text} {cycle_s:.3f} s")
                return


@oracle
def nothing_is_sent_to_a_car_that_is_not_known(record: Record) -> Iterator[Violation]:
    """On a bus nothing is sent before each message of the car has come."""
    if record.scene.platform != "can" or not record.frames:
        return
    car = can_car(record.scene)
    messages = {name: car.message(name) for name in car.receive}
    ids = {name: packed(Frame(m.can_id, b"", m.extended))[:4] for name, m in messages.items()}
    first = record.frames[0]
    for name, met in ids.items():
        if record.met.get(met, record.scene.ends_s) > first.time_s:
            yield Violation(first.time_s, f"{first.message} is sent, and {name} has not come yet")
            return


@oracle
def an_emergency_stop_is_sent(record: Record) -> Iterator[Violation]:
    """On a bus, frames leave in an emergency stop, but for a second after a person's act.

    A person who presses the accelerator for a while has the car, and keeps it. So does one who used
    any control shortly before a stop is asked for, of a car that nothing was sent to.
    """
    if record.scene.platform != "can":
        return
    silent = [(each.begins_s, each.ends_s + STRANGER_S) for each in broken(record)]
    used = [each for each in broken(record) if each.kind == "override"]
    driven = [(each.begins_s, each.ends_s + USED_S) for each in used]
    silent += driven
    pressed = [each for each in used if "ACCELERATOR" in each.what]
    silent += [
        (each.begins_s, math.inf) for each in pressed if each.ends_s - each.begins_s > PRESSED_S
    ]
    for who in ("interface", "shell", "safety", "car"):
        silent += [(a, b + STARTS_S) for a, b in record.intervals(who)]
    names = (facts.STATE_CUT, facts.COMMAND_CUT, facts.CLOCK, facts.MEMORY, facts.STARTED)
    silent += [(t - REPORTED_S, t + CATCHES_UP_S) for t in record.times(*names)]
    times = [frame.time_s for frame in record.frames]
    for cause in emergencies(record):
        since_s = [a for a, b in driven if a <= cause.begins_s <= b]
        left_s = cause.begins_s - min(since_s, default=0.0) - LEAVES_S
        lately_s = min(REPORTED_S, left_s) if left_s > 0.0 else REPORTED_S
        if since_s and not any(cause.begins_s - lately_s < t < cause.begins_s for t in times):
            continue
        inside = [t for t in times if cause.begins_s <= t <= cause.ends_s]
        for before_s, next_s in pairwise([cause.begins_s, *inside, cause.ends_s]):
            if next_s - before_s < REPORTED_S:
                continue
            excused_s = [b for a, b in silent if a < next_s and b > before_s]
            if next_s - max([before_s, *excused_s]) > REPORTED_S:
                text = f"no frame for {next_s - before_s:.2f} s in an emergency stop"
                yield Violation(before_s + REPORTED_S, text)
                return
