"""The codes and bit sets of MORAI messages."""

from __future__ import annotations

import enum


class CtrlMode(enum.IntEnum):
    """Who drives the ego vehicle; KEEP in a command leaves it as it is."""

    KEEP = 0
    KEYBOARD = 1
    AUTO = 2


class MultiEgoCtrlMode(enum.IntEnum):
    """Who drives, in Multi Ego Setting: its page documents 16 for auto, other sources 2."""

    UNUSED = 0
    KEYBOARD = 1
    AUTO = 2
    AUTO_16 = 16


class Gear(enum.IntEnum):
    """Gear selector."""

    MANUAL = 0
    PARKING = 1
    REVERSE = 2
    NEUTRAL = 3
    DRIVE = 4
    LOW = 5


class CmdType(enum.IntEnum):
    """Which fields of Ego Ctrl Cmd apply; steering always does."""

    PEDALS = 1
    VELOCITY = 2
    ACCELERATION = 3


class ObjectType(enum.IntEnum):
    """What an object is."""

    EGO = -1
    PEDESTRIAN = 0
    VEHICLE = 1
    STATIC = 2


class TrafficLightLamps(enum.IntFlag):
    """Which lamps are lit; several may be set."""

    RED = 1
    YELLOW = 4
    GREEN = 16
    LEFT = 32


class TurnSignal(enum.IntEnum):
    """Turn signal lamps."""

    OFF = 0
    LEFT = 1
    RIGHT = 2


class EmergencySignal(enum.IntEnum):
    """Hazard lamps."""

    OFF = 0
    ON = 1
