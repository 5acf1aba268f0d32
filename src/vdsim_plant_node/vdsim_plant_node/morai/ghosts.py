"""The ghost modes: vehicles that are put at poses by messages, in place of being driven."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from vdsim_plant_node.morai import actors
from vdsim_plant_node.morai.driver import SILENCE_S
from vdsim_plant_node.morai.shapes import Thing
from vdsim_protocol import morai

FIRST_NPC_ID = 200
"""NPC ghosts are the objects from this number on, so that they are not taken for the traffic."""


@dataclass(frozen=True)
class EgoGhost:
    """The latest pose of the ego vehicle, as its status shows it, and when it came."""

    order: morai.EgoGhostCmd
    received_s: float

    def holds(self, now: float) -> bool:
        """Whether poses still come, so that an Ego Ctrl Cmd does not end them."""
        return now - self.received_s <= SILENCE_S

    def shown(self, status: morai.EgoVehicleStatus) -> morai.EgoVehicleStatus:
        """The status of a vehicle that stands where it was put, with the speed that was given."""
        order = self.order
        return replace(
            status,
            pos_z_m=order.pos_z_m,
            roll_deg=order.roll_deg,
            pitch_deg=order.pitch_deg,
            signed_velocity_kph=order.velocity_kph,
            velocity_x_kph=order.velocity_kph,
            steer_deg=order.steer_deg,
        )


def npc_ghosts(order: morai.NpcGhostCmd) -> tuple[Thing, ...]:
    """The vehicles of a command, as objects."""
    return tuple(
        Thing(
            object_id=FIRST_NPC_ID + record.unique_id,
            object_type=morai.ObjectType.VEHICLE,
            x_m=record.pos_x_m,
            y_m=record.pos_y_m,
            yaw_rad=math.radians(record.yaw_deg),
            **actors.CAR,
        )
        for record in order.present
    )
