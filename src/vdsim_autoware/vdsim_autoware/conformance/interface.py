"""Autoware's vehicle interface as its pages describe it: names, types, QoS, numbers. Plain data.

The facts are those of the component interface pages of 2026-01-21 (autoware-documentation).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

CONTROL = "/control/command/control_cmd"
GEAR = "/control/command/gear_cmd"
TURN = "/control/command/turn_indicators_cmd"
HAZARD = "/control/command/hazard_lights_cmd"
REQUEST = "/control/control_mode_request"
MANUAL_CONTROL = "/vehicle/command/manual_control_cmd"
MANUAL_GEAR = "/vehicle/command/manual_gear_command"
"""Of no page: how a person at the controls commands a simulated vehicle, with --by-hand."""
VELOCITY_STATUS = "/vehicle/status/velocity_status"
STEERING_STATUS = "/vehicle/status/steering_status"
GEAR_STATUS = "/vehicle/status/gear_status"
TURN_STATUS = "/vehicle/status/turn_indicators_status"
HAZARD_STATUS = "/vehicle/status/hazard_lights_status"
MODE_STATUS = "/vehicle/status/control_mode"

PUBLISHER, SUBSCRIPTION, SERVICE = "publisher", "subscription", "service"
RELIABLE, BEST_EFFORT = "reliable", "best_effort"
VOLATILE, TRANSIENT_LOCAL = "volatile", "transient_local"
EITHER = (VOLATILE, TRANSIENT_LOCAL)


class Page(NamedTuple):
    """One interface page. `end`: what the vehicle interface must have on it.

    `values`: the numbers that the interface may send; empty where it sends physical quantities.
    """

    topic: str
    type_name: str
    end: str
    durabilities: tuple[str, ...] = ()
    values: tuple[int, ...] = ()


NONE = 0
NEUTRAL, DRIVE, REVERSE, PARK = 1, 2, 20, 22
GEARS = {"PARK": PARK, "NEUTRAL": NEUTRAL, "DRIVE": DRIVE, "REVERSE": REVERSE}
LARGEST_GEAR = 24
DISABLE, ENABLE_LEFT, ENABLE_RIGHT = 1, 2, 3
HAZARD_DISABLE, HAZARD_ENABLE = 1, 2
AUTONOMOUS, STEER_ONLY, VELOCITY_ONLY, MANUAL = 1, 2, 3, 4
LARGEST_MODE = 6
UNDEFINED = 99
"""A number that no enum of these messages has."""

_CONTROL, _VEHICLE = "autoware_control_msgs/msg", "autoware_vehicle_msgs/msg"
PAGES = (
    Page(CONTROL, f"{_CONTROL}/Control", SUBSCRIPTION, (VOLATILE,)),
    Page(GEAR, f"{_VEHICLE}/GearCommand", SUBSCRIPTION, EITHER),
    Page(TURN, f"{_VEHICLE}/TurnIndicatorsCommand", SUBSCRIPTION, EITHER),
    Page(HAZARD, f"{_VEHICLE}/HazardLightsCommand", SUBSCRIPTION, EITHER),
    Page(REQUEST, "autoware_vehicle_msgs/srv/ControlModeCommand", SERVICE),
    Page(
        MODE_STATUS,
        f"{_VEHICLE}/ControlModeReport",
        PUBLISHER,
        EITHER,
        tuple(range(LARGEST_MODE + 1)),
    ),
    Page(
        GEAR_STATUS, f"{_VEHICLE}/GearReport", PUBLISHER, EITHER, tuple(range(1, LARGEST_GEAR + 1))
    ),
    Page(
        TURN_STATUS,
        f"{_VEHICLE}/TurnIndicatorsReport",
        PUBLISHER,
        EITHER,
        (DISABLE, ENABLE_LEFT, ENABLE_RIGHT),
    ),
    Page(
        HAZARD_STATUS,
        f"{_VEHICLE}/HazardLightsReport",
        PUBLISHER,
        EITHER,
        (HAZARD_DISABLE, HAZARD_ENABLE),
    ),
    Page(STEERING_STATUS, f"{_VEHICLE}/SteeringReport", PUBLISHER, (VOLATILE,)),
    Page(VELOCITY_STATUS, f"{_VEHICLE}/VelocityReport", PUBLISHER, (VOLATILE,)),
)
PAGE = {page.topic: page for page in PAGES}
COMMANDS = tuple(page for page in PAGES if page.end == SUBSCRIPTION)
STATUSES = tuple(page for page in PAGES if page.end == PUBLISHER)
STATES = tuple(page for page in STATUSES if page.values)
"""The statuses that may be latched."""

STATUS_RATE_HZ = 10.0
CONTROL_RATE_HZ = 33.0

LINK_LOST, SENSOR_FAULT, NOT_FOLLOWED = "link_lost", "sensor_fault", "not_followed"
UNDEFINED_STATUS = {
    MODE_STATUS: "undefined_mode",
    GEAR_STATUS: "undefined_gear",
    TURN_STATUS: "undefined_turn_indicators",
    HAZARD_STATUS: "undefined_hazard_lights",
}
CAUSES = (LINK_LOST, SENSOR_FAULT, NOT_FOLLOWED, *UNDEFINED_STATUS.values())
"""What nobody can provoke by Autoware's topics: it needs a command that the caller gives."""

TURN_INDICATORS, HAZARD_LIGHTS, MODE_REQUESTS = "turn_indicators", "hazard_lights", "mode_requests"
OPTIONAL = (TURN_INDICATORS, HAZARD_LIGHTS, MODE_REQUESTS)
"""What a vehicle may lack; the pages say how its interface then behaves."""


@lru_cache
def short(topic: str) -> str:
    """Return the last part of a name."""
    return topic.rpartition("/")[2]
