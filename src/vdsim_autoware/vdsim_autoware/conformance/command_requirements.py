"""What the pages of the four command topics require."""

from __future__ import annotations

from vdsim_autoware.conformance import interface as names
from vdsim_autoware.conformance.checks import (
    all_of,
    depth,
    ends_at,
    exists,
    follows_acceleration,
    has_qos,
    keeps,
    never,
    optional,
    reaches,
    reported,
    unchanged,
    within,
)
from vdsim_autoware.conformance.record import ERROR, WARN, Arrival
from vdsim_autoware.conformance.verdict import Check, Level, Requirement

MUST, SHOULD = Level.MUST, Level.SHOULD
SPEED_KEPT_MPS, ANGLE_KEPT_RAD = 1.0, 0.05
LOCK_RAD = (0.2, 1.6)
"""A car's full lock is somewhere between these [rad]."""
_SPEED, _ANGLE = names.VELOCITY_STATUS, names.STEERING_STATUS


def _no_faster(item: Arrival, before: Arrival) -> bool:
    return -SPEED_KEPT_MPS <= item.values[0] <= before.values[0] + SPEED_KEPT_MPS


def _where(topic: str, check: Check) -> Check:
    """Judge only vehicles that have the lamps."""
    lamps = {names.TURN: names.TURN_INDICATORS, names.HAZARD: names.HAZARD_LIGHTS}
    return optional(lamps[topic], check) if topic in lamps else check


def _ends(prefix: str, topic: str, durability: str) -> tuple[Requirement, ...]:
    word = "vehicle interface"
    return (
        Requirement(
            f"{prefix}-01", topic, MUST, f"the {word} subscribes, with the type", "graph",
            exists(topic),
        ),
        Requirement(
            f"{prefix}-02", topic, MUST, f"the subscription is reliable and {durability}", "graph",
            has_qos(topic),
        ),
        Requirement(f"{prefix}-03", topic, MUST, "the depth is 1", "-", depth(topic)),
    )  # fmt: skip


def _enum(prefix: str, topic: str, status: str, word: str) -> tuple[Requirement, ...]:
    """What the three pages with an enum say in the same words. Numbers 10 to 13."""
    return (
        Requirement(
            f"{prefix}-10", topic, MUST, "an undefined number is ignored", "99 for 3 s",
            _where(topic, unchanged(f"{word}.undefined", status)),
        ),
        Requirement(
            f"{prefix}-11", topic, MUST, "an undefined number is reported as an ERROR",
            "99 for 3 s: a new ERROR in /diagnostics",
            _where(topic, reported(f"{word}.undefined", ERROR)),
        ),
        Requirement(
            f"{prefix}-12", topic, SHOULD, "0, which no command has, changes nothing", "0 for 3 s",
            _where(topic, unchanged(f"{word}.none", status)),
        ),
    )  # fmt: skip


CONTROL = (
    *_ends("CC", names.CONTROL, "volatile"),
    Requirement(
        "CC-04", names.CONTROL, MUST, "the car drives as commanded",
        "DRIVE and 1 m/s2: the speed is reached within 15 s",
        reaches("drive.accelerate", _SPEED, "the commanded speed"),
    ),
    Requirement(
        "CC-05", names.CONTROL, MUST, "the wheels follow the commanded angle, left and right",
        "within 30 % of it within 5 s",
        all_of(
            reaches("drive.left", _ANGLE, "the commanded angle to the left"),
            reaches("drive.right", _ANGLE, "the commanded angle to the right"),
        ),
    ),
    Requirement(
        "CC-06", names.CONTROL, MUST,
        "the command received last counts, not the one with the latest stamp",
        "stamps 10 s ahead, then those of now with another angle",
        reaches("drive.order", _ANGLE, "the angle of the command received last"),
    ),
    Requirement(
        "CC-07", names.CONTROL, MUST, "commands that end lead to an emergency stop",
        "silence at speed: at rest within 6 s",
        reaches("drive.timeout", _SPEED, "rest"),
    ),
    Requirement(
        "CC-08", names.CONTROL, MUST, "a value out of range is clamped to the largest one",
        "an angle of 10 rad: the wheels turn to a lock of 0.2 to 1.6 rad",
        ends_at("drive.clamped", _ANGLE, lambda a: LOCK_RAD[0] < a < LOCK_RAD[1], "a lock"),
    ),
    Requirement(
        "CC-09", names.CONTROL, MUST, "in MANUAL speed and acceleration are ignored",
        "a standing car in MANUAL: it stays within 0.3 m/s", within("manual", _SPEED, 0.3),
    ),
    Requirement(
        "CC-10", names.CONTROL, MUST, "in MANUAL the angle is ignored",
        "a standing car in MANUAL: the wheels stay within 0.05 rad",
        within("manual", _ANGLE, ANGLE_KEPT_RAD),
    ),
    Requirement(
        "CC-11", names.CONTROL, MUST, "a rate that is too low is reported",
        "4 Hz for 3 s: a new WARN or ERROR in /diagnostics", reported("control.rate.low", WARN),
    ),
    Requirement(
        "CC-12", names.CONTROL, MUST, "a rate that is too high is reported",
        "500 Hz for 3 s: a new WARN or ERROR in /diagnostics", reported("control.rate.high", WARN),
    ),
    Requirement(
        "CC-13", names.CONTROL, MUST, "a value out of range is reported",
        "an angle of 10 rad: a new WARN or ERROR in /diagnostics", reported("drive.clamped", WARN),
    ),
    Requirement(
        "CC-14", names.CONTROL, MUST, "a value that is not a number is reported",
        "every other command is NaN: a new WARN or ERROR", reported("drive.not_finite", WARN),
    ),
    Requirement(
        "CC-15", names.CONTROL, MUST, "a value that is not a number is not used",
        "every other command is NaN: the car gets no faster, the wheels stay",
        all_of(
            # A stop, as for commands that end, is allowed.
            keeps("drive.not_finite", _SPEED, _no_faster, "no faster"),
            within("drive.not_finite", _ANGLE, ANGLE_KEPT_RAD),
        ),
    ),
    Requirement(
        "CC-16", names.CONTROL, MUST, "a target that the vehicle does not achieve is reported",
        "--provoke not_followed", reported(f"cause.{names.NOT_FOLLOWED}", WARN),
    ),
    Requirement(
        "CC-17", names.CONTROL, SHOULD, "the acceleration is the commanded one",
        "1 m/s2: between half and double of it, by velocity_status",
        follows_acceleration("drive.accelerate", 1.0),
    ),
)  # fmt: skip

