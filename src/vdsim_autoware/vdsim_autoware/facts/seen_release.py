"""Which release of Autoware a graph is of: by the topics whose names or types a release changed."""

from __future__ import annotations

from vdsim_interface.extras.doctor.snapshot import Snapshot

from vdsim_autoware.facts.peer_facts import NOT_READ, Peer, Release, peer

SIMULATOR = "simple_planning_simulator"
OURS_ALONE = "vdsim_msgs/msg/CommandTrace"
"""What Autoware's own simulator does not publish."""
OF_AUTOWARE = ("autoware_", "tier4_")
"""Beginnings of the packages whose messages only an Autoware has."""


def seen_release(snapshot: Snapshot) -> list[str]:
    """Return the doctor's lines about Autoware: its release, and whose planning simulator runs."""
    return [*release_line(snapshot, peer("autoware")), *simulator_lines(snapshot)]


def simulator_lines(snapshot: Snapshot) -> list[str]:
    """Return a line for each planning simulator: ours and Autoware's have one name."""
    traced = {end.node for end in snapshot.endpoints if end.type_name == OURS_ALONE}
    return [
        f"{node}: {'that of vdsim' if node in traced else 'that of Autoware itself'}"
        for node in sorted(snapshot.vehicle_nodes)
        if node.endswith(f"/{SIMULATOR}")
    ]


def release_line(snapshot: Snapshot, autoware: Peer) -> list[str]:
    """Return the line by these facts."""
    theirs = {
        (end.topic, end.type_name)
        for end in snapshot.endpoints
        if end.node not in snapshot.vehicle_nodes and end.type_name.startswith(OF_AUTOWARE)
    }
    if not theirs:
        return []
    releases = autoware.releases
    known = {release.name: _topics(release) for release in releases}
    changed = sorted({
        (topic, kind) for topic, kind in theirs
        if any(_has(known[release.name], topic, kind) for release in releases)
        and not all(_has(known[release.name], topic, kind) for release in releases)
    })  # fmt: skip
    checked = autoware.checked_against().removesuffix(".").replace("Checked", "checked", 1)
    if not changed:
        return [f"Autoware: its topics do not tell its release; {checked}"]
    words = ", ".join(topic for topic, _ in changed)
    fitting = [
        release.name
        for release in releases
        if all(_has(known[release.name], topic, kind) for topic, kind in changed)
    ]
    if not fitting:
        return [f"Autoware: of no release that was read, or of several at once ({words})"]
    span = fitting[0] if len(fitting) == 1 else f"{fitting[0]} to {fitting[-1]}"
    return [f"Autoware: as in {span} (by {words}); {checked}"]


def _topics(release: Release) -> dict[str, str]:
    topics = release.get("topics") or ()
    return {str(item["name"]): str(item["type"]) for item in topics}


def _has(topics: dict[str, str], topic: str, kind: str) -> bool:
    """Whether a release has this topic, with this type as far as that was read."""
    return topics.get(topic) in (kind, NOT_READ)
