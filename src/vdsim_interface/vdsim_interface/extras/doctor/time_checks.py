"""Does time pass alike at both ends: kind of clock, stamps, rates."""

from __future__ import annotations

from vdsim_interface.extras.doctor.snapshot import Finding, Received, Side, Snapshot
from vdsim_interface.values import Severity

CLOCK = "/clock"
RATE_MIN_HZ = 10.0
"""Below it a command is near its time-out (docs/your-stack.md)."""
AGE_MAX_S, LEAD_MAX_S = 1.0, 0.1
OTHER_CLOCK_S = 1e8
"""Stamps that are this far off count from another zero: simulated time."""


def clock(snapshot: Snapshot) -> list[Finding]:
    """A node that uses simulated time subscribes to /clock."""
    publishers = snapshot.ends(Side.PUBLISHER, CLOCK)
    users = {end.node for end in snapshot.ends(Side.SUBSCRIPTION, CLOCK)}
    vehicle = snapshot.vehicle_nodes
    simulated, real = sorted(vehicle & users), sorted(vehicle - users)
    findings = []
    if len(publishers) > 1:
        names = ", ".join(sorted(end.label for end in publishers))
        what = f"{len(publishers)} programs publish {CLOCK} ({names}), so that time jumps"
        findings.append(Finding("two_clocks", Severity.ERROR, what, "end all but one"))
    back_s = max((seen.back_s for seen in snapshot.received if seen.topic == CLOCK), default=0.0)
    if back_s > 0.0:
        what = f"{CLOCK} went back by {back_s:.1f} s, so that what was received before is discarded"
        cure = "start the stack again with the simulator, or let the simulator's time go on"
        findings.append(Finding("clock_back", Severity.ERROR, what, cure))
    if simulated and not publishers:
        what = (
            f"{', '.join(simulated)} uses simulated time and nobody publishes {CLOCK}, so that its "
            "time stands still"
        )
        cure = "start with use_sim_time:=false, or start the program that publishes /clock"
        findings.append(Finding("no_clock", Severity.ERROR, what, cure))
    if simulated and real:
        what = (
            f"{', '.join(simulated)} uses simulated time and {', '.join(real)} the system's clock"
        )
        findings.append(_mixed(what))
    commanding = _commanding(snapshot)
    different = sorted(commanding - users if simulated else commanding & users)
    if vehicle and publishers and different:
        kinds = ("the system's clock", "simulated time")
        theirs, ours = kinds if simulated else kinds[::-1]
        findings.append(_mixed(f"{', '.join(different)} uses {theirs} and the vehicle {ours}"))
    return findings


def _mixed(what: str) -> Finding:
    return Finding("mixed_clocks", Severity.WARN, what, "set use_sim_time alike on all nodes")


def _commanding(snapshot: Snapshot) -> set[str]:
    """Nodes outside the vehicle that publish commands; programs without a name are not known."""
    wanted = {end.topic for end in snapshot.inputs}
    publishers = {end.node for end in snapshot.ends(Side.PUBLISHER) if end.topic in wanted}
    return publishers - snapshot.vehicle_nodes - {""}


def stamps(snapshot: Snapshot) -> list[Finding]:
    """Messages whose stamps are not of this moment."""
    findings = []
    for seen in snapshot.received:
        if seen.unstamped:
            what = f"{seen.topic} arrives without stamps, they are all zero"
            cure = "stamp each message when it is published: without it a late one counts as new"
            findings.append(Finding("no_stamps", Severity.WARN, what, cure))
        if not seen.has_stamps or not seen.count:
            continue
        off_s = max(seen.oldest_s, -seen.newest_s)
        if off_s > OTHER_CLOCK_S:
            what = f"{seen.topic} is stamped with another clock, {off_s:.3g} s off this one"
            cure = "set use_sim_time alike on all nodes"
        elif seen.oldest_s > AGE_MAX_S:
            what = f"{seen.topic} arrives with stamps up to {seen.oldest_s:.2f} s old"
            cure = _CLOCKS
        elif seen.newest_s < -LEAD_MAX_S:
            what = f"{seen.topic} arrives with stamps up to {-seen.newest_s:.2f} s in the future"
            cure = _CLOCKS
        else:
            continue
        findings.append(Finding("stale_stamps", Severity.WARN, what, cure))
    return findings


_CLOCKS = "synchronise the clocks of both machines, or stamp when the message is published"


def rates(snapshot: Snapshot) -> list[Finding]:
    """Command topics on which too little arrives of a program outside of the vehicle.

    An adapter sends what it is sent: then what it waits for is to be named.
    """
    wanted = {end.topic for end in snapshot.inputs}
    return [
        finding
        for seen in snapshot.received
        if seen.topic in wanted and (sources := _sources(seen.topic, snapshot))
        for finding in _rate_of(seen, sources)
    ]


def _sources(topic: str, snapshot: Snapshot) -> list[str]:
    vehicle = snapshot.vehicle_nodes
    ends = snapshot.ends(Side.PUBLISHER, topic)
    return sorted(end.label for end in ends if end.node not in vehicle)


def _rate_of(seen: Received, sources: list[str]) -> list[Finding]:
    names = ", ".join(sources)
    if not seen.count:
        what = (
            f"{names} has announced {seen.topic} and has sent nothing within {seen.window_s:.0f} s"
        )
        return [
            Finding("silent_publisher", Severity.WARN, what, "check whether that program computes")
        ]
    if seen.rate_hz < RATE_MIN_HZ:
        what = f"{seen.topic} arrives at {seen.rate_hz:.1f} Hz"
        cure = f"publish at {RATE_MIN_HZ:g} Hz at least; older commands stop the car"
        return [Finding("slow", Severity.WARN, what, cure)]
    return []
