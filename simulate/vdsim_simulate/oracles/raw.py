"""The raw level: a command passes as it is, or is blocked as a whole (docs/control-levels.md).

What its pedals do to the car is the sender's own; here counts as promises what the gate keeps.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from vdsim_simulate import record as facts
from vdsim_simulate.oracles.calm import SHOWN_S, calm_spans, is_held_by_others
from vdsim_simulate.oracles.stops import GRACE_S, sent_between
from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Record, Sent, Wanted

SAME = 1e-4
"""Of a pedal, and of an angle in rad: less than a count."""
LATEST_S = 0.06
"""A command passes two processes; the one before it may still be sent as it arrives."""
BLENDS_S = 0.3
"""So long after the arbiter rests it is still shown."""
TAKES_OVER_S, LEAST_S = 2.0, 0.5
"""After a source, or a door, the car stands first; the least time of a calm drive."""


@oracle
def a_raw_command_passes_whole_or_not(record: Record) -> Iterator[Violation]:
    """Throttle of the raw level is that of one fresh command, with its brake and its wheels."""
    if not _is_exact(record):
        return
    young_s = record.parameters.command_timeout_s + GRACE_S
    jumps_s = record.times(facts.CLOCK)
    for packet in record.packets:
        if packet.throttle <= 0.0:
            continue
        from_s = packet.time_s - young_s
        if is_held_by_others(record, from_s, packet.time_s) or _is_blended(record, packet.time_s):
            continue
        if any(from_s < time_s <= packet.time_s for time_s in jumps_s):
            continue
        if not any(_same(record, packet, w) for w in _wanted(record, from_s, packet.time_s)):
            yield Violation(packet.time_s, f"{_text(packet)}, and it is no command that is young")
            return


@oracle
def raw_commands_drive_the_car(record: Record) -> Iterator[Violation]:
    """In autonomy, where nothing is wrong, each packet is the latest raw command, unchanged."""
    if not _is_exact(record):
        return
    for begins_s, ends_s in calm_spans(record, LEAST_S + TAKES_OVER_S):
        # After another source the arbiter brakes until the car has stood, on ice for long.
        waits = is_held_by_others(record, 0.0, begins_s)
        for packet in sent_between(record, begins_s + TAKES_OVER_S, ends_s - SHOWN_S):
            # A car that is held at rest stays so until the stack asks to drive.
            if packet.hand_brake or _is_blended(record, packet.time_s):
                continue
            asked = _wanted(record, packet.time_s - LATEST_S, packet.time_s)
            differs = bool(asked) and not any(_same(record, packet, each) for each in asked)
            waits = waits and differs
            if differs and not waits:
                yield Violation(packet.time_s, f"{_text(packet)}; asked is {asked[-1]}")
                return


def _is_exact(record: Record) -> bool:
    """Whether packets have the commands' own numbers: another wire has its own resolution."""
    return record.scene.is_raw and record.scene.platform == "vds1"


def _is_blended(record: Record, time_s: float) -> bool:
    """Whether the arbiter decides what passes: it blends two sources, whose commands are unknown.

    Who commands is looked at ten times a second.
    """
    before = [who for since_s, who in record.drivers if since_s <= time_s - BLENDS_S][-1:]
    later = [who for since_s, who in record.drivers if 0.0 <= time_s - since_s < BLENDS_S]
    soon = [who for since_s, who in record.drivers if 0.0 < since_s - time_s < SHOWN_S]
    return any((*before, *later, *soon))


def _wanted(record: Record, from_s: float, to_s: float) -> list[Wanted]:
    wanted = record.wanted
    first = bisect_left(wanted, from_s, key=lambda each: each.time_s)
    return wanted[first : bisect_right(wanted, to_s, key=lambda each: each.time_s)]


def _same(record: Record, packet: Sent, wanted: Wanted) -> bool:
    most_rad = record.parameters.vehicle.front_wheel_angle_max_rad
    angle_rad = min(max(wanted.angle_rad, -most_rad), most_rad)
    pairs = (
        (packet.throttle, min(wanted.throttle, 1.0)),
        (packet.brake, min(wanted.brake, 1.0)),
        (packet.steer_rad, angle_rad),
    )
    return all(abs(one - other) <= SAME for one, other in pairs)


def _text(packet: Sent) -> str:
    pedals = f"throttle {packet.throttle:.3f}, brake {packet.brake:.3f}"
    return f"{pedals}, wheels at {packet.steer_rad:.3f} rad"
