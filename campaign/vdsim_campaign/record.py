"""What a trial has recorded, as signals for the monitors. No I/O.

The plant's own STATE is the truth: speed, pedals and wheel angle in effect. `sent` is what the
interface put on the wire.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from vdsim_campaign.stl import Signals, sampled
from vdsim_campaign.wire_tap import Seen
from vdsim_protocol import vds1

PERIOD_S = 0.005


@dataclass(frozen=True, kw_only=True)
class Record:
    """One trial. Times are of the monotonic clock."""

    begin_s: float
    """When the fault began."""
    cleared_s: float
    """When it was over."""
    drives_s: float
    """When the car drove again."""
    states: Sequence[Seen]
    """STATE as the plant sent it, from shortly before the fault."""
    commands: Sequence[Seen]
    """CMD as the interface sent it, from the start of the session."""

    @property
    def lasted_s(self) -> float:
        """How long the fault lasted."""
        return self.cleared_s - self.begin_s


def signals(record: Record, end_s: float) -> Signals:
    """The signals from the begin of the fault to a time, one sample every PERIOD_S."""
    times, rows = _decoded(record.states)
    count = max(1, int((end_s - record.begin_s) / PERIOD_S) + 1)

    def column(n: int) -> list[float]:
        return sampled(times, [row[n] for row in rows], record.begin_s, count, PERIOD_S)

    return {
        "speed": column(0),
        "throttle": column(1),
        "brake": column(2),
        "steer": column(3),
        "way": column(4),
    }


def _decoded(seen: Sequence[Seen]) -> tuple[list[float], list[tuple[float, ...]]]:
    """Speed, throttle, brake, wheel angle, and the way along the path [m]."""
    times: list[float] = []
    rows: list[tuple[float, ...]] = []
    way_m, last_stamp_s = 0.0, math.nan
    for time_s, data in seen:
        packet = vds1.decode(data)
        if not isinstance(packet, vds1.Packet) or not isinstance(packet.body, vds1.State):
            continue
        state, stamp_s = packet.body, packet.header.timestamp_s
        step_s = stamp_s - last_stamp_s
        if 0.0 < step_s < 1.0:
            way_m += state.vx_mps * step_s
        last_stamp_s = stamp_s
        times.append(time_s)
        rows.append(
            (
                state.vx_mps,
                state.throttle_applied,
                state.brake_applied,
                state.steering_tire_angle_applied_rad,
                way_m,
            )
        )
    return times, rows
