"""The simulator's messages <-> ROS messages: km/h and degrees become m/s and rad."""

from __future__ import annotations

import math
from typing import TypeAlias

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Quaternion, Twist, TwistStamped, Vector3
from sensor_msgs.msg import Imu, NavSatFix, NavSatStatus
from std_msgs.msg import Header
from vdsim_protocol.morai.messages import NpcHalf

from vdsim_interface.extras.morai.report import KPH_TO_MPS, normalised_rad
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
    MoraiSetEgoGhost,
    MoraiSetEgos,
    MoraiSetIntersection,
    MoraiSetLamps,
    MoraiSetNpcGhosts,
    MoraiSetTrafficLight,
)
from vdsim_protocol import morai

MoraiMessage: TypeAlias = (
    MoraiObjects
    | MoraiCollisions
    | MoraiNpcCollisions
    | MoraiTrafficLight
    | MoraiIntersection
    | Imu
    | NavSatFix
    | TwistStamped
)
_Object: TypeAlias = morai.ObjectRecord | NpcHalf

# ---- from the simulator -------------------------------------------------------------------------


def objects_message(info: morai.ObjectInfo, stamp: Time, frame: str) -> MoraiObjects:
    """Convert Object Info without its unused records."""
    return MoraiObjects(
        header=Header(stamp=stamp, frame_id=frame),
        time=_simulator_time(info),
        objects=[_object(record) for record in info.present],
    )


def _simulator_time(message: morai.ObjectInfo | morai.CollisionData) -> Time:
    """Convert the simulator's time stamp; zero for one that a message cannot hold."""
    if not (0 <= message.sec < 2**31 and 0 <= message.nsec < 10**9):
        return Time()
    return Time(sec=message.sec, nanosec=message.nsec)


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
        link_id=getattr(record, "link_id", ""),
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
    return MoraiCollisions(
        header=Header(stamp=stamp, frame_id=frame),
        time=_simulator_time(data),
        collisions=collisions,
    )


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


def imu_message(data: morai.ImuData, stamp: Time, frame: str) -> Imu:
    """Convert the IMU; the covariances are not known, which is 0."""
    quaternion = data.orientation_x, data.orientation_y, data.orientation_z, data.orientation_w
    length = math.hypot(*quaternion)
    message = Imu(header=Header(stamp=stamp, frame_id=frame))
    if length > 0.0:
        x, y, z, w = (value / length for value in quaternion)
        message.orientation = Quaternion(x=x, y=y, z=z, w=w)
    else:
        message.orientation_covariance[0] = -1.0  # no orientation
    message.angular_velocity = Vector3(
        x=data.angular_velocity_x_radps,
        y=data.angular_velocity_y_radps,
        z=data.angular_velocity_z_radps,
    )
    message.linear_acceleration = Vector3(
        x=data.accel_x_mps2, y=data.accel_y_mps2, z=data.accel_z_mps2
    )
    return message


def gps_message(fix: morai.Gga, stamp: Time, frame: str) -> NavSatFix:
    """Convert GGA, the sentence with the height and the quality of the fix."""
    status = NavSatStatus.STATUS_FIX if fix.quality else NavSatStatus.STATUS_NO_FIX
    return NavSatFix(
        header=Header(stamp=stamp, frame_id=frame),
        status=NavSatStatus(status=status, service=NavSatStatus.SERVICE_GPS),
        latitude=fix.latitude_deg,
        longitude=fix.longitude_deg,
        altitude=fix.altitude_m,
    )


def gps_velocity_message(rmc: morai.Rmc, stamp: Time, frame: str) -> TwistStamped:
    """Convert RMC: the velocity over ground, ENU; NaN without a fix."""
    speed = rmc.speed_mps if rmc.valid else math.nan
    course = math.radians(rmc.course_deg)
    velocity = Vector3(x=speed * math.sin(course), y=speed * math.cos(course))
    return TwistStamped(header=Header(stamp=stamp, frame_id=frame), twist=Twist(linear=velocity))


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


def set_ego_ghost(request: MoraiSetEgoGhost.Request, steer_sign: float = 1.0) -> morai.EgoGhostCmd:
    """Convert to Ego Ghost Cmd; the sign of the steering depends on the release."""
    return morai.EgoGhostCmd(
        pos_x_m=request.x_m,
        pos_y_m=request.y_m,
        pos_z_m=request.z_m,
        roll_deg=math.degrees(request.roll_rad),
        pitch_deg=math.degrees(request.pitch_rad),
        yaw_deg=math.degrees(request.yaw_rad),
        velocity_kph=request.speed_mps / KPH_TO_MPS,
        steer_deg=steer_sign * math.degrees(request.front_wheel_angle_rad),
    )


def set_npc_ghosts(request: MoraiSetNpcGhosts.Request) -> morai.NpcGhostCmd:
    """Convert to NPC Ghost Cmd."""
    records = tuple(
        morai.NpcGhostRecord(
            unique_id=ghost.id,
            car_name=ghost.car_name,
            pos_x_m=ghost.x_m,
            pos_y_m=ghost.y_m,
            pos_z_m=ghost.z_m,
            roll_deg=math.degrees(ghost.roll_rad),
            pitch_deg=math.degrees(ghost.pitch_rad),
            yaw_deg=math.degrees(ghost.yaw_rad),
        )
        for ghost in request.ghosts
    )
    return morai.NpcGhostCmd(records)
