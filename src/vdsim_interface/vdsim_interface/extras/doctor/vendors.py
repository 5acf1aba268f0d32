"""Which DDS implementation stands behind an end of a topic: the first two bytes of its GID.

A GID begins with the vendor's number, which the Object Management Group assigns. Topics cross
between vendors. Services of ROS 2 do not: each rmw frames a request in its own way, and the other
one discards it, or reads the frame as the request.
"""

from __future__ import annotations

from vdsim_interface.extras.doctor.snapshot import Finding, Snapshot
from vdsim_interface.values import Severity

VENDORS = {
    b"\x01\x01": "RTI Connext",
    b"\x01\x02": "OpenSplice",
    b"\x01\x03": "OpenDDS",
    b"\x01\x0f": "Fast DDS",
    b"\x01\x10": "Cyclone DDS",
    b"\x01\x11": "GurumDDS",
    b"\x01\x12": "RustDDS",
}


def vendor_of(gid: bytes) -> str:
    """Name the vendor; empty for a middleware that is not DDS, or not known."""
    return VENDORS.get(gid[:2], "")


def other_vendors(snapshot: Snapshot) -> list[Finding]:
    """Programs whose service requests the vehicle's nodes cannot answer."""
    vehicle = snapshot.vehicle_nodes
    by_vendor: dict[str, set[str]] = {}
    ours: set[str] = set()
    for end in snapshot.endpoints:
        vendor = vendor_of(end.gid)
        if not vendor:
            continue
        if end.node in vehicle:
            ours.add(vendor)
        else:
            by_vendor.setdefault(vendor, set()).add(end.label)
    if not ours and vendor_of(snapshot.own_gid):
        ours = {vendor_of(snapshot.own_gid)}
    return [
        Finding(
            "other_vendor",
            Severity.WARN,
            f"{_some(names)} runs on {vendor} and the vehicle on {', '.join(sorted(ours))}; topics "
            "cross, and no service of one side is answered for the other",
            "set the same RMW_IMPLEMENTATION on both sides, or request the mode by topic "
            "(change_mode_twin/request)",
        )
        for vendor, names in sorted(by_vendor.items())
        if ours and vendor not in ours
    ]


def _some(names: set[str], most: int = 3) -> str:
    shown = sorted(names)
    more = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more
