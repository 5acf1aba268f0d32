"""Is there an interface, does anyone command it, and does a name almost match?"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher

from vdsim_interface.extras.doctor.snapshot import (
    COMMAND_TYPES,
    TYPE_OF_LEVEL,
    Endpoint,
    Finding,
    Side,
    Snapshot,
)
from vdsim_interface.values import Severity

STACKS_OWN = frozenset(
    {
        *("adapi", "api", "autoware_api", "control", "default_ad_api", "localization", "map"),
        *("perception", "planning", "sensing", "system"),
    }
)
"""First parts of the names of Autoware's own nodes: their topics are theirs, and stay."""
TO_A_VEHICLE = ("autoware_vehicle_msgs/", "autoware_control_msgs/", "tier4_vehicle_msgs/")
"""Beginnings of the types that only a vehicle and its stack exchange."""
_LIKENESS = 0.8
"""Share of equal characters from which two names count as meant to be one."""


def _unmatched(snapshot: Snapshot, side: Side) -> list[Endpoint]:
    other = Side.SUBSCRIPTION if side is Side.PUBLISHER else Side.PUBLISHER
    matched = {(end.topic, end.type_name) for end in snapshot.ends(other)}
    return [end for end in snapshot.ends(side) if (end.topic, end.type_name) not in matched]


def likeness(one: str, other: str) -> float:
    """How much a topic could be meant by another name: another namespace, or a slip; 0: not."""
    ratio = SequenceMatcher(None, one.lower(), other.lower()).ratio()
    is_same_base = one.rsplit("/", 1)[-1] == other.rsplit("/", 1)[-1]
    return ratio if is_same_base or ratio >= _LIKENESS else 0.0


def _most_alike(end: Endpoint, others: list[Endpoint]) -> Endpoint | None:
    """The end that was most likely meant; None without one."""
    alike = [
        (likeness(end.topic, other.topic), other)
        for other in others
        if other.type_name == end.type_name and other.node != end.node
    ]
    best = max(alike, key=lambda pair: pair[0], default=(0.0, end))
    return best[1] if best[0] > 0.0 else None


def almost_equal_names(snapshot: Snapshot) -> list[Finding]:
    """A command that nobody receives, or a report that somebody waits for under another name.

    Between Autoware's own nodes and ours only what a vehicle exchanges with its stack counts, and
    then our end is to change: who remaps Autoware cuts off what its other nodes wait for.
    """
    vehicle = snapshot.vehicle_nodes
    waiting = _unmatched(snapshot, Side.SUBSCRIPTION)
    inputs = [end for end in waiting if end.node in vehicle]
    outputs = [end for end in snapshot.ends(Side.PUBLISHER) if end.node in vehicle]
    findings = []
    for publisher in _unmatched(snapshot, Side.PUBLISHER):
        if publisher.node in vehicle or _is_stacks_own(publisher):
            continue
        wanted = _most_alike(publisher, inputs)
        if wanted is not None:
            findings.append(_other_name(publisher, wanted, publisher.topic, wanted.topic))
    for wanted in waiting:
        if wanted.node in vehicle or _is_stacks_own(wanted):
            continue
        publisher_of = _most_alike(wanted, outputs)
        if publisher_of is not None:
            findings.append(_other_name(publisher_of, wanted, wanted.topic, publisher_of.topic))
    return findings


def _is_of_stack(end: Endpoint) -> bool:
    return end.node.lstrip("/").partition("/")[0] in STACKS_OWN


def _is_stacks_own(end: Endpoint) -> bool:
    """Whether an end is between nodes of the stack alone."""
    return _is_of_stack(end) and not end.type_name.startswith(TO_A_VEHICLE)


def _other_name(publisher: Endpoint, wanted: Endpoint, old: str, new: str) -> Finding:
    """`old` -> `new` is the remapping for the end that is not the vehicle's."""
    what = f"{publisher.label} publishes {publisher.topic} and {wanted.label} waits for "
    what += wanted.topic
    theirs, ours = (publisher, wanted) if old == publisher.topic else (wanted, publisher)
    other = theirs.label
    if _is_of_stack(theirs):
        other, old, new = ours.label, new, old
    cure = f"start {other} with --ros-args -r {old}:={new}"
    return Finding("other_name", Severity.ERROR, what, cure)


def nobody_commands(snapshot: Snapshot) -> list[Finding]:
    """Nodes of the vehicle of which no command input has a publisher."""
    findings = []
    published = {(end.topic, end.type_name) for end in snapshot.ends(Side.PUBLISHER)}
    for node in sorted(snapshot.vehicle_nodes):
        inputs = [end for end in snapshot.inputs if end.node == node]
        if inputs and not any((end.topic, end.type_name) in published for end in inputs):
            topics = sorted({end.topic for end in _for_the_stack(inputs, snapshot.levels)})
            what = f"nobody publishes a command for {node or 'the vehicle'}"
            cure = f"publish on {'one of ' * (len(topics) > 1)}{', '.join(topics)}"
            findings.append(Finding("no_command", Severity.WARN, what, cure))
    return findings


def _for_the_stack(inputs: list[Endpoint], levels: Mapping[str, str]) -> list[Endpoint]:
    """Of a node's inputs those of the stack, as far as they are known: other sources are a
    person's, and of the levels one is in use."""
    own = [end for end in inputs if end.topic.rpartition("/")[0] == end.node.rpartition("/")[0]]
    used = [end for end in own if end.type_name == TYPE_OF_LEVEL.get(levels.get(end.node, ""))]
    return used or own or inputs


def commands_without_interface(snapshot: Snapshot) -> list[Finding]:
    """Commands are published, and no vehicle interface is there to receive them."""
    if snapshot.vehicle_nodes:
        return []
    lost = sorted(
        {
            f"{end.label} on {end.topic}"
            for end in _unmatched(snapshot, Side.PUBLISHER)
            if end.type_name in COMMAND_TYPES
        }
    )
    if not lost:
        return []
    what = f"no vehicle interface receives the commands of {', '.join(lost)}"
    cure = "start one with `ros2 launch vdsim_interface vdsim.launch.py` in this ROS_DOMAIN_ID"
    return [Finding("no_interface", Severity.ERROR, what, cure)]
