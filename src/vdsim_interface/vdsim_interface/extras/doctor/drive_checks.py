"""Does the car get what it needs to drive: a gear, and commands of the kind that it takes?"""

from __future__ import annotations

from vdsim_interface.extras.doctor.snapshot import (
    AUTOWARE_TYPES,
    CONTROL_TYPE,
    GEAR_COMMAND_TYPE,
    GEAR_REPORT_TYPE,
    PEDAL_TYPES,
    Finding,
    Side,
    Snapshot,
)
from vdsim_interface.values import Severity

DRIVE, REVERSE, LOW = 2, 20, 23
DRIVING = frozenset({DRIVE, REVERSE, LOW})
"""Numbers of Autoware's gears that drive."""


def no_gear(snapshot: Snapshot) -> list[Finding]:
    """The car is asked to drive, and its gear does not drive, because nobody selects one."""
    vehicle, seen = snapshot.vehicle_nodes, {each.topic: each for each in snapshot.received}
    driven = any(seen[end.topic].wants_motion for end in snapshot.inputs if end.topic in seen)
    findings = []
    for end in snapshot.ends(Side.SUBSCRIPTION):
        if end.node not in vehicle or end.type_name != GEAR_COMMAND_TYPE or not driven:
            continue
        reports = {
            seen[each.topic].gear
            for each in snapshot.ends(Side.PUBLISHER)
            if each.node == end.node and each.type_name == GEAR_REPORT_TYPE and each.topic in seen
        } - {None}
        if not reports or reports & DRIVING:
            continue
        commands = snapshot.ends(Side.PUBLISHER, end.topic)
        arrived = seen[end.topic].gear if end.topic in seen else None
        if arrived in DRIVING:
            continue  # it was asked for, and refused: /diagnostics says why
        other = _other_gear_topic(snapshot, end.topic)
        if other and not commands:
            continue  # a second way in, such as that of a person
        why = "nobody publishes one"
        if commands:
            why = "no DRIVE was sent" if arrived is None else f"gear {arrived} was sent"
        what = f"{end.node} is commanded to drive in a gear that does not, and on {end.topic} {why}"
        cure = f"publish {GEAR_COMMAND_TYPE} with command {DRIVE} (DRIVE) there"
        findings.append(Finding("no_gear", Severity.WARN, what, cure))
    return findings


def _other_gear_topic(snapshot: Snapshot, topic: str) -> bool:
    """Whether the vehicle has another gear topic with a publisher, or one that comes first."""
    topics = sorted(
        end.topic
        for end in snapshot.ends(Side.SUBSCRIPTION)
        if end.type_name == GEAR_COMMAND_TYPE and end.node in snapshot.vehicle_nodes
    )
    served = [each for each in topics if snapshot.ends(Side.PUBLISHER, each)]
    return topic not in (served or topics[:1])


def other_kind_of_command(snapshot: Snapshot) -> list[Finding]:
    """Pedals are sent to a car that takes accelerations, or the other way round."""
    taken = [end for end in snapshot.inputs if end.type_name in AUTOWARE_TYPES]
    topics = {end.topic for end in snapshot.ends(Side.SUBSCRIPTION)}
    findings = []
    for source in snapshot.ends(Side.PUBLISHER):
        if source.type_name not in AUTOWARE_TYPES or source.topic in topics or not taken:
            continue
        kinds = PEDAL_TYPES if source.type_name in PEDAL_TYPES else frozenset({CONTROL_TYPE})
        if any(end.type_name in kinds for end in taken):
            continue
        wanted = taken[0]
        what = (
            f"{source.label} publishes {source.topic} ({source.type_name}) and {wanted.node} "
            f"takes {wanted.topic} ({wanted.type_name})"
        )
        cure = (
            "choose a model that takes it (vehicle_model_type:=ACTUATION_CMD..., "
            "command:=actuation: pedals), or publish what is taken"
        )
        findings.append(Finding("other_kind", Severity.ERROR, what, cure))
    return findings
