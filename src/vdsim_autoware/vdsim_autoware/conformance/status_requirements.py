"""What the pages of the six status topics require; most sentences are on each of them."""

from __future__ import annotations

from vdsim_autoware.conformance import interface as names
from vdsim_autoware.conformance.checks import (
    all_of,
    bends,
    cause_reported,
    depth,
    ends_at,
    exists,
    has_qos,
    keeps,
    optional,
    unchanged,
)
from vdsim_autoware.conformance.status_checks import (
    has_rate,
    has_stamps,
    is_defined,
    latches,
    stops,
)
from vdsim_autoware.conformance.verdict import Level, Requirement

MUST, SHOULD = Level.MUST, Level.SHOULD
PREFIXES = {
    names.MODE_STATUS: "CM",
    names.GEAR_STATUS: "GS",
    names.TURN_STATUS: "TS",
    names.HAZARD_STATUS: "HS",
    names.STEERING_STATUS: "SS",
    names.VELOCITY_STATUS: "VS",
}


def _common(topic: str) -> tuple[Requirement, ...]:
    prefix, is_state = PREFIXES[topic], bool(names.PAGE[topic].values)
    durability = " or ".join(names.PAGE[topic].durabilities)
    rate = "10 Hz, or latched and on change" if is_state else "10 Hz"
    lost = names.LINK_LOST
    rows = [
        ("01", MUST, "it is published, with the type", "graph", exists(topic)),
        ("02", MUST, f"it is reliable and {durability}", "graph", has_qos(topic)),
        ("03", MUST, "the depth is 1", "-", depth(topic)),
        ("04", MUST, f"its rate is {rate}", "3 s at rest", has_rate(topic)),
        (
            "06",
            MUST if is_state else SHOULD,
            "its stamp is the time of receipt",
            "0 to 0.5 s old on receipt",
            has_stamps(topic),
        ),
        ("07", MUST, "its value is defined", "all statuses", is_defined(topic)),
        (
            "08",
            MUST,
            "it stops while the vehicle does not report it",
            f"--provoke {lost}",
            stops(topic, lost),
        ),
        (
            "09",
            MUST,
            "a vehicle that does not report is an ERROR",
            f"--provoke {lost}",
            cause_reported(lost),
        ),
    ]
    if is_state:
        cause = names.UNDEFINED_STATUS[topic]
        latched = "a late subscriber receives the state, if it is latched"
        rows += [
            ("05", MUST, latched, "a second subscriber", latches(topic)),
            (
                "10",
                MUST,
                "it stops while the vehicle reports an undefined one",
                f"--provoke {cause}",
                stops(topic, cause),
            ),
            (
                "11",
                MUST,
                "an undefined report is an ERROR",
                f"--provoke {cause}",
                cause_reported(cause),
            ),
        ]
    if topic != names.MODE_STATUS:
        fault = names.SENSOR_FAULT
        rows.append(
            (
                "12",
                MUST,
                "a fault of the sensor is an ERROR",
                f"--provoke {fault}",
                cause_reported(fault),
            )
        )
    return tuple(Requirement(f"{prefix}-{row[0]}", topic, *row[1:]) for row in sorted(rows, key=_n))


def _n(row: tuple[object, ...]) -> str:
    return str(row[0])


_SPEED = names.VELOCITY_STATUS
STATUS = (
    *_common(names.MODE_STATUS),
    Requirement(
        "CM-13", names.MODE_STATUS, MUST, "it shows AUTONOMOUS", "after the first request",
        ends_at("engage", names.MODE_STATUS, lambda n: n == names.AUTONOMOUS, "AUTONOMOUS"),
    ),
    *_common(names.GEAR_STATUS),
    Requirement(
        "GS-13", names.GEAR_STATUS, MUST, "it is the engaged gear, not the commanded one",
        "a gear that is ignored at speed does not appear",
        unchanged("gear.moving", names.GEAR_STATUS),
    ),
    *_common(names.TURN_STATUS),
    Requirement(
        "TS-13", names.TURN_STATUS, MUST, "it does not blink with the bulbs",
        "2 s of ENABLE_LEFT and of ENABLE_RIGHT",
        optional(names.TURN_INDICATORS, all_of(
            unchanged("turn.steady.LEFT", names.TURN_STATUS),
            unchanged("turn.steady.RIGHT", names.TURN_STATUS),
        )),
    ),
    *_common(names.HAZARD_STATUS),
    Requirement(
        "HS-13", names.HAZARD_STATUS, MUST, "it does not blink with the bulbs", "2 s of ENABLE",
        optional(names.HAZARD_LIGHTS, unchanged("hazard.steady.ENABLE", names.HAZARD_STATUS)),
    ),
    *_common(names.STEERING_STATUS),
    Requirement(
        "SS-13", names.STEERING_STATUS, MUST, "it is positive to the left", "a bend to either side",
        bends(names.STEERING_STATUS),
    ),
    *_common(_SPEED),
    Requirement(
        "VS-13", _SPEED, MUST, "the speed is positive forward, negative backward",
        "after a start in DRIVE, and in REVERSE",
        all_of(
            keeps("drive.bend.left", _SPEED, lambda i, _: i.values[0] > 0.0, "positive"),
            keeps("drive.reverse", _SPEED, lambda i, _: i.values[0] < 0.05, "negative"),
        ),
    ),
    Requirement(
        "VS-14", _SPEED, MUST, "the heading rate is positive to the left", "a bend to either side",
        bends(_SPEED, 2),
    ),
)  # fmt: skip
