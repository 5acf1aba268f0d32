"""Are the nodes searched where they are: domain, discovery range, open sockets."""

from __future__ import annotations

from collections.abc import Iterable

from vdsim_interface.extras.doctor.snapshot import Finding, Side, Snapshot
from vdsim_interface.values import Severity

PORT_BASE, DOMAIN_GAIN, PARTICIPANT_GAIN = 7400, 250, 2
"""Ports of RTPS: base + gain * domain + offset, 2 more for each participant of a machine."""
_FIRST_OFFSET, _MOST_PARTICIPANTS = 10, 119
DOMAIN_ID_MAX = 101
"""Above it the ports are among those that Linux gives to any program."""


def domain_of_port(port: int) -> int | None:
    """Return the domain whose participants receive on this UDP port."""
    domain, offset = divmod(port - PORT_BASE, DOMAIN_GAIN)
    is_unicast = 0 <= offset - _FIRST_OFFSET < PARTICIPANT_GAIN * _MOST_PARTICIPANTS
    return domain if 0 <= domain <= DOMAIN_ID_MAX and is_unicast else None


def domains_of(ports: Iterable[int]) -> frozenset[int]:
    """Return the domains that have a participant; both ports of one must be open."""
    opened = set(ports)
    found = set()
    for port in opened:
        domain = domain_of_port(port)
        is_first = (port - PORT_BASE) % DOMAIN_GAIN % PARTICIPANT_GAIN == 0
        if domain is not None and is_first and port + 1 in opened:
            found.add(domain)
    return frozenset(found)


def no_interface(snapshot: Snapshot) -> list[Finding]:
    """No node of the vehicle is found: where else could it be?"""
    if snapshot.vehicle_nodes:
        return []
    network = snapshot.network
    others = sorted(domains_of(network.udp_ports) - {network.domain_id})
    what = f"no vehicle interface is in ROS_DOMAIN_ID={network.domain_id}"
    if network.discovery_range == "OFF":
        cure = "ROS_AUTOMATIC_DISCOVERY_RANGE=OFF finds nobody; set LOCALHOST or SUBNET"
    elif others:
        names = ", ".join(str(domain) for domain in others)
        cure = f"this machine has programs in domain {names}; set ROS_DOMAIN_ID to that of the car"
    elif network.discovery_range == "LOCALHOST":
        cure = (
            "ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST finds this machine alone; start the car here, "
            "or set SUBNET on both machines"
        )
    else:
        cure = "start `ros2 launch vdsim_interface vdsim.launch.py`, with the same ROS_DOMAIN_ID"
    return [Finding("no_interface", Severity.ERROR, what, cure)]


def several_interfaces(snapshot: Snapshot) -> list[Finding]:
    """Two vehicle interfaces in one namespace: both obey the same commands."""
    return [
        Finding(
            "two_interfaces",
            Severity.ERROR,
            f"{len(nodes)} vehicle interfaces are in the namespace {namespace or '/'} "
            f"({', '.join(nodes)}): both obey the same commands, and what they report is mixed",
            "end one, or start it with a namespace of its own (namespace:=car_2)",
        )
        for namespace, nodes in snapshot.interfaces.items()
        if len(nodes) > 1
    ]


def other_domains(snapshot: Snapshot) -> list[Finding]:
    """The vehicle is here and nobody commands it, while this machine has other domains."""
    network = snapshot.network
    others = sorted(domains_of(network.udp_ports) - {network.domain_id})
    if not others or not snapshot.inputs or _is_commanded(snapshot):
        return []
    names = ", ".join(str(domain) for domain in others)
    what = (
        f"nobody in ROS_DOMAIN_ID={network.domain_id} commands the vehicle, and this machine has "
        f"programs in domain {names}"
    )
    return [Finding("other_domain", Severity.WARN, what, "start both with the same ROS_DOMAIN_ID")]


def _is_commanded(snapshot: Snapshot) -> bool:
    wanted = {(end.topic, end.type_name) for end in snapshot.inputs}
    return any((end.topic, end.type_name) in wanted for end in snapshot.ends(Side.PUBLISHER))


def open_sockets(snapshot: Snapshot) -> list[Finding]:
    """LOCALHOST limits the search, and not who may send."""
    network = snapshot.network
    if network.discovery_range != "LOCALHOST" or not snapshot.vehicle_nodes:
        return []
    mine = sorted(
        port for port in network.wildcard_ports if domain_of_port(port) == network.domain_id
    )
    if not mine:
        return []
    what = (
        f"discovery is limited to this machine, and the UDP ports {mine[0]} to {mine[-1]} are open "
        "on all addresses"
    )
    cure = (
        "close them in the firewall, or start each without a profile of its own, on Fast DDS "
        "(docs/live-doctor.md)"
    )
    return [Finding("open_sockets", Severity.INFO, what, cure)]
