"""The simulator's releases: the layout of every message, the sign of the steering, the limits.

What no public source states for a release is marked `inferred`, with what it follows from; nothing
is made up. The layout of a message that is not named has never been seen to change.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vdsim_protocol.morai.catalogue import MESSAGES
from vdsim_protocol.morai.messages import CollisionData, EgoCtrlCmd, EgoVehicleStatus, ObjectInfo
from vdsim_protocol.morai.sensor_tables import ImuData

STEERING, VELOCITY_LIMITS = "steering", "velocity limits"
"""Names in `Release.inferred`, beside the titles of messages."""


@dataclass(frozen=True)
class Release:
    """One release. `generations`: by table; `inferred`: what no public source states, and why."""

    name: str
    generations: Mapping[type, int]
    steer_positive: str
    """Side of a positive Steering CMD and of the reported wheel angle: left or right."""
    accel_most_mps2: float
    """Of CmdType 2, velocity; infinite: not limited."""
    decel_most_mps2: float
    inferred: Mapping[str, str]

    def generation(self, table: type) -> int:
        """The generation of a message in this release."""
        return self.generations.get(table, 1)


_BEFORE = "the limit is documented from 23.R1 on"
_EXAMPLE_SIGN = "the official UDP example; public measurements disagree, so check it"
_LATER = "as in 24.R2; no later change is public"

_RELEASES = (
    Release(
        name="21",
        generations={},
        steer_positive="left",
        accel_most_mps2=math.inf,
        decel_most_mps2=math.inf,
        inferred={
            STEERING: "the manual gives the range, not the side",
            VELOCITY_LIMITS: _BEFORE,
            "IMU": "the layout of 24.R2",
        },
    ),
    Release(
        name="22.R2",
        generations={EgoVehicleStatus: 2},
        steer_positive="right",
        accel_most_mps2=math.inf,
        decel_most_mps2=math.inf,
        inferred={
            "Ego Vehicle Status": "the official example of that time; the manual says 94",
            STEERING: _EXAMPLE_SIGN,
            VELOCITY_LIMITS: _BEFORE,
            "IMU": "the layout of 24.R2",
        },
    ),
    Release(
        name="23.R1",
        generations={EgoVehicleStatus: 3, ObjectInfo: 3, CollisionData: 2},
        steer_positive="right",
        accel_most_mps2=1.0,
        decel_most_mps2=2.0,
        inferred={
            "Object Info": "as in 24.R2; the official example of 2023 reads records of 68 bytes",
            "Collision Data": "as in 24.R2",
            STEERING: _EXAMPLE_SIGN,
        },
    ),
    Release(
        name="24.R2",
        generations={EgoVehicleStatus: 4, ObjectInfo: 3, CollisionData: 2, ImuData: 2},
        steer_positive="right",
        accel_most_mps2=1.0,
        decel_most_mps2=2.0,
        inferred={
            STEERING: _EXAMPLE_SIGN,
            "IMU": "the official client reads a time stamp; the manual has 107 bytes without it",
        },
    ),
    Release(
        name="25.S4",
        generations={EgoVehicleStatus: 4, ObjectInfo: 3, CollisionData: 2, ImuData: 2},
        steer_positive="left",
        accel_most_mps2=1.0,
        decel_most_mps2=2.0,
        inferred={
            "Ego Vehicle Status": "as in 24.R2; its competition used 181 and 229 bytes",
            "Object Info": "as in 24.R2",
            "Collision Data": "as in 24.R2",
            STEERING: "a public stack of that competition changed from right to left",
            VELOCITY_LIMITS: "as in 24.R2",
            "IMU": "as in 24.R2",
        },
    ),
    Release(
        name="26.R1",
        generations={
            EgoCtrlCmd: 2,
            EgoVehicleStatus: 5,
            ObjectInfo: 3,
            CollisionData: 2,
        },
        steer_positive="right",
        accel_most_mps2=1.0,
        decel_most_mps2=2.0,
        inferred={
            "Object Info": _LATER,
            STEERING: _EXAMPLE_SIGN,
            VELOCITY_LIMITS: _LATER,
            "IMU": "a public program that cites the manual reads 107; the manual was not seen",
        },
    ),
)
RELEASES: Mapping[str, Release] = {release.name: release for release in _RELEASES}
"""Every release by name, the oldest first."""


def release_rows() -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Heading and rows of the table of releases, for people: what differs, and the marks."""
    rows: list[tuple[str, ...]] = []
    for message in MESSAGES:
        totals = [message.sizes[r.generation(message.table)][1] for r in _RELEASES]
        if len(set(totals)) > 1:
            rows.append((f"{message.title}, bytes", *_cells(message.title, totals)))
    rows.append(("positive steering", *_cells(STEERING, [r.steer_positive for r in _RELEASES])))
    rows.append(("CmdType 2, m/s^2", *_cells(VELOCITY_LIMITS, map(_limits, _RELEASES))))
    return ("", *(release.name for release in _RELEASES)), rows


def _limits(release: Release) -> str:
    if math.isinf(release.accel_most_mps2):
        return "no limit"
    return f"-{release.decel_most_mps2:g} to +{release.accel_most_mps2:g}"


def _cells(item: str, values: Iterable[object]) -> list[str]:
    marks = [" inferred" if item in release.inferred else "" for release in _RELEASES]
    return [f"{value}{mark}" for value, mark in zip(values, marks, strict=True)]


def release_text() -> str:
    """The table of releases as plain text, for --help."""
    head, rows = release_rows()
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (head, *rows)
    ]
    return "\n".join(lines)
