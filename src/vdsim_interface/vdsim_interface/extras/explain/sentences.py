"""Why did the car not do what I asked? Turns command traces into sentences. Pure.

Consecutive periods in which the same rules changed the same channels are one episode: a line with
its time, its length, the largest change and the reason. A line also names what the vehicle does not
apply. All times are seconds since the first trace.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from vdsim_interface.extras.explain.applied_monitor import (
    AppliedMonitor,
    NotApplied,
    not_applied_sentence,
)
from vdsim_interface.extras.explain.gate_record import gate_words
from vdsim_interface.pipeline.trace import CommandTrace
from vdsim_interface.values import (
    Authority,
    Change,
    Command,
    HighLevelCommand,
    Mode,
    RawCommand,
)
from vdsim_interface.values.sentences import change_sentence


@dataclass(frozen=True, slots=True)
class Episode:
    """Consecutive periods with the same changes; `largest` holds the largest of each."""

    start_s: float
    end_s: float
    periods_n: int
    mode: Mode
    authority: Authority
    largest: tuple[Change, ...]
    blocked: str = ""
    not_applied: tuple[NotApplied, ...] = ()


def episodes(traces: Iterable[CommandTrace]) -> Iterator[Episode]:
    """Group traces; periods without any change are an episode, too. Stamps stay as recorded."""
    current: Episode | None = None
    key: tuple[object, ...] = ()
    monitor = AppliedMonitor()
    for trace in traces:
        not_applied = monitor.update(trace)
        names = tuple(sorted((c.kind, c.channel) for c in trace.changes))
        trace_key = (trace.mode, trace.authority, trace.blocked, names, bool(not_applied))
        if current is not None and trace_key == key:
            current = replace(
                current,
                end_s=trace.stamp_s,
                periods_n=current.periods_n + 1,
                largest=_larger(current.largest, trace.changes),
            )
            continue
        if current is not None:
            yield current
        key = trace_key
        current = Episode(
            start_s=trace.stamp_s,
            end_s=trace.stamp_s,
            periods_n=1,
            mode=trace.mode,
            authority=trace.authority,
            largest=_larger((), trace.changes),
            blocked=trace.blocked,
            not_applied=not_applied,
        )
    if current is not None:
        yield current


def _larger(largest: tuple[Change, ...], changes: tuple[Change, ...]) -> tuple[Change, ...]:
    best: dict[tuple[str, str], Change] = {(c.kind, c.channel): c for c in largest}
    for change in changes:
        name = (change.kind, change.channel)
        known = best.get(name)
        if known is None or abs(change.after - change.before) > abs(known.after - known.before):
            best[name] = change
    return tuple(best.values())


AUTHORITY_WORDS = {
    Authority.COMMAND: "commands pass",
    Authority.IDLE: "commands are blocked, the interface holds the car",
    Authority.SILENT: "commands are blocked, nothing is sent: a person drives",
}
FIRST_UNIX_S = 1e9
"""Smaller stamps are simulated time, not seconds since 1970."""


def start_line(stamp_s: float) -> str:
    """Give the time of the first trace, from which all other lines count."""
    wall = "simulated time"
    if stamp_s >= FIRST_UNIX_S:
        wall = f"{datetime.fromtimestamp(stamp_s, timezone.utc):%Y-%m-%d %H:%M:%S} UTC"
    return f"0.00 s: first trace at {stamp_s:.2f} s ({wall})"


def summary(traces: Iterable[CommandTrace], min_duration_s: float = 0.0) -> Iterator[str]:
    """Summarise a recording line by line, without episodes shorter than `min_duration_s`."""
    shown: tuple[Mode, Authority] | None = None
    blocked = ""
    first_s: float | None = None
    for episode in episodes(traces):
        first_s = episode.start_s if first_s is None else first_s
        start_s, end_s = episode.start_s - first_s, episode.end_s - first_s
        if (episode.mode, episode.authority) != shown:
            shown = (episode.mode, episode.authority)
            blocked = ""
            yield (
                f"{start_s:.2f} s: mode {episode.mode.name}, {AUTHORITY_WORDS[episode.authority]}"
            )
        if episode.blocked and episode.blocked != blocked:
            yield f"{start_s:.2f} s: {episode.mode.name}: {episode.blocked}"
        blocked = episode.blocked
        if end_s - start_s < min_duration_s:
            continue
        periods = "1 period" if episode.periods_n == 1 else f"{episode.periods_n} periods"
        span = f"{start_s:.2f} to {end_s:.2f} s ({periods})"
        for change in episode.largest:
            yield f"{span}: {change_sentence(change)}"
        if episode.not_applied:
            yield f"{span}: {not_applied_sentence(episode.not_applied)}"


def command_words(command: Command | None) -> str:
    """Describe a command of the stack."""
    if command is None:
        return "nothing yet"
    if isinstance(command, HighLevelCommand):
        return f"velocity {command.velocity_mps:.3g} m/s, curvature {command.curvature_1pm:.3g} 1/m"
    if isinstance(command, RawCommand):
        return (
            f"raw throttle {command.throttle}, brake {command.brake}, "
            f"steer {command.front_steer}, rear steer {command.rear_steer}"
        )
    rear_rad = command.rear_wheel_angle_rad
    rear = f", rear wheel angle {rear_rad:.3g} rad" if rear_rad else ""
    return (
        f"acceleration {command.long_accel_mps2:.3g} m/s2, "
        f"front wheel angle {command.front_wheel_angle_rad:.3g} rad{rear}"
    )


def explain_at(traces: Iterable[CommandTrace], at_s: float) -> tuple[str, ...]:
    """Explain the command nearest to a time [s] since the first trace.

    The traces before it show whether the vehicle applies what is sent.
    """
    monitor = AppliedMonitor()
    compared = [(trace, monitor.update(trace)) for trace in traces]
    first_s = compared[0][0].stamp_s
    trace, not_applied = min(compared, key=lambda one: abs(one[0].stamp_s - first_s - at_s))
    return explain(trace, not_applied, first_s)


def explain(
    trace: CommandTrace, not_applied: tuple[NotApplied, ...] = (), first_s: float = 0.0
) -> tuple[str, ...]:
    """Describe one command's way through all stages, one line per stage and per reason."""
    lines = [
        f"at {trace.stamp_s - first_s:.2f} s, "
        f"mode {trace.mode.name}: {AUTHORITY_WORDS[trace.authority]}",
        f"asked: {command_words(trace.received)}",
    ]
    if trace.blocked:
        lines.insert(1, f"{trace.mode.name}: {trace.blocked}")
    if isinstance(trace.received, HighLevelCommand) and trace.controlled is not None:
        lines.append(f"velocity controller: {command_words(trace.controlled)}")
    lines += [f"changed: {change_sentence(change)}" for change in trace.changes]
    if not trace.changes:
        lines.append("nothing was changed")
    if trace.gate is not None:
        lines += gate_words(trace.gate)
    lines.append(f"sent: {_wire_words(trace)}")
    lines.append(f"applied: {_applied_words(trace)}")
    if not_applied:
        lines.append(not_applied_sentence(not_applied))
    return tuple(lines)


def _wire_words(trace: CommandTrace) -> str:
    wire = trace.wire
    if wire is None:
        return "nothing"
    parts = [
        f"gear {trace.body.gear.name}",
        f"front wheel angle {wire.front_wheel_angle_rad:.3g} rad",
    ]
    if not math.isnan(wire.long_accel_mps2):
        parts.append(f"acceleration {wire.long_accel_mps2:.3g} m/s2")
    if not math.isnan(wire.throttle):
        parts.append(f"throttle {wire.throttle:.3g}, brake {wire.brake:.3g}")
    if trace.wire_sequence is not None:
        parts.append(f"packet {trace.wire_sequence}")
    return ", ".join(parts)


def _applied_words(trace: CommandTrace) -> str:
    applied = trace.applied
    if applied is None:
        return "the vehicle has not reported"
    age_s = trace.stamp_s - trace.applied_stamp_s
    pedals = ""
    if not math.isnan(applied.throttle):
        pedals = f", throttle {applied.throttle:.3g}, brake {applied.brake:.3g}"
    return (
        f"front wheel angle {applied.front_wheel_angle_rad:.3g} rad, "
        f"acceleration {applied.long_accel_mps2:.3g} m/s2{pedals} (reported {age_s:.2f} s ago)"
    )
