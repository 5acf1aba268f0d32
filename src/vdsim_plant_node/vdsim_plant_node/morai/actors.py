"""The scripted traffic: where everybody is at a time of the scene [s]. Frame ENU."""

from __future__ import annotations

import math

from vdsim_plant_node.morai.shapes import Thing
from vdsim_protocol import morai

CAR = {"length_m": 4.6, "width_m": 1.9, "height_m": 1.6}
PERSON = {"length_m": 0.5, "width_m": 0.5, "height_m": 1.75}
BOX = {"length_m": 2.0, "width_m": 2.0, "height_m": 2.0}
FIRST_BOX_ID = 100
CIRCLE_MIDDLE_M, CIRCLE_RADIUS_M, CIRCLE_SPEED_MPS = (0.0, 60.0), 30.0, 8.0
LANE_Y_M, LANE_M, LANE_SPEED_MPS, PARKED_X_M = -20.0, (20.0, 80.0), 6.0, 50.0
CROSSING_X_M, CROSSING_M, WALK_MPS = 40.0, (6.0, 14.0), 1.4


def vehicles(time_s: float) -> tuple[Thing, ...]:
    """One on a circle, one up and down a lane, and one parked in that lane, which it runs into."""
    angle = CIRCLE_SPEED_MPS / CIRCLE_RADIUS_M * time_s
    circling = Thing(
        object_id=1,
        object_type=morai.ObjectType.VEHICLE,
        x_m=CIRCLE_MIDDLE_M[0] + CIRCLE_RADIUS_M * math.cos(angle),
        y_m=CIRCLE_MIDDLE_M[1] + CIRCLE_RADIUS_M * math.sin(angle),
        yaw_rad=angle + math.pi / 2.0,
        **CAR,
        speed_mps=CIRCLE_SPEED_MPS,
        lateral_accel_mps2=CIRCLE_SPEED_MPS**2 / CIRCLE_RADIUS_M,
    )
    x, way = _to_and_fro(LANE_M, LANE_SPEED_MPS * time_s)
    yaw = 0.0 if way > 0 else math.pi
    kind = morai.ObjectType.VEHICLE
    shuttle = Thing(
        object_id=2,
        object_type=kind,
        x_m=x,
        y_m=LANE_Y_M,
        yaw_rad=yaw,
        speed_mps=LANE_SPEED_MPS,
        **CAR,
    )
    parked = Thing(object_id=3, object_type=kind, x_m=PARKED_X_M, y_m=LANE_Y_M, yaw_rad=0.0, **CAR)
    return circling, shuttle, parked


def pedestrians(time_s: float) -> tuple[Thing, ...]:
    """One who crosses a street, and comes back."""
    y, way = _to_and_fro(CROSSING_M, WALK_MPS * time_s)
    yaw = math.copysign(math.pi / 2.0, way)
    walker = Thing(
        object_id=4,
        object_type=morai.ObjectType.PEDESTRIAN,
        x_m=CROSSING_X_M,
        y_m=y,
        yaw_rad=yaw,
        speed_mps=WALK_MPS,
        **PERSON,
    )
    return (walker,)


def static_boxes(middles: tuple[tuple[float, float], ...]) -> tuple[Thing, ...]:
    """Boxes at places."""
    return tuple(
        Thing(
            object_id=FIRST_BOX_ID + index,
            object_type=morai.ObjectType.STATIC,
            x_m=x,
            y_m=y,
            yaw_rad=0.0,
            **BOX,
        )
        for index, (x, y) in enumerate(middles)
    )


def _to_and_fro(between: tuple[float, float], way_m: float) -> tuple[float, int]:
    """A place on a line that is walked up and down, and the direction there."""
    length = between[1] - between[0]
    along = way_m % (2.0 * length)
    if along < length:
        return between[0] + along, 1
    return between[1] - (along - length), -1