GEAR = (
    *_ends("GC", names.GEAR, "volatile or transient_local"),
    *(
        Requirement(
            f"GC-0{place}", names.GEAR, MUST, f"{word} can be commanded at rest",
            "gear_status within 10 s", reaches(f"gear.{word}", names.GEAR_STATUS, word),
        )
        for place, word in enumerate(names.GEARS, 4)
    ),
    *_enum("GC", names.GEAR, names.GEAR_STATUS, "gear"),
    Requirement(
        "GC-13", names.GEAR, MUST, "a gear that is not safe is ignored",
        "REVERSE at speed", unchanged("gear.moving", names.GEAR_STATUS),
    ),
    Requirement(
        "GC-14", names.GEAR, MUST, "in MANUAL it is ignored",
        "REVERSE in MANUAL, at rest", never("manual", names.GEAR_STATUS, names.REVERSE),
    ),
    Requirement(
        "GC-15", names.GEAR, SHOULD, "a gear soon after another one is rejected for some seconds",
        "PARK right after NEUTRAL: not engaged within 1 s",
        unchanged("gear.chatter", names.GEAR_STATUS),
    ),
)  # fmt: skip

TURN = (
    *_ends("TC", names.TURN, "volatile or transient_local"),
    *(
        Requirement(
            f"TC-0{place}", names.TURN, MUST, f"{word} is obeyed", "status within 2 s",
            optional(names.TURN_INDICATORS, reaches(f"turn.{part}", names.TURN_STATUS, word)),
        )
        for place, (word, part) in enumerate(
            (("ENABLE_LEFT", "LEFT"), ("ENABLE_RIGHT", "RIGHT"), ("DISABLE", "DISABLE")), 4
        )
    ),
    *_enum("TC", names.TURN, names.TURN_STATUS, "turn"),
    Requirement(
        "TC-13", names.TURN, MUST, "in MANUAL it is ignored", "ENABLE_LEFT in MANUAL",
        optional(names.TURN_INDICATORS, never("manual", names.TURN_STATUS, names.ENABLE_LEFT)),
    ),
    Requirement(
        "TC-14", names.TURN, MUST, "a vehicle without indicators ignores it",
        "--without turn_indicators: the status is always DISABLE",
        optional(names.TURN_INDICATORS, keeps("turn.LEFT", names.TURN_STATUS,
            lambda item, _: item.values[0] == names.DISABLE, "DISABLE"), without=True),
    ),
)  # fmt: skip

HAZARD = (
    *_ends("HC", names.HAZARD, "volatile or transient_local"),
    *(
        Requirement(
            f"HC-0{place}", names.HAZARD, MUST, f"{word} is obeyed", "status within 2 s",
            optional(names.HAZARD_LIGHTS, reaches(f"hazard.{word}", names.HAZARD_STATUS, word)),
        )
        for place, word in enumerate(("ENABLE", "DISABLE"), 4)
    ),
    Requirement(
        "HC-06", names.HAZARD, MUST, "hazard lights outrank the indicators",
        "ENABLE_LEFT while they are on: they stay on",
        optional(names.HAZARD_LIGHTS, unchanged("hazard.priority", names.HAZARD_STATUS)),
    ),
    *_enum("HC", names.HAZARD, names.HAZARD_STATUS, "hazard"),
    Requirement(
        "HC-13", names.HAZARD, MUST, "in MANUAL it is ignored", "ENABLE in MANUAL",
        _where(names.HAZARD, never("manual.hazard", names.HAZARD_STATUS, names.HAZARD_ENABLE)),
    ),
    Requirement(
        "HC-14", names.HAZARD, MUST, "a vehicle without hazard lights ignores it",
        "--without hazard_lights: the status is always DISABLE",
        optional(names.HAZARD_LIGHTS, keeps("hazard.ENABLE", names.HAZARD_STATUS,
            lambda item, _: item.values[0] == names.HAZARD_DISABLE, "DISABLE"), without=True),
    ),
)  # fmt: skip
