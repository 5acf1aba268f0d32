"""ROS on loopback alone, where the search for other nodes is limited to this machine.

ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST limits whom a node looks for; its sockets are open on all
addresses all the same, so that a host that knows the address could send to them. With the profile
in data/ a participant of Fast DDS receives on 127.0.0.1 alone. Nodes without a profile, of whatever
range, find it and are found by it on the same machine. A profile of the user's is never replaced.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

PROFILE = Path(__file__).parent / "data" / "fastdds_loopback.xml"
OLDER_NAME, NAME = "FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"
_OLDER_DISTROS = ("humble", "iron", "jazzy")
_IN_FOLDER = ("DEFAULT_FASTRTPS_PROFILES.xml", "DEFAULT_FASTDDS_PROFILES.xml")
"""What Fast DDS reads besides, from the folder in which a program is started."""
_BASE, _OF_A_DOMAIN = 7400, 250
_TABLE = Path("/proc/self/net/udp")
_SOCKET = re.compile(r"socket:\[(\d+)\]")


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


def is_on_loopback(environ: Mapping[str, str]) -> bool:
    """Whether the profile that counts is this one, or the same under another path."""
    chosen = environ.get(NAME) or environ.get(OLDER_NAME) or ""
    return Path(chosen).name == PROFILE.name


class Listening(NamedTuple):
    """An IPv4 address and UDP port on which a process receives."""

    address: str
    port: int


def listening(table: str, inodes: Iterable[str], domain: int) -> list[Listening]:
    """The sockets of a domain's ports in the kernel's table, of those with these inodes."""
    own, first = set(inodes), _BASE + _OF_A_DOMAIN * domain
    found = []
    for line in table.splitlines()[1:]:
        columns = line.split()
        address, _, port = columns[1].partition(":")
        if columns[9] in own and first <= int(port, 16) < first + _OF_A_DOMAIN:
            numbers = bytes.fromhex(address)[::-1]  # as this machine orders bytes
            found.append(Listening(".".join(map(str, numbers)), int(port, 16)))
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
        where = "all addresses" if address == "0.0.0.0" else address
        parts.append(f"{where} (UDP {', '.join(map(str, ports))})")
    others = "" if set(by_address) == {"127.0.0.1"} else ": other machines can reach it"
    return f"ROS listens on {' and '.join(parts)}{others}"


def own_listening(environ: Mapping[str, str]) -> list[Listening]:
    """What this process listens on in its domain; nothing where the system has no such tables."""
    try:
        table = _TABLE.read_text(encoding="ascii")
        domain = int(environ.get("ROS_DOMAIN_ID") or 0)
        descriptors = list(Path("/proc/self/fd").iterdir())
    except (OSError, ValueError):
        return []
    inodes = []
    for descriptor in descriptors:
        try:
            match = _SOCKET.fullmatch(str(descriptor.readlink()))
        except OSError:  # closed meanwhile
            continue
        if match:
            inodes.append(match[1])
    return listening(table, inodes, domain)
