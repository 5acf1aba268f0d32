"""MORAI tables of the ghost modes: vehicles that are put at poses, not driven.

Poses in the simulator's ENU map frame, angles in degrees. The public example gives no units of the
ego's velocity and steering; those of Ego Vehicle Status are assumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from vdsim_protocol.wire import Wire


@dataclass(frozen=True, slots=True)
class EgoGhostCmd:
    """Puts the ego vehicle at a pose."""

    pos_x_m: Annotated[float, Wire(29, "f", "m", "ENU east")]
    pos_y_m: Annotated[float, Wire(33, "f", "m", "ENU north")]
    pos_z_m: Annotated[float, Wire(37, "f", "m", "ENU up")] = 0.0
    roll_deg: Annotated[float, Wire(41, "f", "deg", "roll")] = 0.0
    pitch_deg: Annotated[float, Wire(45, "f", "deg", "pitch")] = 0.0
    yaw_deg: Annotated[float, Wire(49, "f", "deg", "heading")] = 0.0
    velocity_kph: Annotated[float, Wire(53, "f", "km/h", "shown speed (unit inferred)")] = 0.0
    steer_deg: Annotated[float, Wire(57, "f", "deg", "shown wheel angle (unit inferred)")] = 0.0


@dataclass(frozen=True, slots=True)
class NpcGhostRecord:
    """One NPC vehicle; all zero when the record is unused."""

    SIZE: ClassVar[int] = 50

    unique_id: Annotated[int, Wire(0, "b", meaning="vehicle number")] = 0
    car_name: Annotated[str, Wire(1, "25s", meaning="model of the vehicle")] = ""
    pos_x_m: Annotated[float, Wire(26, "f", "m", "ENU east")] = 0.0
    pos_y_m: Annotated[float, Wire(30, "f", "m", "ENU north")] = 0.0
    pos_z_m: Annotated[float, Wire(34, "f", "m", "ENU up")] = 0.0
    roll_deg: Annotated[float, Wire(38, "f", "deg", "roll")] = 0.0
    pitch_deg: Annotated[float, Wire(42, "f", "deg", "pitch")] = 0.0
    yaw_deg: Annotated[float, Wire(46, "f", "deg", "heading")] = 0.0


@dataclass(frozen=True, slots=True)
class NpcGhostCmd:
    """Puts NPC vehicles at poses."""

    vehicles: Annotated[
        tuple[NpcGhostRecord, ...],
        Wire(29, meaning="NPC vehicles", count=20, record=NpcGhostRecord),
    ]

    @property
    def present(self) -> tuple[NpcGhostRecord, ...]:
        """The records that hold a vehicle."""
        return tuple(record for record in self.vehicles if record != NpcGhostRecord())
