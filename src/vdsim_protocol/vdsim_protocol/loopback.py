"""ROS on loopback alone, where the search for other nodes is limited to this machine.

ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST limits whom a node looks for; its sockets are open on all
addresses all the same, so that a host that knows the address could send to them. With the profile
in data/ a participant of Fast DDS receives on 127.0.0.1 alone. Nodes without a profile, of whatever
range, find it and are found by it on the same machine. No profile binds Cyclone DDS to an address:
its sockets discard what arrives from another machine (host_filter.py). A profile of the user's is
never replaced.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

from vdsim_protocol.host_filter import discarding_from_others, is_discarding, opened, own_sockets

PROFILE = Path(__file__).parent / "data" / "fastdds_loopback.xml"
OLDER_NAME, NAME = "FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"
_OLDER_DISTROS = ("humble", "iron", "jazzy")
_IN_FOLDER = ("DEFAULT_FASTRTPS_PROFILES.xml", "DEFAULT_FASTDDS_PROFILES.xml")
"""What Fast DDS reads besides, from the folder in which a program is started."""
_OF_CYCLONE = "CYCLONEDDS_URI"
_BASE, _OF_A_DOMAIN = 7400, 250
_TABLE = Path("/proc/self/net/udp")
_ALL, _FILTERED = "all addresses", "all addresses, from this machine alone"


def is_for_this_machine(environ: Mapping[str, str]) -> bool:
    """Whether nodes look for others on this machine alone."""
    if environ.get("ROS_LOCALHOST_ONLY") == "1":
        return True
    return environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "").upper() == "LOCALHOST"


def settings(environ: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The variables that bind a participant to loopback; none where the user has chosen.

    `folder`: the one in which the program was started.
    """
    middleware = environ.get("RMW_IMPLEMENTATION", "") or "rmw_fastrtps_cpp"
    is_chosen = any(environ.get(name) for name in (OLDER_NAME, NAME))
    if (
        not is_for_this_machine(environ)
        or "fastrtps" not in middleware
        or is_chosen
        or any((folder / name).exists() for name in _IN_FOLDER)
    ):
        return {}
    # Kilted's Fast DDS warns about the older name; the others know no other.
    name = OLDER_NAME if environ.get("ROS_DISTRO", "") in _OLDER_DISTROS else NAME
    return {name: str(PROFILE)}


def bind_to_loopback() -> None:
    """Apply `settings` to this process; to be called before its first node is created."""
    os.environ.update(settings(os.environ, Path.cwd()))


def is_filtered(environ: Mapping[str, str]) -> bool:
    """Whether a participant's sockets must discard what other machines send."""
    is_cyclone = "cyclonedds" in environ.get("RMW_IMPLEMENTATION", "")
    return is_for_this_machine(environ) and is_cyclone and not environ.get(_OF_CYCLONE)


def kept_to_this_machine() -> AbstractContextManager[None]:
    """To be held while the first node of a process is created, and with it its participant."""
    return discarding_from_others() if is_filtered(os.environ) else nullcontext()


def is_on_loopback(environ: Mapping[str, str]) -> bool:
    """Whether the profile that counts is this one, or the same under another path."""
    chosen = environ.get(NAME) or environ.get(OLDER_NAME) or ""
    return Path(chosen).name == PROFILE.name


class Listening(NamedTuple):
    """An IPv4 address, or words for all of them, and a UDP port on which a process receives."""

    address: str
    port: int


def listening(table: str, inodes: Mapping[str, bool], domain: int) -> list[Listening]:
    """The sockets of a domain's ports in the kernel's table, of those with these inodes.

    `inodes`: whether each socket discards what another machine sends.
    """
    first = _BASE + _OF_A_DOMAIN * domain
    found = []
    for line in table.splitlines()[1:]:
        columns = line.split()
        address, _, port = columns[1].partition(":")
        if columns[9] in inodes and first <= int(port, 16) < first + _OF_A_DOMAIN:
            numbers = bytes.fromhex(address)[::-1]  # as this machine orders bytes
            shown = ".".join(map(str, numbers)) if any(numbers) else _ALL
            shown = _FILTERED if inodes[columns[9]] else shown
            found.append(Listening(shown, int(port, 16)))
    return sorted(found)


def told(sockets: Iterable[Listening]) -> str:
    """One line for the log: which addresses listen; empty when nothing is known."""
    by_address: dict[str, list[int]] = {}
    for each in sockets:
        by_address.setdefault(each.address, []).append(each.port)
    if not by_address:
        return ""
    parts = []
    for address, ports in by_address.items():
        parts.append(f"{address} (UDP {', '.join(map(str, ports))})")
    others = "" if set(by_address) <= {"127.0.0.1", _FILTERED} else ": other machines can reach it"
    return f"ROS listens on {' and '.join(parts)}{others}"


def own_listening(environ: Mapping[str, str]) -> list[Listening]:
    """What this process listens on in its domain; nothing where the system has no such tables."""
    try:
        table = _TABLE.read_text(encoding="ascii")
        domain = int(environ.get("ROS_DOMAIN_ID") or 0)
    except (OSError, ValueError):
        return []
    inodes = {}
    for inode, descriptor in own_sockets():
        with suppress(OSError), opened(descriptor) as each:  # closed meanwhile
            inodes[inode] = is_discarding(each)
    return listening(table, inodes, domain)
