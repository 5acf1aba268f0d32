"""What the page of the service requires, and which commands each control mode accepts."""

from __future__ import annotations

from vdsim_autoware.conformance import interface as names
from vdsim_autoware.conformance.checks import (
    answers,
    ends_at,
    exists,
    never,
    optional,
    reaches,
    refusal_changes_nothing,
    unchanged,
    within,
)
from vdsim_autoware.conformance.verdict import Check, Level, Requirement

MUST = Level.MUST
_T, _S = names.REQUEST, names.MODE_STATUS
_SPEED, _ANGLE = names.VELOCITY_STATUS, names.STEERING_STATUS
_WITH = names.MODE_REQUESTS
STEER, VELOCITY = "partial.STEER_ONLY", "partial.VELOCITY_ONLY"
_LEFT_RAD = 0.08


def _asked(number: str, required: str, how: str, check: Check) -> Requirement:
    return Requirement(f"MR-{number}", _T, MUST, required, how, check)


def _hazard_in(part: str) -> Check:
    enabled = names.HAZARD_ENABLE
    check = ends_at(f"{part}.hazard", names.HAZARD_STATUS, lambda n: n == enabled, "ENABLE")
    return optional(names.HAZARD_LIGHTS, check)


REQUEST = (
    _asked("01", "the service exists, with the type", "graph", exists(_T)),
    _asked("02", "a request is answered", "AUTONOMOUS within 5 s", answers("engage", None)),
    _asked(
        "03", "MANUAL is granted", "at rest",
        optional(_WITH, answers("request.MANUAL", True)),
    ),
    _asked(
        "04", "AUTONOMOUS is granted", "at rest, after MANUAL",
        optional(_WITH, answers("request.AUTONOMOUS", True)),
    ),
    _asked(
        "05", "a granted MANUAL is entered", "control_mode within 5 s",
        optional(_WITH, reaches("request.MANUAL", _S, "MANUAL", granted=True)),
    ),
    _asked(
        "06", "a granted AUTONOMOUS is entered", "control_mode within 5 s",
        optional(_WITH, reaches("request.AUTONOMOUS", _S, "AUTONOMOUS", granted=True)),
    ),
    _asked("07", "an unknown mode is refused", "99", answers("request.undefined", False)),
    _asked("08", "an unknown mode changes nothing", "99", unchanged("request.undefined", _S)),
    _asked("09", "NO_COMMAND, which is no mode, is refused", "0", answers("request.none", False)),
    _asked("10", "NO_COMMAND changes nothing", "0", unchanged("request.none", _S)),
    _asked(
        "11", "a refused mode is not entered", "MANUAL, both partial modes",
        refusal_changes_nothing("request.MANUAL", "request.STEER_ONLY", "request.VELOCITY_ONLY"),
    ),
    _asked(
        "12", "a mode that cannot be entered safely is refused",
        "AUTONOMOUS at speed with a steering command 0.45 rad off the wheels",
        optional(_WITH, answers("request.unsafe", False)),
    ),
    _asked(
        "13", "a vehicle without modes by request refuses each one", "--without mode_requests",
        optional(_WITH, answers("request.MANUAL", False), without=True),
    ),
    _asked(
        "20", "AUTONOMOUS_STEER_ONLY is entered when granted", "control_mode within 5 s",
        reaches("request.STEER_ONLY", _S, "AUTONOMOUS_STEER_ONLY", granted=True),
    ),
    _asked("21", "AUTONOMOUS_STEER_ONLY ignores the speed", "at rest", within(STEER, _SPEED, 0.3)),
    _asked(
        "22", "AUTONOMOUS_STEER_ONLY ignores the gear", "REVERSE",
        never(STEER, names.GEAR_STATUS, names.REVERSE),
    ),
    _asked(
        "23", "AUTONOMOUS_STEER_ONLY accepts the angle", "0.15 rad",
        ends_at(STEER, _ANGLE, lambda a: a > _LEFT_RAD, "the commanded angle"),
    ),
    _asked(
        "24", "AUTONOMOUS_STEER_ONLY accepts the indicators", "ENABLE_LEFT",
        optional(
            names.TURN_INDICATORS,
            ends_at(STEER, names.TURN_STATUS, lambda n: n == names.ENABLE_LEFT, "ENABLE_LEFT"),
        ),
    ),
    _asked(
        "25", "AUTONOMOUS_STEER_ONLY accepts the hazard lights", "ENABLE",
        _hazard_in(STEER),
    ),
    _asked(
        "30", "AUTONOMOUS_VELOCITY_ONLY is entered when granted", "control_mode within 5 s",
        reaches("request.VELOCITY_ONLY", _S, "AUTONOMOUS_VELOCITY_ONLY", granted=True),
    ),
    _asked(
        "31", "AUTONOMOUS_VELOCITY_ONLY accepts the speed", "the car drives",
        ends_at(VELOCITY, _SPEED, lambda v: v > 0.5, "the commanded speed"),
    ),
    _asked(
        "32", "AUTONOMOUS_VELOCITY_ONLY ignores the angle", "0.15 rad",
        within(VELOCITY, _ANGLE, 0.05),
    ),
    _asked(
        "33", "AUTONOMOUS_VELOCITY_ONLY ignores the indicators", "ENABLE_LEFT",
        never(VELOCITY, names.TURN_STATUS, names.ENABLE_LEFT),
    ),
    _asked(
        "34", "AUTONOMOUS_VELOCITY_ONLY accepts the hazard lights", "ENABLE",
        _hazard_in(VELOCITY),
    ),
    _asked(
        "35", "AUTONOMOUS_VELOCITY_ONLY accepts the gear", "NEUTRAL at rest",
        reaches(f"{VELOCITY}.gear", names.GEAR_STATUS, "NEUTRAL"),
    ),
)  # fmt: skip
