"""The simulator's messages <-> ROS messages: km/h and degrees become m/s and rad."""

from __future__ import annotations

import math
from typing import TypeAlias

from builtin_interfaces.msg import Time
from std_msgs.msg import Header
from vdsim_protocol.morai.messages import NpcHalf

from vdsim_interface.platforms.morai.report import KPH_TO_MPS, normalised_rad
from vdsim_msgs.msg import (
    MoraiCollision,
    MoraiCollisions,
    MoraiEgo,
    MoraiIntersection,
    MoraiNpcCollision,
    MoraiNpcCollisions,
    MoraiObject,
    MoraiObjects,
    MoraiTrafficLight,
)
from vdsim_msgs.srv import (
    MoraiLoadScenario,
    MoraiMoveSensor,
    MoraiSaveSensorData,
    MoraiSetEgos,
    MoraiSetIntersection,
    MoraiSetLamps,
    MoraiSetTrafficLight,
)
from vdsim_protocol import morai

MoraiMessage: TypeAlias = (
    MoraiObjects | MoraiCollisions | MoraiNpcCollisions | MoraiTrafficLight | MoraiIntersection
)
_Object: TypeAlias = morai.ObjectRecord | NpcHalf

# ---- from the simulator -------------------------------------------------------------------------


def objects_message(info: morai.ObjectInfo, stamp: Time, frame: str) -> MoraiObjects:
    """Convert Object Info without its unused records."""
    header = Header(stamp=stamp, frame_id=frame)
    return MoraiObjects(header=header, objects=[_object(record) for record in info.present])


def _object(record: _Object) -> MoraiObject:
    """Convert an object, or one of the two in an NPC collision, which has no axle data."""
    return MoraiObject(
        object_id=record.object_id,
        object_type=int(record.object_type),
        x_m=record.pos_x_m,
        y_m=record.pos_y_m,
        z_m=record.pos_z_m,
        yaw_rad=normalised_rad(record.heading_deg),
        size_x_m=record.size_x_m,
        size_y_m=record.size_y_m,
        size_z_m=record.size_z_m,
        overhang_m=getattr(record, "overhang_m", math.nan),
        wheelbase_m=getattr(record, "wheelbase_m", math.nan),
        rear_overhang_m=getattr(record, "rear_overhang_m", math.nan),
        vx_mps=record.velocity_x_kph * KPH_TO_MPS,
        vy_mps=record.velocity_y_kph * KPH_TO_MPS,
        vz_mps=record.velocity_z_kph * KPH_TO_MPS,
        ax_mps2=record.accel_x_mps2,
        ay_mps2=record.accel_y_mps2,
        az_mps2=record.accel_z_mps2,
    )


def collisions_message(data: morai.CollisionData, stamp: Time, frame: str) -> MoraiCollisions:
    """Convert Collision Data without its unused records."""
    collisions = [
        MoraiCollision(
            object_type=int(record.object_type),
            object_id=record.object_id,
            relative_x_m=record.pos_x_m,
            relative_y_m=record.pos_y_m,
            relative_z_m=record.pos_z_m,
            x_m=record.global_offset_x_m,
            y_m=record.global_offset_y_m,
            z_m=record.global_offset_z_m,
        )
        for record in data.collisions
        if record != morai.CollisionRecord()
    ]
    return MoraiCollisions(header=Header(stamp=stamp, frame_id=frame), collisions=collisions)


def npc_collisions_message(data: morai.NpcCollision, stamp: Time, frame: str) -> MoraiNpcCollisions:
    """Convert NPC Vehicle Collision Data without its unused records."""
    collisions = [
        MoraiNpcCollision(first=_object(record.pair[0]), second=_object(record.pair[1]))
        for record in data.collisions
        if record != morai.NpcCollisionRecord()
    ]
    return MoraiNpcCollisions(header=Header(stamp=stamp, frame_id=frame), collisions=collisions)


def traffic_light_message(
    light: morai.TrafficLightStatus, stamp: Time, frame: str
) -> MoraiTrafficLight:
    """Convert Get TrafficLight Status."""
    return MoraiTrafficLight(
        stamp=stamp, index=light.index, light_type=light.light_type, lamps=int(light.lamps)
    )


def intersection_message(
    status: morai.IntersectionStatus, stamp: Time, frame: str
) -> MoraiIntersection:
    """Convert Get Intersection Status."""
    return MoraiIntersection(
        stamp=stamp, index=status.index, status=status.status, time_s=status.time_s
    )


# ---- to the simulator ---------------------------------------------------------------------------


def set_traffic_light(request: MoraiSetTrafficLight.Request) -> morai.SetTrafficLight:
    """Convert to Set TrafficLight Ctrl."""
    return morai.SetTrafficLight(request.index, request.lamps)


def set_intersection(request: MoraiSetIntersection.Request) -> morai.SetIntersection:
    """Convert to Set Intersection Status."""
    return morai.SetIntersection(request.index, request.status, request.time_s)


def set_egos(request: MoraiSetEgos.Request, auto_mode: int) -> morai.MultiEgoSetting:
    """Convert to Multi Ego Setting; the number of the automatic mode depends on the version."""
    egos = tuple(_ego(ego, auto_mode) for ego in request.egos)
    return morai.MultiEgoSetting(len(egos), request.camera_index, egos)


def _ego(ego: MoraiEgo, auto_mode: int) -> morai.EgoRecord:
    return morai.EgoRecord(
        ego_index=ego.index,
        pos_x_m=ego.x_m,
        pos_y_m=ego.y_m,
        pos_z_m=ego.z_m,
        roll_deg=math.degrees(ego.roll_rad),
        pitch_deg=math.degrees(ego.pitch_rad),
        heading_deg=math.degrees(ego.yaw_rad),
        velocity_kph=ego.speed_mps / KPH_TO_MPS,
        gear=ego.gear,
        ctrl_mode=auto_mode if ego.automatic else morai.MultiEgoCtrlMode.KEYBOARD,
    )


def load_scenario(request: MoraiLoadScenario.Request) -> morai.ScenarioLoad:
    """Convert to Scenario Load."""
    return morai.ScenarioLoad(
        file_name=request.file_name,
        delete_all=request.delete_all,
        load_network=request.load_network,
        load_ego=request.load_ego,
        load_npc=request.load_npc,
        load_pedestrian=request.load_pedestrian,
        load_object=request.load_object,
        set_pause=request.set_pause,
    )


def save_sensor_data(request: MoraiSaveSensorData.Request) -> morai.SaveSensorData:
    """Convert to Save Sensor Data."""
    return morai.SaveSensorData(bool(request.file_name), request.file_name, request.file_dir)


def move_sensor(request: MoraiMoveSensor.Request) -> morai.SensorControl:
    """Convert to Sensor Control."""
    return morai.SensorControl(
        sensor_index=request.sensor_index,
        pos_x_m=request.x_m,
        pos_y_m=request.y_m,
        pos_z_m=request.z_m,
        roll_deg=math.degrees(request.roll_rad),
        pitch_deg=math.degrees(request.pitch_rad),
        heading_deg=math.degrees(request.yaw_rad),
    )


def set_lamps(request: MoraiSetLamps.Request) -> morai.LampControl:
    """Convert to Turn Signal Lamp Control."""
    emergency = morai.EmergencySignal.ON if request.emergency else morai.EmergencySignal.OFF
    return morai.LampControl(request.turn, emergency)
