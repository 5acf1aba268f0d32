"""The scripted traffic: where everybody is at a time of the scene [s]. Frame ENU."""

from __future__ import annotations

import math

from vdsim_plant_node.morai.shapes import Thing
from vdsim_protocol import morai

CAR = (4.6, 1.9, 1.6)
PERSON = (0.5, 0.5, 1.75)
BOX = (2.0, 2.0, 2.0)
FIRST_BOX_ID = 100
CIRCLE_MIDDLE_M, CIRCLE_RADIUS_M, CIRCLE_SPEED_MPS = (0.0, 60.0), 30.0, 8.0
LANE_Y_M, LANE_M, LANE_SPEED_MPS, PARKED_X_M = -20.0, (20.0, 80.0), 6.0, 50.0
CROSSING_X_M, CROSSING_M, WALK_MPS = 40.0, (6.0, 14.0), 1.4


def vehicles(time_s: float) -> tuple[Thing, ...]:
    """One on a circle, one up and down a lane, and one parked in that lane, which it runs into."""
    angle = CIRCLE_SPEED_MPS / CIRCLE_RADIUS_M * time_s
    circling = Thing(
        1,
        morai.ObjectType.VEHICLE,
        CIRCLE_MIDDLE_M[0] + CIRCLE_RADIUS_M * math.cos(angle),
        CIRCLE_MIDDLE_M[1] + CIRCLE_RADIUS_M * math.sin(angle),
        angle + math.pi / 2.0,
        *CAR,
        speed_mps=CIRCLE_SPEED_MPS,
        lateral_accel_mps2=CIRCLE_SPEED_MPS**2 / CIRCLE_RADIUS_M,
    )
    x, way = _to_and_fro(LANE_M, LANE_SPEED_MPS * time_s)
    yaw = 0.0 if way > 0 else math.pi
    kind = morai.ObjectType.VEHICLE
    shuttle = Thing(2, kind, x, LANE_Y_M, yaw, *CAR, speed_mps=LANE_SPEED_MPS)
    return circling, shuttle, Thing(3, kind, PARKED_X_M, LANE_Y_M, 0.0, *CAR)


def pedestrians(time_s: float) -> tuple[Thing, ...]:
    """One who crosses a street, and comes back."""
    y, way = _to_and_fro(CROSSING_M, WALK_MPS * time_s)
    yaw = math.copysign(math.pi / 2.0, way)
    kind = morai.ObjectType.PEDESTRIAN
    return (Thing(4, kind, CROSSING_X_M, y, yaw, *PERSON, speed_mps=WALK_MPS),)


def static_boxes(middles: tuple[tuple[float, float], ...]) -> tuple[Thing, ...]:
    """Boxes at places."""
    kind = morai.ObjectType.STATIC
    return tuple(
        Thing(FIRST_BOX_ID + index, kind, x, y, 0.0, *BOX) for index, (x, y) in enumerate(middles)
    )


def _to_and_fro(between: tuple[float, float], way_m: float) -> tuple[float, int]:
    """A place on a line that is walked up and down, and the direction there."""
    length = between[1] - between[0]
    along = way_m % (2.0 * length)
    if along < length:
        return between[0] + along, 1
    return between[1] - (along - length), -1
