"""Every way in which the double can be broken, and exactly which requirements that breaks."""

from __future__ import annotations

from collections.abc import Mapping

from vdsim_autoware.conformance import interface as names

STATUSES = tuple(names.short(page.topic) for page in names.STATUSES)
STATES = tuple(names.short(page.topic) for page in names.STATES)


def _each(words: tuple[str, ...], fault: str) -> tuple[str, ...]:
    return tuple(fault.format(word) for word in words)


_NO_PROBLEM_SHOWN = (
    "CC-11 CC-12 CC-13 CC-14 CC-16 GC-11 TC-11 HC-11 CM-09 CM-11 GS-09 GS-11 GS-12 TS-09 TS-11 "
    "TS-12 HS-09 HS-11 HS-12 SS-09 SS-12 VS-09 VS-12"
)
FAULTS: Mapping[tuple[str, ...], str] = {
    ("control_cmd: missing",): "CC-01 CC-04 CC-11 CC-12 MR-23 MR-31",
    ("control_cmd: wrong type",): "CC-01 CC-04 CC-11 CC-12 MR-23 MR-31",
    ("control_cmd: best effort",): "CC-02",
    ("control_cmd: transient local",): "CC-02 CC-04 CC-11 CC-12 MR-23 MR-31",
    ("gear_cmd: missing",): "CC-04 GC-01 GC-05 GC-06 GC-07 GC-11 MR-31 MR-35",
    ("gear_cmd: best effort",): "GC-02",
    ("turn_indicators_cmd: missing",): "TC-01 TC-04 TC-05 TC-11 MR-24",
    ("turn_indicators_cmd: best effort",): "TC-02",
    ("hazard_lights_cmd: best effort",): "HC-02",
    ("hazard_lights_cmd: wrong type",): "HC-01 HC-04 HC-11 MR-25 MR-34",
    ("control_mode_request: missing",): "MR-01 CM-13",
    ("control_mode_request: wrong type",): "MR-01 MR-02 CM-13",
    ("control_cmd: no speed",): "CC-04 MR-31",
    ("control_cmd: no steering",): "CC-05 CC-06 CC-08 MR-23 SS-13 VS-14",
    ("control_cmd: steering inverted",): "CC-05 CC-08 MR-23 SS-13 VS-14",
    ("control_cmd: weak",): "CC-17",
    ("control_cmd: latest stamp counts",): "CC-06",
    ("control_cmd: no time-out",): "CC-07",
    ("control_cmd: time-out coasts",): "CC-07",
    ("control_cmd: not clamped",): "CC-08 CC-15",
    ("control_cmd: out of range ignored",): "CC-08",
    ("control_cmd: out of range: not reported",): "CC-13",
    ("control_cmd: not finite used",): "CC-07 CC-15 GC-13 GS-13 SS-07 VS-07 VS-13",
    ("control_cmd: not finite: not reported",): "CC-14",
    ("control_cmd: obeyed in MANUAL",): "CC-09 CC-10",
    ("rate: too low: not reported",): "CC-11",
    ("rate: too high: not reported",): "CC-12",
    ("tracking: not followed: not reported",): "CC-16",
    ("gear_cmd: 22 ignored",): "GC-04",
    ("gear_cmd: 1 ignored",): "GC-05 MR-35",
    ("gear_cmd: 2 ignored",): "CC-04 GC-06 MR-31",
    ("gear_cmd: 20 ignored",): "GC-07",
    ("gear_cmd: late",): "CC-04 GC-04 GC-05 GC-06 GC-07 MR-35",
    ("gear_cmd: NONE taken",): "GC-12 GS-07",
    ("gear_cmd: undefined taken",): "GC-10 GS-07",
    ("gear_cmd: undefined: not reported",): "GC-11",
    ("gear_cmd: taken while moving",): "GC-13 GS-13",
    ("gear_cmd: obeyed in MANUAL",): "GC-14",
    ("gear_cmd: chatter taken",): "GC-15",
    ("turn_indicators_cmd: sides swapped",): "TC-04 MR-24 TS-13",
    ("turn_indicators_cmd: no lamps",): "TC-04 TC-05 MR-24",
    ("turn_indicators_cmd: stays on",): "TC-06",
    ("turn_indicators_cmd: NONE taken",): "TC-12 TS-07",
    ("turn_indicators_cmd: undefined taken",): "TC-10 TS-07",
    ("turn_indicators_cmd: undefined: not reported",): "TC-11",
    ("turn_indicators_cmd: obeyed in MANUAL",): "TC-13",
    ("turn_indicators_cmd: ends hazard lights",): "HC-06 MR-25",
    ("hazard_lights_cmd: no lamps",): "HC-04 MR-25 MR-34",
    ("hazard_lights_cmd: stays on",): "HC-05",
    ("hazard_lights_cmd: NONE taken",): "HC-12 HS-07",
    ("hazard_lights_cmd: undefined taken",): "HC-10 HS-07",
    ("hazard_lights_cmd: undefined: not reported",): "HC-11",
    ("hazard_lights_cmd: obeyed in MANUAL",): "HC-13",
    ("request: no answer",): "MR-02 CM-13",
    ("request: always refused",): "MR-03 MR-04 MR-11 CM-13",
    ("request: NO_COMMAND granted",): "MR-09",
    ("request: NO_COMMAND entered",): "MR-10",
    ("request: undefined granted",): "MR-07",
    ("request: undefined entered",): "MR-08",
    ("request: partial modes refused, entered",): "MR-11",
    ("request: MANUAL refused",): "MR-03",
    ("request: unsafe granted",): "MR-12",
    ("request: 4 granted, not entered",): "MR-05",
    ("request: 1 granted, not entered",): "MR-06 CM-13",
    ("request: 2 granted, not entered",): "MR-20 MR-21 MR-22",
    ("request: 3 granted, not entered",): "MR-30 MR-32 MR-33",
    ("request: 4 refused, entered",): "MR-03 MR-11",
    ("request: 1 refused, entered",): "MR-04",
    ("request: 2 refused, entered",): "MR-11",
    ("STEER_ONLY: velocity obeyed",): "MR-21 MR-22",
    ("VELOCITY_ONLY: steering obeyed",): "MR-32 MR-33",
    ("partial: control_cmd lost",): "MR-23 MR-31",
    ("partial: gear_cmd lost",): "MR-35",
    ("partial: turn_indicators_cmd lost",): "MR-24",
    ("partial: hazard_lights_cmd lost",): "MR-25 MR-34",
    ("control_mode: wrong type",): "CM-01",
    ("gear_status: late",): "GC-04 GC-05 GC-06 GC-07 MR-35 GS-06 GS-08 GS-10",
    ("gear_status: commanded one",): "GC-13 GC-15 GS-13",
    ("velocity_status: transient local",): "VS-02",
    ("velocity_status: pauses",): "VS-04",
    ("steering_status: stamps ahead",): "SS-06",
    ("control_mode: stamps of the last change",): "CM-06",
    ("turn_indicators_status: blinks",): "TC-10 TC-12 TS-13",
    ("hazard_lights_status: blinks",): "HC-06 HC-10 HC-12 MR-25 MR-34 HS-13",
    ("velocity_status: km/h",): "CC-17 MR-12",
    ("velocity_status: no sign",): "VS-13",
    ("velocity_status: heading rate inverted",): "VS-14",
    ("velocity_status: NaN at rest",): "CC-07 CC-09 MR-21 VS-07",
    ("steering_status: degrees",): "CC-05 CC-08",
    ("steering_status: inverted",): "CC-05 CC-08 MR-23 SS-13",
    ("status: link lost: not reported",): "CM-09 GS-09 TS-09 HS-09 SS-09 VS-09",
    ("status: sensor fault: not reported",): "GS-12 TS-12 HS-12 SS-12 VS-12",
    ("all: no diagnostics",): _NO_PROBLEM_SHOWN,
    ("all: problems are only OK",): _NO_PROBLEM_SHOWN,
    ("all: nothing published",): "CM-04 GS-04 TS-04 HS-04 SS-04 VS-04",
    ("control_mode: missing",): "CM-01",
    ("gear_status: missing",): "GS-01",
    ("turn_indicators_status: missing",): "TS-01",
    ("hazard_lights_status: missing",): "HS-01",
    ("steering_status: missing",): "SS-01",
    ("velocity_status: missing",): "VS-01",
    _each(STATUSES, "{}: best effort"): "CM-02 GS-02 TS-02 HS-02 SS-02 VS-02",
    _each(STATES, "{}: volatile and on change"): "CM-04 GS-04 TS-04 HS-04",
    ("velocity_status: slow", "steering_status: slow"): "SS-04 VS-04",
    _each(STATES, "{}: not latched"): "CM-05 GS-05 TS-05 HS-05",
    _each(STATUSES, "{}: stamps zero"): "CM-06 GS-06 TS-06 HS-06 SS-06 VS-06",
    _each(STATUSES, "{}: goes on"): "CM-08 GS-08 TS-08 HS-08 SS-08 VS-08",
    _each(STATES, "{}: undefined published"): "CM-07 CM-10 GS-07 GS-10 TS-07 TS-10 HS-07 HS-10",
    _each(STATES, "status: undefined {}: not reported"): "CM-11 GS-11 TS-11 HS-11",
}
"""Faults that one double has together -> the ids, in the order of the table."""

SOUND: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "as the pages want it": (frozenset(), frozenset()),
    "states on change alone, latched": (frozenset(_each(STATES, "{}: on change")), frozenset()),
    "latched states at 5 Hz": (frozenset(_each(STATES, "{}: slow")), frozenset()),
    "no partial modes": (frozenset(("request: partial modes refused",)), frozenset()),
    "no indicators": (
        frozenset(("turn_indicators_cmd: no lamps",)),
        frozenset((names.TURN_INDICATORS,)),
    ),
    "no hazard lights": (
        frozenset(("hazard_lights_cmd: no lamps",)),
        frozenset((names.HAZARD_LIGHTS,)),
    ),
}
"""Vehicle interfaces that the pages allow -> how they differ, and what is said about them."""
