"""Do the two ends of a topic fit: type, version of the type, QoS, and how many publish."""

from __future__ import annotations

from itertools import product

from vdsim_interface.extras.doctor.snapshot import (
    COMMAND_TYPES,
    GEAR_REPORT_TYPE,
    Endpoint,
    Finding,
    Side,
    Snapshot,
)
from vdsim_interface.values import Severity

_OFFERS = {
    "reliability": ("BEST_EFFORT", "RELIABLE"),
    "durability": ("VOLATILE", "TRANSIENT_LOCAL"),
}
"""The values of a QoS policy, the weaker one first: offered must not be weaker than requested."""


def _pairs(snapshot: Snapshot) -> list[tuple[Endpoint, Endpoint]]:
    """Every publisher with every subscription of its topic."""
    return [
        pair
        for topic in snapshot.topics
        for pair in product(
            snapshot.ends(Side.PUBLISHER, topic), snapshot.ends(Side.SUBSCRIPTION, topic)
        )
    ]


def types(snapshot: Snapshot) -> list[Finding]:
    """Ends of one topic with different types, or with different versions of one type."""
    return [
        finding
        for publisher, subscription in _pairs(snapshot)
        for finding in _type_of(publisher, subscription)
    ]


def _type_of(publisher: Endpoint, subscription: Endpoint) -> list[Finding]:
    topic = publisher.topic
    if publisher.type_name != subscription.type_name:
        what = (
            f"{publisher.label} publishes {topic} as {publisher.type_name} and "
            f"{subscription.label} expects {subscription.type_name}"
        )
        cure = f"publish {subscription.type_name}, or remap one of them"
        return [Finding("other_type", Severity.ERROR, what, cure)]
    hashes = publisher.type_hash, subscription.type_hash
    if all(hashes) and hashes[0] != hashes[1]:
        what = (
            f"{publisher.label} and {subscription.label} have different versions of "
            f"{publisher.type_name} on {topic} (type hashes {_short(hashes[0])} and "
            f"{_short(hashes[1])})"
        )
        return [Finding("other_version", Severity.ERROR, what, "build both from the same package")]
    return []


def _short(type_hash: str) -> str:
    return type_hash.removeprefix("RIHS01_")[:8]


def installed_types(snapshot: Snapshot) -> list[Finding]:
    """Commands whose version is not the one installed here."""
    return [
        Finding(
            "other_version",
            Severity.ERROR,
            f"{end.label} {end.side.value} {end.topic} with a version of {end.type_name} that is "
            "not the one installed here",
            "build both from the same package",
        )
        for end in snapshot.endpoints
        if end.type_name in COMMAND_TYPES
        and end.type_hash
        and snapshot.own_hashes.get(end.type_name, end.type_hash) != end.type_hash
    ]


def qos(snapshot: Snapshot) -> list[Finding]:
    """Pairs that the middleware does not connect."""
    return [
        finding
        for publisher, subscription in _pairs(snapshot)
        if publisher.type_name == subscription.type_name
        for finding in _qos_of(publisher, subscription)
    ]


def _qos_of(publisher: Endpoint, subscription: Endpoint) -> list[Finding]:
    findings = []
    for policy, order in _OFFERS.items():
        offered, requested = getattr(publisher.qos, policy), getattr(subscription.qos, policy)
        if offered == order[0] and requested == order[1]:
            findings.append(_not_connected(publisher, subscription, policy, offered, requested))
    offered_s, requested_s = publisher.qos.deadline_s, subscription.qos.deadline_s
    if requested_s > 0.0 and not 0.0 < offered_s <= requested_s:
        offered = f"{offered_s:g} s" if offered_s > 0.0 else "none"
        findings.append(
            _not_connected(publisher, subscription, "deadline", offered, f"{requested_s:g} s")
        )
    return findings


def _not_connected(
    publisher: Endpoint, subscription: Endpoint, policy: str, offered: str, requested: str
) -> Finding:
    what = (
        f"{publisher.label} publishes {publisher.topic} with {policy} {offered} and "
        f"{subscription.label} requests {requested}, so that nothing arrives"
    )
    return Finding("qos", Severity.ERROR, what, f"publish with {policy} {requested}")


REPORT_TYPES = frozenset(
    {
        "nav_msgs/msg/Odometry",
        "geometry_msgs/msg/AccelWithCovarianceStamped",
        "autoware_vehicle_msgs/msg/VelocityReport",
        "autoware_vehicle_msgs/msg/SteeringReport",
        GEAR_REPORT_TYPE,
        "autoware_vehicle_msgs/msg/ControlModeReport",
    }
)
"""Reports of which one program alone knows the truth."""


def several_reports(snapshot: Snapshot) -> list[Finding]:
    """One report from several programs: whoever listens jumps from one to the other."""
    findings = []
    for topic in snapshot.topics:
        reporting = [
            end for end in snapshot.ends(Side.PUBLISHER, topic) if end.type_name in REPORT_TYPES
        ]
        if len({end.node for end in reporting}) > 1:
            names = ", ".join(sorted(end.label for end in reporting))
            what = f"{len(reporting)} programs report {topic} ({names}), so that it jumps"
            cure = (
                "end all but one: a second simulator, or a simulated localization beside a real one"
            )
            findings.append(Finding("two_reports", Severity.ERROR, what, cure))
    return findings


def several_publishers(snapshot: Snapshot) -> list[Finding]:
    """Command topics on which each publisher replaces the other's commands."""
    findings = []
    for topic in sorted({end.topic for end in snapshot.inputs}):
        publishers = snapshot.ends(Side.PUBLISHER, topic)
        if len(publishers) > 1:
            names = ", ".join(sorted(end.label for end in publishers))
            what = (
                f"{len(publishers)} publishers on {topic} ({names}) replace each other's commands"
            )
            cure = "end all but one, or give each a source of its own (docs/arbitration.md)"
            findings.append(Finding("two_publishers", Severity.WARN, what, cure))
    return findings
