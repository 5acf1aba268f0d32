"""What the nodes of a graph really open, beside the table of `./ws secure`.

With VDSIM_RECORD_ENDPOINTS=1 the tests add to the table what it lacks; a name goes by hand alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import datetime
from fnmatch import fnmatchcase
from xml.etree import ElementTree

from rclpy.node import Node
from workspace.secure import table
from workspace.secure.documents import Validity, permissions
from workspace.secure.policy import (
    CLOCK,
    INTERFACE,
    OF_EVERY_NODE,
    OPERATORS,
    ROLES,
    Places,
    rights,
)
from workspace.secure.table import KINDS, Endpoints

WRITTEN = {"publishes": "rt{}", "calls": "rq{}Request", "offers": "rr{}Reply"}
"""How rmw names what a node writes to, as the design page of ROS 2's names has it."""
READ = {"subscribes": "rt{}", "calls": "rr{}Reply", "offers": "rq{}Request"}

ACTS, READS = "publish", "subscribe"
_ALWAYS = Validity(datetime(2000, 1, 1), datetime(2100, 1, 1))


def endpoints_of(probe: Node, name: str, namespace: str) -> Endpoints:
    """The names that a node opens, with a slash in front."""
    listed = (
        probe.get_publisher_names_and_types_by_node(name, namespace),
        probe.get_subscriber_names_and_types_by_node(name, namespace),
        probe.get_service_names_and_types_by_node(name, namespace),
        probe.get_client_names_and_types_by_node(name, namespace),
    )
    return Endpoints(*(frozenset(topic for topic, _ in kind) for kind in listed))


def unlisted(probe: Node, name: str, namespace: str) -> list[str]:
    """What a node opens, of those that the table does not have for it."""
    found = endpoints_of(probe, name, namespace)
    known = table.table().get(name, Endpoints())
    begin = f"{namespace.rstrip('/')}/"
    lacking = {
        kind: {each.removeprefix(begin) for each in getattr(found, kind)} - getattr(known, kind)
        for kind in KINDS
    }
    if os.environ.get("VDSIM_RECORD_ENDPOINTS"):
        _record(name, lacking)
        return []
    return [f"{name} {kind} {each}" for kind in KINDS for each in sorted(lacking[kind])]


def _record(name: str, lacking: dict[str, set[str]]) -> None:
    read = json.loads(table.FILE.read_text(encoding="utf-8"))
    node = read.setdefault(name, {kind: [] for kind in KINDS})
    for kind in KINDS:
        node[kind] = sorted({*node[kind], *lacking.get(kind, ())})
    text = json.dumps(read, indent=1, sort_keys=True)
    table.FILE.write_text(f"{text}\n", encoding="utf-8")
    table.table.cache_clear()


class Permissions:
    """A role's permissions, as a middleware reads them from the XML."""

    def __init__(self, role: str, places: Places) -> None:
        text = permissions(f"/{role}", rights(table.table(), role, places), [], _ALWAYS)
        rule = ElementTree.fromstring(text).find("permissions/grant/allow_rule")
        assert rule is not None
        self._patterns = {
            way: [topic.text or "" for topic in rule.iterfind(f"{way}/topics/topic")]
            for way in (ACTS, READS)
        }

    def allow(self, way: str, name: str) -> bool:
        """Whether a name of DDS is allowed; `way`: publish, subscribe."""
        return any(fnmatchcase(name, pattern) for pattern in self._patterns[way])

    def refused(self, endpoints: Endpoints) -> Iterator[tuple[str, str]]:
        """What of these a participant could not open: the kind of end, and the name."""
        for way, names in ((ACTS, WRITTEN), (READS, READ)):
            for kind, form in names.items():
                for each in getattr(endpoints, kind):
                    if not self.allow(way, form.format(each)):
                        yield kind, each


def refused_in(probe: Node) -> list[str]:
    """What enclaves would refuse to the nodes of a running launch, or grant to others."""
    may = {role: Permissions(role, Places()) for role in ROLES}
    wrong: set[str] = set()
    seen = 0
    for name, namespace in probe.get_node_names_and_namespaces():
        if name not in table.table() or name == probe.get_name():
            continue
        seen += 1
        found = endpoints_of(probe, name, namespace)
        begin = f"{namespace}/"
        own = ("vehicle", "operator") if name in OPERATORS else ("vehicle",)
        for role in own:
            for kind, each in may[role].refused(found):
                wrong.add(f"{role}: {name} {kind} {each}")
                if os.environ.get("VDSIM_RECORD_ENDPOINTS"):
                    _record(name, {kind: {each.removeprefix(begin)}})
        acts = {f"rt{each}" for each in found.subscribes - OF_EVERY_NODE - {CLOCK}}
        acts |= {f"rq{each}Request" for each in found.offers}
        reports = {f"rt{each}" for each in found.publishes - OF_EVERY_NODE}
        wrong |= {f"viewer: may {each}" for each in acts if may["viewer"].allow(ACTS, each)}
        for role in ROLES:
            wrong |= {f"{role}: no {each}" for each in reports if not may[role].allow(READS, each)}
        if name == INTERFACE:
            for role in ("stack", "operator"):
                wrong |= {f"{role}: may {each}" for each in reports if may[role].allow(ACTS, each)}
    assert seen, "no node of ours is in the graph"
    return sorted(wrong)
