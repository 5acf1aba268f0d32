"""Every MORAI message: table, direction, identifier and documented sizes by generation."""

from __future__ import annotations

from vdsim_protocol.morai.envelope import Direction, Message
from vdsim_protocol.morai.ghost_tables import EgoGhostCmd, NpcGhostCmd
from vdsim_protocol.morai.messages import (
    CollisionData,
    EgoCtrlCmd,
    EgoVehicleStatus,
    IntersectionStatus,
    LampControl,
    MultiEgoSetting,
    NpcCollision,
    ObjectInfo,
    SaveSensorData,
    ScenarioLoad,
    SensorControl,
    SetIntersection,
    SetTrafficLight,
    TrafficLightStatus,
)
from vdsim_protocol.morai.sensor_tables import ImuData

_TO = Direction.TO_SIMULATOR
_FROM = Direction.FROM_SIMULATOR

MESSAGES: tuple[Message, ...] = (
    Message(
        EgoCtrlCmd,
        "Ego Ctrl Cmd",
        _TO,
        identifier="#MoraiCtrlCmd$",
        sizes={1: (23, 55), 2: (27, 59)},
    ),
    Message(
        EgoVehicleStatus,
        "Ego Vehicle Status",
        _FROM,
        identifier="#MoraiInfo$",
        sizes={1: (94, 123), 2: (132, 161), 3: (152, 181), 4: (200, 229), 5: (216, 245)},
    ),
    Message(
        ObjectInfo,
        "Object Info",
        _FROM,
        identifier="#MoraiObjInfo$",
        sizes={1: (1360, 1392), 2: (1368, 1400), 3: (2128, 2160)},
        repeats=True,
    ),
    Message(
        MultiEgoSetting,
        "Multi Ego Setting",
        _TO,
        identifier="#MultiEgoSetting$",
        sizes={1: (648, 683)},
    ),
    Message(
        TrafficLightStatus,
        "Get TrafficLight Status",
        _FROM,
        identifier="#TrafficLight$",
        sizes={1: (16, 48)},
    ),
    Message(
        SetTrafficLight,
        "Set TrafficLight Ctrl",
        _TO,
        identifier="#TrafficLight$",
        sizes={1: (14, 46)},
    ),
    Message(
        CollisionData,
        "Collision Data",
        _FROM,
        identifier="#CollisionData$",
        sizes={1: (140, 173), 2: (148, 181)},
    ),
    Message(
        NpcCollision,
        "NPC Vehicle Collision Data",
        _FROM,
        identifier="#VehicleCollision$",
        sizes={1: (1120, 1156)},
    ),
    Message(
        IntersectionStatus,
        "Get Intersection Status",
        _FROM,
        identifier="#IntStatus$",
        sizes={1: (8, 37)},
    ),
    Message(
        SetIntersection,
        "Set Intersection Status",
        _TO,
        identifier="#SetIntStatus$",
        sizes={1: (8, 40)},
    ),
    Message(ScenarioLoad, "Scenario Load", _TO, identifier="#ScenarioLoad$", sizes={1: (37, 69)}),
    Message(
        SaveSensorData, "Save Sensor Data", _TO, identifier="#SaveSensorData$", sizes={1: (91, 125)}
    ),
    Message(
        SensorControl, "Sensor Control", _TO, identifier="#SensorControl$", sizes={1: (26, 59)}
    ),
    Message(
        LampControl, "Turn Signal Lamp Control", _TO, identifier="#LampControl$", sizes={1: (2, 33)}
    ),
    Message(EgoGhostCmd, "Ego Ghost Cmd", _TO, identifier="#EgoGhostCmd$", sizes={1: (32, 63)}),
    Message(NpcGhostCmd, "NPC Ghost Cmd", _TO, identifier="#NpcGhostCmd$", sizes={1: (1000, 1031)}),
    Message(ImuData, "IMU", _FROM, identifier="#IMUData$", sizes={1: (80, 107), 2: (88, 115)}),
)
"""Every message, checked on import; the first fourteen in the order of the simulator's page."""
