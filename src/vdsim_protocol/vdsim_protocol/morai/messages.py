"""MORAI tables: every message, both directions. Offsets count from the start of the datagram.

Units are the simulator's: km/h, m/s^2, degrees, metres in its ENU map frame. Angles are not
normalised by the simulator. Wheels are in the order FL, FR, RL, RR.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, TypeAlias

from vdsim_protocol.morai.codes import (
    CmdType,
    CtrlMode,
    EmergencySignal,
    Gear,
    MultiEgoCtrlMode,
    ObjectType,
    TrafficLightLamps,
    TurnSignal,
)
from vdsim_protocol.wire import Wire

NAN = math.nan
PerWheel: TypeAlias = tuple[float, float, float, float]
NOT_CARRIED: PerWheel = (NAN, NAN, NAN, NAN)


@dataclass(frozen=True, slots=True)
class EgoCtrlCmd:
    """Drives the ego vehicle."""

    ctrl_mode: Annotated[int, Wire(30, "B", meaning="who drives", codes=CtrlMode)]
    gear: Annotated[int, Wire(31, "B", meaning="gear selector", codes=Gear)]
    cmd_type: Annotated[int, Wire(32, "B", meaning="which fields are used", codes=CmdType)]
    velocity_kph: Annotated[float, Wire(33, "f", "km/h", "when cmd_type is VELOCITY")] = 0.0
    acceleration_mps2: Annotated[float, Wire(37, "f", "m/s^2", "when ACCELERATION")] = 0.0
    accel: Annotated[float, Wire(41, "f", "1", "pedal, when PEDALS", low=0.0, high=1.0)] = 0.0
    brake: Annotated[float, Wire(45, "f", "1", "pedal, when PEDALS", low=0.0, high=1.0)] = 0.0
    steering: Annotated[
        float, Wire(49, "f", "1", "front angle / largest angle", low=-1.0, high=1.0)
    ] = 0.0
    rear_steering: Annotated[
        float, Wire(53, "f", "1", "rear angle / largest angle", since=2, low=-1.0, high=1.0)
    ] = 0.0


@dataclass(frozen=True, slots=True)
class EgoVehicleStatus:
    """State of the ego vehicle. Five generations, distinguished by the data length."""

    ctrl_mode: Annotated[int, Wire(27, "b", meaning="who drives", codes=CtrlMode, moved=((3, 35),))]
    gear: Annotated[int, Wire(28, "b", meaning="gear selector", codes=Gear, moved=((3, 36),))]
    signed_velocity_kph: Annotated[
        float, Wire(29, "f", "km/h", "along the vehicle, - in reverse", moved=((3, 37),))
    ]
    map_data_id: Annotated[int, Wire(33, "i", meaning="map number", moved=((3, 41),))]
    accel: Annotated[float, Wire(37, "f", "1", "pedal, 0 to 1", moved=((3, 45),))]
    brake: Annotated[float, Wire(41, "f", "1", "pedal, 0 to 1", moved=((3, 49),))]
    size_x_m: Annotated[float, Wire(45, "f", "m", "length", moved=((3, 53),))]
    size_y_m: Annotated[float, Wire(49, "f", "m", "width", moved=((3, 57),))]
    size_z_m: Annotated[float, Wire(53, "f", "m", "height", moved=((3, 61),))]
    overhang_m: Annotated[float, Wire(57, "f", "m", "front overhang", moved=((3, 65),))]
    wheelbase_m: Annotated[float, Wire(61, "f", "m", "wheelbase", moved=((3, 69),))]
    rear_overhang_m: Annotated[float, Wire(65, "f", "m", "rear overhang", moved=((3, 73),))]
    pos_x_m: Annotated[float, Wire(69, "f", "m", "ENU east", moved=((3, 77),))]
    pos_y_m: Annotated[float, Wire(73, "f", "m", "ENU north", moved=((3, 81),))]
    pos_z_m: Annotated[float, Wire(77, "f", "m", "ENU up", moved=((3, 85),))]
    roll_deg: Annotated[float, Wire(81, "f", "deg", "not normalised", moved=((3, 89),))]
    pitch_deg: Annotated[float, Wire(85, "f", "deg", "not normalised", moved=((3, 93),))]
    heading_deg: Annotated[float, Wire(89, "f", "deg", "not normalised", moved=((3, 97),))]
    velocity_x_kph: Annotated[float, Wire(93, "f", "km/h", "x component", moved=((3, 101),))]
    velocity_y_kph: Annotated[float, Wire(97, "f", "km/h", "y component", moved=((3, 105),))]
    velocity_z_kph: Annotated[float, Wire(101, "f", "km/h", "z component", moved=((3, 109),))]
    accel_x_mps2: Annotated[float, Wire(105, "f", "m/s^2", "x component", moved=((3, 125),))]
    accel_y_mps2: Annotated[float, Wire(109, "f", "m/s^2", "y component", moved=((3, 129),))]
    accel_z_mps2: Annotated[float, Wire(113, "f", "m/s^2", "z component", moved=((3, 133),))]
    steer_deg: Annotated[float, Wire(117, "f", "deg", "front wheel angle", moved=((3, 137),))]
    link_id: Annotated[
        str, Wire(121, "38s", meaning="road link", since=2, moved=((3, 141), (5, 145)))
    ] = ""
    sec: Annotated[int, Wire(27, "i", "s", "time stamp, seconds", since=3)] = 0
    nsec: Annotated[int, Wire(31, "i", "ns", "time stamp, nanoseconds", since=3)] = 0
    angular_velocity_x_degps: Annotated[float, Wire(113, "f", "deg/s", "roll rate", since=3)] = NAN
    angular_velocity_y_degps: Annotated[float, Wire(117, "f", "deg/s", "pitch rate", since=3)] = NAN
    angular_velocity_z_degps: Annotated[float, Wire(121, "f", "deg/s", "yaw rate", since=3)] = NAN
    tire_lateral_force_n: Annotated[
        PerWheel,
        Wire(179, "f", "N", "lateral", count=4, since=4, may_be_nan=True, moved=((5, 183),)),
    ] = NOT_CARRIED
    side_slip_angle_deg: Annotated[
        PerWheel,
        Wire(195, "f", "deg", "slip angle", count=4, since=4, may_be_nan=True, moved=((5, 199),)),
    ] = NOT_CARRIED
    tire_cornering_stiffness_npdeg: Annotated[
        PerWheel,
        Wire(211, "f", "N/deg", "stiffness", count=4, since=4, may_be_nan=True, moved=((5, 215),)),
    ] = NOT_CARRIED
    rear_steer_deg: Annotated[float, Wire(141, "f", "deg", "rear wheel angle", since=5)] = NAN
    lane_left_m: Annotated[
        float, Wire(231, "f", "m", "to the left lane boundary", since=5, may_be_nan=True)
    ] = NAN
    lane_right_m: Annotated[
        float, Wire(235, "f", "m", "to the right lane boundary", since=5, may_be_nan=True)
    ] = NAN
    cross_track_error_m: Annotated[
        float, Wire(239, "f", "m", "from the lane centre, + = right", since=5, may_be_nan=True)
    ] = NAN


@dataclass(frozen=True, slots=True)
class ObjectRecord:
    """One object near the ego vehicle; all zero when the record is unused."""

    SIZES: ClassVar[Mapping[int, int]] = {1: 68, 3: 106}

    object_id: Annotated[int, Wire(0, "h", meaning="object number")] = 0
    object_type: Annotated[int, Wire(2, "h", meaning="what it is", codes=ObjectType)] = 0
    pos_x_m: Annotated[float, Wire(4, "f", "m", "ENU east")] = 0.0
    pos_y_m: Annotated[float, Wire(8, "f", "m", "ENU north")] = 0.0
    pos_z_m: Annotated[float, Wire(12, "f", "m", "ENU up")] = 0.0
    heading_deg: Annotated[float, Wire(16, "f", "deg", "not normalised")] = 0.0
    size_x_m: Annotated[float, Wire(20, "f", "m", "width")] = 0.0
    size_y_m: Annotated[float, Wire(24, "f", "m", "length")] = 0.0
    size_z_m: Annotated[float, Wire(28, "f", "m", "height")] = 0.0
    overhang_m: Annotated[float, Wire(32, "f", "m", "front overhang")] = 0.0
    wheelbase_m: Annotated[float, Wire(36, "f", "m", "wheelbase")] = 0.0
    rear_overhang_m: Annotated[float, Wire(40, "f", "m", "rear overhang")] = 0.0
    velocity_x_kph: Annotated[float, Wire(44, "f", "km/h", "x component")] = 0.0
    velocity_y_kph: Annotated[float, Wire(48, "f", "km/h", "y component")] = 0.0
    velocity_z_kph: Annotated[float, Wire(52, "f", "km/h", "z component")] = 0.0
    accel_x_mps2: Annotated[float, Wire(56, "f", "m/s^2", "x component")] = 0.0
    accel_y_mps2: Annotated[float, Wire(60, "f", "m/s^2", "y component")] = 0.0
    accel_z_mps2: Annotated[float, Wire(64, "f", "m/s^2", "z component")] = 0.0
    link_id: Annotated[str, Wire(68, "38s", meaning="road link", since=3)] = ""


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """The objects nearest to the ego vehicle."""

    objects: Annotated[
        tuple[ObjectRecord, ...],
        Wire(30, meaning="nearest first", count=20, record=ObjectRecord, moved=((2, 38),)),
    ]
    sec: Annotated[int, Wire(30, "i", "s", "time stamp, seconds", since=2)] = 0
    nsec: Annotated[int, Wire(34, "i", "ns", "time stamp, nanoseconds", since=2)] = 0

    @property
    def present(self) -> tuple[ObjectRecord, ...]:
        """The records that hold an object."""
        return tuple(record for record in self.objects if record != ObjectRecord())


@dataclass(frozen=True, slots=True)
class EgoRecord:
    """Where one ego vehicle is put."""

    SIZE: ClassVar[int] = 32

    ego_index: Annotated[int, Wire(0, "h", meaning="ego vehicle number")] = 0
    pos_x_m: Annotated[float, Wire(2, "f", "m", "ENU east")] = 0.0
    pos_y_m: Annotated[float, Wire(6, "f", "m", "ENU north")] = 0.0
    pos_z_m: Annotated[float, Wire(10, "f", "m", "ENU up")] = 0.0
    roll_deg: Annotated[float, Wire(14, "f", "deg", "roll")] = 0.0
    pitch_deg: Annotated[float, Wire(18, "f", "deg", "pitch")] = 0.0
    heading_deg: Annotated[float, Wire(22, "f", "deg", "heading")] = 0.0
    velocity_kph: Annotated[float, Wire(26, "f", "km/h", "speed")] = 0.0
    gear: Annotated[int, Wire(30, "b", meaning="gear selector", codes=Gear)] = 0
    ctrl_mode: Annotated[int, Wire(31, "b", meaning="who drives", codes=MultiEgoCtrlMode)] = 0


@dataclass(frozen=True, slots=True)
class MultiEgoSetting:
    """Puts several ego vehicles into one scene."""

    num_of_ego: Annotated[int, Wire(33, "i", meaning="records in use", low=0, high=20)]
    camera_index: Annotated[int, Wire(37, "i", meaning="the vehicle that the camera follows")]
    egos: Annotated[
        tuple[EgoRecord, ...],
        Wire(41, meaning="the first num_of_ego are used", count=20, record=EgoRecord),
    ]


@dataclass(frozen=True, slots=True)
class TrafficLightStatus:
    """The most relevant traffic light. Shares its identifier with SetTrafficLight."""

    index: Annotated[str, Wire(30, "12s", meaning="traffic light name")]
    light_type: Annotated[
        int, Wire(42, "h", meaning="0: red, yellow, green; there are other types")
    ]
    lamps: Annotated[int, Wire(44, "h", meaning="what is lit", codes=TrafficLightLamps)]


@dataclass(frozen=True, slots=True)
class SetTrafficLight:
    """Switches a traffic light."""

    index: Annotated[str, Wire(30, "12s", meaning="traffic light name")]
    lamps: Annotated[int, Wire(42, "h", meaning="what to light", codes=TrafficLightLamps)]


@dataclass(frozen=True, slots=True)
class CollisionRecord:
    """One object that the ego vehicle has hit; all zero when the record is unused."""

    SIZE: ClassVar[int] = 28

    object_type: Annotated[int, Wire(0, "h", meaning="what it is", codes=ObjectType)] = 0
    object_id: Annotated[int, Wire(2, "h", meaning="object number")] = 0
    pos_x_m: Annotated[float, Wire(4, "f", "m", "from the ego vehicle, x")] = 0.0
    pos_y_m: Annotated[float, Wire(8, "f", "m", "from the ego vehicle, y")] = 0.0
    pos_z_m: Annotated[float, Wire(12, "f", "m", "from the ego vehicle, z")] = 0.0
    global_offset_x_m: Annotated[float, Wire(16, "f", "m", "in the map frame, x")] = 0.0
    global_offset_y_m: Annotated[float, Wire(20, "f", "m", "in the map frame, y")] = 0.0
    global_offset_z_m: Annotated[float, Wire(24, "f", "m", "in the map frame, z")] = 0.0


@dataclass(frozen=True, slots=True)
class CollisionData:
    """Collisions of the ego vehicle."""

    collisions: Annotated[
        tuple[CollisionRecord, ...],
        Wire(31, meaning="latest collisions", count=5, record=CollisionRecord, moved=((2, 39),)),
    ]
    sec: Annotated[int, Wire(31, "i", "s", "time stamp, seconds", since=2)] = 0
    nsec: Annotated[int, Wire(35, "i", "ns", "time stamp, nanoseconds", since=2)] = 0


@dataclass(frozen=True, slots=True)
class NpcHalf:
    """One of the two vehicles of a collision between NPC vehicles."""

    SIZE: ClassVar[int] = 56

    object_type: Annotated[int, Wire(0, "h", meaning="what it is", codes=ObjectType)] = 0
    object_id: Annotated[int, Wire(2, "h", meaning="object number")] = 0
    pos_x_m: Annotated[float, Wire(4, "f", "m", "ENU east")] = 0.0
    pos_y_m: Annotated[float, Wire(8, "f", "m", "ENU north")] = 0.0
    pos_z_m: Annotated[float, Wire(12, "f", "m", "ENU up")] = 0.0
    heading_deg: Annotated[float, Wire(16, "f", "deg", "not normalised")] = 0.0
    size_x_m: Annotated[float, Wire(20, "f", "m", "size, x")] = 0.0
    size_y_m: Annotated[float, Wire(24, "f", "m", "length")] = 0.0
    size_z_m: Annotated[float, Wire(28, "f", "m", "height")] = 0.0
    velocity_x_kph: Annotated[float, Wire(32, "f", "km/h", "x component")] = 0.0
    velocity_y_kph: Annotated[float, Wire(36, "f", "km/h", "y component")] = 0.0
    velocity_z_kph: Annotated[float, Wire(40, "f", "km/h", "z component")] = 0.0
    accel_x_mps2: Annotated[float, Wire(44, "f", "m/s^2", "x component")] = 0.0
    accel_y_mps2: Annotated[float, Wire(48, "f", "m/s^2", "y component")] = 0.0
    accel_z_mps2: Annotated[float, Wire(52, "f", "m/s^2", "z component")] = 0.0


@dataclass(frozen=True, slots=True)
class NpcCollisionRecord:
    """One collision between two NPC vehicles; all zero when the record is unused."""

    SIZE: ClassVar[int] = 112

    pair: Annotated[
        tuple[NpcHalf, ...], Wire(0, meaning="both vehicles", count=2, record=NpcHalf)
    ] = (NpcHalf(), NpcHalf())


@dataclass(frozen=True, slots=True)
class NpcCollision:
    """Collisions between NPC vehicles."""

    collisions: Annotated[
        tuple[NpcCollisionRecord, ...],
        Wire(34, meaning="latest collisions", count=10, record=NpcCollisionRecord),
    ]


@dataclass(frozen=True, slots=True)
class IntersectionStatus:
    """The state of the most relevant intersection."""

    index: Annotated[int, Wire(27, "h", meaning="intersection number")]
    status: Annotated[int, Wire(29, "h", meaning="state number")]
    time_s: Annotated[float, Wire(31, "f", "s", "in this state so far")]


@dataclass(frozen=True, slots=True)
class SetIntersection:
    """Switches an intersection."""

    index: Annotated[int, Wire(30, "h", meaning="intersection number")]
    status: Annotated[int, Wire(32, "h", meaning="state number")]
    time_s: Annotated[float, Wire(34, "f", "s", "in this state so far")]


@dataclass(frozen=True, slots=True)
class ScenarioLoad:
    """Loads a scenario file."""

    file_name: Annotated[str, Wire(30, "30s", meaning="without .json")]
    delete_all: Annotated[bool, Wire(60, "?", meaning="clear the scene first")]
    load_network: Annotated[bool, Wire(61, "?", meaning="network connection data")]
    load_ego: Annotated[bool, Wire(62, "?", meaning="ego vehicle")]
    load_npc: Annotated[bool, Wire(63, "?", meaning="NPC vehicles")]
    load_pedestrian: Annotated[bool, Wire(64, "?", meaning="pedestrians")]
    load_object: Annotated[bool, Wire(65, "?", meaning="objects")]
    set_pause: Annotated[bool, Wire(66, "?", meaning="pause after loading")]


@dataclass(frozen=True, slots=True)
class SaveSensorData:
    """Saves the sensor data of the present frame."""

    is_custom_file_name: Annotated[bool, Wire(32, "?", meaning="whether file_name is used")]
    file_name: Annotated[str, Wire(33, "30s", meaning="name of the file")]
    file_dir: Annotated[str, Wire(63, "60s", meaning="its folder, whole path")]


@dataclass(frozen=True, slots=True)
class SensorControl:
    """Moves a sensor on the vehicle."""

    sensor_index: Annotated[int, Wire(31, "h", meaning="sensor number")]
    pos_x_m: Annotated[float, Wire(33, "f", "m", "position, x")]
    pos_y_m: Annotated[float, Wire(37, "f", "m", "position, y")]
    pos_z_m: Annotated[float, Wire(41, "f", "m", "position, z")]
    roll_deg: Annotated[float, Wire(45, "f", "deg", "roll")]
    pitch_deg: Annotated[float, Wire(49, "f", "deg", "pitch")]
    heading_deg: Annotated[float, Wire(53, "f", "deg", "heading")]


@dataclass(frozen=True, slots=True)
class LampControl:
    """Turn signals and hazard lamps."""

    turn: Annotated[int, Wire(29, "b", meaning="turn signal", codes=TurnSignal)]
    emergency: Annotated[int, Wire(30, "b", meaning="hazard lamps", codes=EmergencySignal)]
