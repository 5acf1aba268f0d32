"""What must hold in a cell: requirements as formulas with their margins, and plain comparisons.

`of_the_fault` are those that the row of the fault asks for, `invariants` hold in every cell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from vdsim_campaign.bounds import (
    AT_REST_MPS,
    BAND_MPS,
    ROLLBACK_M,
    SPEED_MPS,
    STEER_HELD_RAD,
    STOPS,
    limits,
)
from vdsim_campaign.faults import CYCLE_S, Expect
from vdsim_campaign.record import PERIOD_S, Record, signals
from vdsim_campaign.roads import Road
from vdsim_campaign.stl import (
    All,
    Formula,
    Signals,
    Until,
    always,
    at_least,
    at_most,
    eventually,
)
from vdsim_protocol import vds1

Waited = Callable[[float, float], float]
"""How long the processes waited for a core between two times."""

_STAMP, _CRC = slice(16, 24), -4
"""Where a VDS1 packet has its time stamp, and where its CRC begins."""


class Finding(NamedTuple):
    """One requirement of one cell.

    `margin`: how far it is from being broken. `measured`: the figure that was judged, where there
    is one, in seconds, metres or radians.
    """

    requirement: str
    holds: bool
    text: str
    margin: float = math.nan
    measured: float = math.nan


def of_the_fault(expect: Expect, record: Record, waited: Waited, road: Road) -> Iterator[Finding]:
    """Check what the row of the fault asks for on the signals."""
    until_cleared = signals(record, record.cleared_s)
    if expect.drives_on:
        seen = signals(record, record.drives_s)
        band = All(
            (at_least("speed", SPEED_MPS - BAND_MPS), at_most("speed", SPEED_MPS + BAND_MPS))
        )
        yield _judged("drives on", always(0.0, record.lasted_s, band), seen, "m/s in its band")
    if expect.brakes_within_s is not None:
        delay_s = braking_delay_s(expect)
        allowed_s = delay_s + waited(record.begin_s, record.begin_s + delay_s)
        braking = always(0.0, record.lasted_s, at_most("throttle", 0.0))
        speaks = eventually(0.0, allowed_s, braking)
        if record.lasted_s > allowed_s:
            took_s = first_s(until_cleared["throttle"], lambda value: value <= 0.0)
            text = f"throttle 0 after {took_s:.3f} s, allowed {allowed_s:.3f} s"
            yield _judged("brakes in time", speaks, until_cleared, text)._replace(measured=took_s)
    if expect.stop:
        yield from _stop(expect, record, until_cleared, waited, road)
    took_s = record.drives_s - record.cleared_s
    allowed_s = expect.recovers_within_s + waited(record.cleared_s, record.drives_s)
    yield Finding(
        requirement="drives again in time",
        holds=took_s <= allowed_s,
        text=f"after {took_s:.1f} s, allowed {allowed_s:.1f} s",
        margin=allowed_s - took_s,
        measured=took_s,
    )


def braking_delay_s(expect: Expect) -> float:
    """From the fault until no throttle is in effect: what the page states, on any slope.

    A cycle of the interface and two samples of the record come on top; the gate takes the drive
    away in the period in which the stop begins.
    """
    assert expect.brakes_within_s is not None
    return expect.brakes_within_s + CYCLE_S + 2.0 * PERIOD_S


def _stop(
    expect: Expect, record: Record, columns: Signals, waited: Waited, road: Road
) -> Iterator[Finding]:
    speed = columns["speed"]
    assert expect.brakes_within_s is not None
    delay_s = braking_delay_s(expect)
    rest_s = first_s(speed, lambda value: abs(value) <= AT_REST_MPS)
    machine_s = waited(record.begin_s, record.begin_s + delay_s)
    stop = STOPS[expect.stop]
    stop = stop._replace(decel_mps2=min(stop.decel_mps2, road.tyres_mps2))
    # Where the fault meets a start, the car may become faster until its stop must have begun.
    fastest_mps = max(0.0, *speed[: int(delay_s / PERIOD_S)])
    bound = limits(stop, fastest_mps, delay_s, machine_s)
    way_m = columns["way"]
    last = int(rest_s / PERIOD_S) if math.isfinite(rest_s) else len(way_m) - 1
    went_m = way_m[last] - way_m[0]
    # Without throttle until the car stands, and in time.
    begins_s = delay_s + machine_s
    unthrottled = Until(0.0, bound.time_s, at_most("throttle", 0.0), at_most("speed", AT_REST_MPS))
    after = {name: values[int(begins_s / PERIOD_S) :] for name, values in columns.items()}
    if len(after["speed"]) > 1:
        text = f"at rest after {rest_s:.2f} s, allowed {bound.time_s:.2f} s"
        yield _judged("no throttle until at rest", unthrottled, after, text)
    yield Finding(
        requirement="stopping time", holds=rest_s <= bound.time_s, margin=bound.time_s - rest_s,
        text=f"{rest_s:.2f} s, allowed {bound.time_s:.2f} s", measured=rest_s,
    )  # fmt: skip
    yield Finding(
        requirement="stopping distance", holds=went_m <= bound.distance_m,
        margin=bound.distance_m - went_m,
        text=f"{went_m:.2f} m, allowed {bound.distance_m:.2f} m", measured=went_m,
    )  # fmt: skip
    begin = int((delay_s + machine_s) / PERIOD_S)
    held = columns["steer"][begin:]
    if held:
        held_rad = max(held) - min(held)
        yield Finding(
            requirement="steering held", holds=held_rad <= STEER_HELD_RAD,
            margin=STEER_HELD_RAD - held_rad, text=f"within {held_rad:.4f} rad",
            measured=held_rad,
        )  # fmt: skip


def invariants(record: Record) -> Iterator[Finding]:
    """What holds in every cell."""
    seen = signals(record, record.drives_s)
    way_m = [way for way in seen["way"] if not math.isnan(way)]
    most_m, back_m = -math.inf, 0.0
    for way in way_m:
        most_m = max(most_m, way)
        back_m = max(back_m, most_m - way)
    yield Finding(
        requirement="no rollback", holds=back_m <= ROLLBACK_M, margin=ROLLBACK_M - back_m,
        text=f"{back_m:.3f} m", measured=back_m,
    )  # fmt: skip
    wrong = [why for why in map(_wrong, (seen.data for seen in record.commands)) if why]
    yield Finding(
        requirement="every packet finite and in range", holds=not wrong,
        text=f"{len(record.commands)} packets" + (f": {wrong[0]}" if wrong else ""),
    )  # fmt: skip


def _wrong(datagram: bytes) -> str:
    packet = vds1.decode(datagram)
    if not isinstance(packet, vds1.Packet):
        return str(packet)
    body = packet.body
    assert isinstance(body, vds1.Command)
    numbers = (body.steering_tire_angle_rad, body.throttle, body.brake)
    if not all(math.isfinite(number) for number in numbers):
        return f"{body}"
    inside = 0.0 <= body.throttle <= 1.0 and 0.0 <= body.brake <= 1.0
    return "" if inside and abs(numbers[0]) <= math.pi / 2 else f"{body}"


def _without_stamp(datagram: bytes) -> bytes:
    """What a CMD commands, with its number: a clock fault of the link changes stamp and CRC."""
    return datagram[: _STAMP.start] + datagram[_STAMP.stop : _CRC]


def applied_was_sent(applied: Collection[bytes], sent: Collection[bytes]) -> Finding:
    """No packet drove the car that the interface did not send."""
    foreign = len({_without_stamp(data) for data in applied} - {_without_stamp(d) for d in sent})
    return Finding(
        requirement="no packet applied that was not sent", holds=not foreign,
        text=f"{len(applied)} applied, {foreign} not of the interface", measured=float(foreign),
    )  # fmt: skip


def reason_given(pattern: str, said: str) -> Finding:
    """A notice, a diagnostic or a log line names the reason."""
    found = re.search(pattern, said, re.IGNORECASE)
    if found is None:
        return Finding("reason given", False, f"nothing matches {pattern!r}")
    line = next((line for line in said.splitlines() if found.group() in line), found.group())
    return Finding("reason given", True, line.strip()[:120])


def autonomy_ended(expected: bool | None, ended: bool) -> Iterator[Finding]:
    """Autonomy ends where it must, and only there."""
    if expected is not None:
        text = "ended" if ended else "did not end"
        yield Finding("autonomy ends" if expected else "autonomy stays", ended is expected, text)


def speed_of(datagram: bytes) -> float:
    """The speed in a STATE [m/s]; NaN in what is none."""
    packet = vds1.decode(datagram)
    if not isinstance(packet, vds1.Packet) or not isinstance(packet.body, vds1.State):
        return math.nan
    return packet.body.vx_mps


def first_s(values: Sequence[float], holds: Callable[[float], bool]) -> float:
    """From the first sample until one of which something holds; inf: none."""
    for n, value in enumerate(values):
        if holds(value):
            return n * PERIOD_S
    return math.inf


def _judged(requirement: str, formula: Formula, seen: Signals, text: str) -> Finding:
    margin = formula.margin(seen, PERIOD_S)
    return Finding(requirement, margin >= 0.0, f"{text}, margin {margin:.3f}", margin)
