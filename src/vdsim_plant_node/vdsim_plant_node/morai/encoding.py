"""The scene -> the simulator's messages, in its units: km/h, degrees, metres."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from vdsim_plant.motion import VehicleMotion, Wheels
from vdsim_plant.parameters import VehicleParameters

from vdsim_plant_node.morai.driver import Driver
from vdsim_plant_node.morai.shapes import Thing
from vdsim_protocol import morai

MPS_TO_KPH = 3.6
MAP_DATA_ID = 1
CAR_HEIGHT_M = 1.6
Description = TypeVar("Description", morai.ObjectRecord, morai.NpcHalf)


def ego_status(
    motion: VehicleMotion,
    vehicle: VehicleParameters,
    driver: Driver,
    stiffness_nprad: Wheels,
    time_s: float,
) -> morai.EgoVehicleStatus:
    """Ego Vehicle Status with the fields of every generation; components along the body.

    The slip angle has the tyre's sign: a positive one gives a negative side force. The emulator has
    no lanes: their distances are 0, since clients refuse a status with NaN.
    """
    body = vehicle.body
    rear = body.length_m - body.front_overhang_m - body.wheelbase_m
    seconds, nanoseconds = stamp(time_s)
    return morai.EgoVehicleStatus(
        ctrl_mode=driver.ctrl_mode,
        gear=driver.gear,
        signed_velocity_kph=motion.vx_mps * MPS_TO_KPH,
        map_data_id=MAP_DATA_ID,
        accel=motion.throttle_applied,
        brake=motion.brake_applied,
        size_x_m=body.length_m,
        size_y_m=body.width_m,
        size_z_m=CAR_HEIGHT_M,
        overhang_m=body.front_overhang_m,
        wheelbase_m=body.wheelbase_m,
        rear_overhang_m=rear,
        pos_x_m=motion.x_m,
        pos_y_m=motion.y_m,
        pos_z_m=motion.z_m,
        roll_deg=math.degrees(motion.roll_rad),
        pitch_deg=math.degrees(motion.pitch_rad),
        heading_deg=math.degrees(motion.yaw_rad),
        velocity_x_kph=motion.vx_mps * MPS_TO_KPH,
        velocity_y_kph=motion.vy_mps * MPS_TO_KPH,
        velocity_z_kph=motion.vz_mps * MPS_TO_KPH,
        accel_x_mps2=motion.ax_mps2,
        accel_y_mps2=motion.ay_mps2,
        accel_z_mps2=0.0,
        steer_deg=driver.reported_sign * math.degrees(motion.steer_applied_rad),
        sec=seconds,
        nsec=nanoseconds,
        angular_velocity_x_degps=math.degrees(motion.roll_rate_radps),
        angular_velocity_y_degps=math.degrees(motion.pitch_rate_radps),
        angular_velocity_z_degps=math.degrees(motion.yaw_rate_radps),
        tire_lateral_force_n=motion.tire_fy_n,
        side_slip_angle_deg=_each(math.degrees, motion.slip_angle_rad),
        tire_cornering_stiffness_npdeg=_each(math.radians, stiffness_nprad),
        rear_steer_deg=0.0,
        lane_left_m=0.0,
        lane_right_m=0.0,
        cross_track_error_m=0.0,
    )


def _each(convert: Callable[[float], float], values: Wheels) -> Wheels:
    first, second, third, fourth = map(convert, values)
    return first, second, third, fourth


def competition_status(status: morai.EgoVehicleStatus) -> morai.EgoVehicleStatus:
    """Competition Vehicle Status: what a captured one withholds is 0.

    These are the position, the velocity across and upwards, and the acceleration.
    """
    return replace(
        status,
        pos_x_m=0.0,
        pos_y_m=0.0,
        pos_z_m=0.0,
        velocity_y_kph=0.0,
        velocity_z_kph=0.0,
        accel_x_mps2=0.0,
        accel_y_mps2=0.0,
        accel_z_mps2=0.0,
    )


def object_info(things: Iterable[Thing], time_s: float) -> morai.ObjectInfo:
    """Object Info; size x is the width and size y the length, as the simulator's page has it."""
    records = tuple(_described(morai.ObjectRecord, thing) for thing in things)
    return morai.ObjectInfo(records, *stamp(time_s))


def stamp(time_s: float) -> tuple[int, int]:
    """Seconds and nanoseconds."""
    seconds, nanoseconds = divmod(round(time_s * 1e9), 1_000_000_000)
    return seconds, nanoseconds


def collision(ego: Thing, hit: Thing) -> morai.CollisionRecord:
    """One collision; the position relative to the ego vehicle is along its axes."""
    dx, dy = hit.x_m - ego.x_m, hit.y_m - ego.y_m
    cos, sin = math.cos(ego.yaw_rad), math.sin(ego.yaw_rad)
    return morai.CollisionRecord(
        object_type=hit.object_type,
        object_id=hit.object_id,
        pos_x_m=cos * dx + sin * dy,
        pos_y_m=-sin * dx + cos * dy,
        global_offset_x_m=hit.x_m,
        global_offset_y_m=hit.y_m,
    )


def npc_collision(first: Thing, second: Thing) -> morai.NpcCollisionRecord:
    """One collision of two NPC vehicles."""
    halves = _described(morai.NpcHalf, first), _described(morai.NpcHalf, second)
    return morai.NpcCollisionRecord(halves)


def _described(kind: type[Description], thing: Thing) -> Description:
    """Fill the fields that both records describe a thing by."""
    return kind(
        object_type=thing.object_type,
        object_id=thing.object_id,
        pos_x_m=thing.x_m,
        pos_y_m=thing.y_m,
        heading_deg=math.degrees(thing.yaw_rad),
        size_x_m=thing.width_m,
        size_y_m=thing.length_m,
        size_z_m=thing.height_m,
        velocity_x_kph=thing.speed_mps * MPS_TO_KPH,
        accel_y_mps2=thing.lateral_accel_mps2,
    )
