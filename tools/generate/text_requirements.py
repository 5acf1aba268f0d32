"""The second table of docs/requirements.md: the four texts beside the interface's own list.

A test names what it shows as [VS-text.number] in a docstring or comment; this collects the places.
"""

from __future__ import annotations

import re

from generate.paths import ROOT
from generate.requirements import Place, places
from generate.tables import table

TAG = re.compile(r"\[VS-([0-9.]+)()\]")
TESTS = (*sorted((ROOT / "src").glob("*/test")), ROOT / "test")

TEXTS = {
    "0": "the wire contract of VDS1 and the AutoHYU bridge",
    "1": "the kernel and its run modes",
    "2": "VDSimPlant, for its first client",
    "3": "the UDP messages of MORAI SIM: Drive",
}
"""The first figure of a number: which text it is of."""

REQUIREMENTS = {
    "0.2.1": "the car is a process of its own, driven over UDP alone",
    "0.3.1": "header of 24 bytes, little-endian, packed, float64, at most 512 bytes",
    "0.3.2": "a packet of wrong magic, version, type, length or CRC32 is discarded",
    "0.3.3": "a packet that is older than the last accepted one, or a copy, is discarded",
    "0.3.4": "CMD at port 7001, STATE at 7002, by default",
    "0.3.5": "STATE at 200 Hz, or as asked",
    "0.4.1": "CMD: 76 bytes, its fields, units and signs",
    "0.4.2": "values of CMD out of range are cut and counted",
    "0.4.3": "the targets of aux are advisory; NaN: unused",
    "0.5.1": "STATE: 220, 372 and 436 bytes by version, its fields, units and signs",
    "0.5.2": "STATE becomes VehicleState, field by field; wheel speed is spin times radius",
    "0.6": "ENU world, ISO 8855 body, positive steering to the left, FL FR RL RR, yaw in (-pi, pi]",
    "0.7.1": "torque becomes a pedal: table for APS, cubic for BPS",
    "0.7.2": "the steering in degrees of the tyre becomes radians, without a steering ratio",
    "0.8.1": "without CMD for 100 ms the car brakes with its steering held, and resumes",
    "0.8.2": "without STATE for 100 ms the bridge marks the mode as failed, nothing old is sent on",
    "0.8.3": "rate, loss and age of the link are observable at both ends",
    "0.9": "the bridge's topics; it starts as mode vdsim of the simulator's launch file",
    "0.10.1": "a version changes the layout; each peer is answered in its own",
    "0.10.2": "the same fields as JSON for people",
    "1.2.1": "a tick: latched input, actuators, car, sensors; no clock, no I/O",
    "1.2.2": "the input is held between ticks (zero order)",
    "1.2.3": "inputs and outputs from any thread while one ticks",
    "1.2.4": "state, measured state and output are of one tick",
    "1.2.5": "actuators and sensors of the kernel are given by name",
    "1.3.1": "external step: equal inputs give equal states",
    "1.3.2": "replay of a run, bit for bit",
    "1.4.1": "real time: absolute deadlines without drift",
    "1.4.2": "without a command for the time-out the fail-safe drives, until the next",
    "1.4.3": "the fail-safe may straighten the wheels",
    "1.5": "vdsim_realtime VEHICLE TYRE with its options runs the kernel over the wire",
    "1.6.1": "POST /api/io: a command in, the state out",
    "1.6.2": "telemetry as JSON over UDP to the targets of each vehicle",
    "1.6.3": "a page shows and drives the car",
    "1.7.1": "several receivers of STATE",
    "1.7.2": "several vehicles, by id",
    "1.8": "a name of this text that is not ours is refused with ours",
    "2.0": "Fx becomes torque at the wheels, past every pedal map, split by drive_split_front",
    "2.1": "friction by the place of each wheel: the front meets a patch before the rear",
    "2.2": "wheel_mu(): the friction that each wheel used",
    "2.3": "ioniq5_awd: the values of the text, MF96 from axle stiffness over two wheels",
    "2.4": "VDSimPlant, reset, step and a complete observation, word for word",
    "2.5": "two periods: the input is held over control_dt, a fixed substep divides it",
    "2.6.1": "acceptance 1: a dry lane change is like the bicycle's, not equal",
    "2.6.2": "acceptance 2: braking and turning on the patch saturates at mu Fz and departs",
    "2.6.3": "acceptance 3: forces stay in the circle, their sum moves the car",
    "2.6.4": "acceptance 4: the same input twice, the same bits",
    "2.6.5": "acceptance 5: five seconds take far less than a second",
    "2.7.1": "wheels start at vx / R, without a transient of slip",
    "2.7.2": "no NaN at the limit or at low speed, no kinematic blend",
    "2.8.1": "the contract is documented: keys, units, frames",
    "2.8.2": "wrong input is refused at the boundary by an error that names it",
    "2.8.3": "a demonstration in one command, in less than a minute",
    "2.8.4": "it is installed and imported by a project of its own",
    "2.9": "a name of this text that is not ours is refused with ours",
    "3.1": "every message, with its size in every release",
    "3.2": "fields, types, order and units of every message",
    "3.3": "Ego Ctrl Cmd: pedals, acceleration or velocity, gear",
    "3.4": "its steering is a share of the largest angle",
    "3.5": "Ego Vehicle Status as its own client reads it",
    "3.6": "Object Info, with fewer than all records too",
    "3.7": "Multi Ego Setting puts vehicles",
    "3.8": "traffic lights are reported and set",
    "3.9": "collisions of the ego vehicle and of others are reported",
    "3.10": "an intersection is reported and set",
    "3.11": "Scenario Load",
    "3.12": "Save Sensor Data, Sensor Control, Turn Signal Lamp Control are answered",
    "3.13": "no two messages share a port",
}


def places_of_texts() -> dict[str, list[Place]]:
    """Requirement of a text -> the tests that name it."""
    by_number: dict[str, list[Place]] = {}
    for folder in TESTS:
        for number, found in places(folder, tag=TAG).items():
            by_number.setdefault(number, []).extend(found)
    return by_number


def texts_table() -> str:
    """The rows of the four texts with the tests that show them."""
    tests = places_of_texts()
    lines = [
        "\n## The other four specifications\n",
        "What the product was asked for beside the interface: each requirement, and the tests that"
        " show it. Tests\nname it as `[VS-text.number]`; a test fails when a requirement has none."
        "\n",
    ]
    for first, title in TEXTS.items():
        rows = [
            (number, text, "<br>".join(place.where for place in tests.get(number, [])))
            for number, text in REQUIREMENTS.items()
            if number.partition(".")[0] == first
        ]
        lines.append(f"### {first}: {title}\n\n{table(('', 'requirement', 'shown by'), rows)}\n")
    return "\n".join(lines)
