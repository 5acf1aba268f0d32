"""The doctor's view of the graph as text, for a recording; and when it is written again. Pure.

    graph at one moment  ->  View  ->  JSON  ->  View  ->  Snapshot of the checks

A view has what no message of a recording tells: nodes, topics, ends with types, hashes and QoS, the
domain, and the limits with which each interface began. It is whole each time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vdsim_interface.extras.doctor.network_checks import domain_of_port
from vdsim_interface.extras.doctor.snapshot import Endpoint, Network, Qos, Side, Snapshot
from vdsim_interface.extras.explain.limits import Limit

BYTES_PER_S = 100_000
"""A graph that keeps changing adds no more than this to a recording, before it is compressed."""
_SIDES = {"p": Side.PUBLISHER, "s": Side.SUBSCRIPTION}
_LETTERS = {side: letter for letter, side in _SIDES.items()}


@dataclass(frozen=True, kw_only=True)
class View:
    """What the doctor sees of the graph. `limits`: by the node of an interface.

    Of `graph` the text keeps ends, network, GID and hashes: the rest is in the messages.
    """

    graph: Snapshot = field(default_factory=Snapshot)
    limits: Mapping[str, tuple[Limit, ...]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """As one line of JSON."""
        graph, network = self.graph, self.graph.network
        return json.dumps(
            {
                "ends": [_end(each) for each in graph.endpoints],
                "domain_id": network.domain_id,
                "discovery_range": network.discovery_range,
                "udp_ports": _of_domains(network.udp_ports),
                "wildcard_ports": _of_domains(network.wildcard_ports),
                "own_gid": graph.own_gid.hex(),
                "own_hashes": dict(graph.own_hashes),
                "limits": {
                    node: [[each.name, each.value, each.source] for each in limits]
                    for node, limits in self.limits.items()
                },
            },
            separators=(",", ":"),
            sort_keys=True,
        )


def view_of(text: str) -> View:
    """Return the view in a text; raises ValueError, LookupError or TypeError for another text."""
    read = json.loads(text)
    graph = Snapshot(
        endpoints=tuple(_read_end(*each) for each in read["ends"]),
        network=Network(
            domain_id=int(read["domain_id"]),
            discovery_range=str(read["discovery_range"]),
            udp_ports=frozenset(map(int, read["udp_ports"])),
            wildcard_ports=frozenset(map(int, read["wildcard_ports"])),
        ),
        own_gid=bytes.fromhex(read["own_gid"]),
        own_hashes={str(name): str(value) for name, value in read["own_hashes"].items()},
    )
    limits = {
        str(node): tuple(Limit(str(name), value, str(source)) for name, value, source in rows)
        for node, rows in read["limits"].items()
    }
    return View(graph=graph, limits=limits)


class Pace:
    """When a view that has changed is written: at once, and a while after a large one."""

    def __init__(self) -> None:
        self._written = ""
        self._free_s = 0.0

    def is_due(self, text: str, now: float) -> bool:
        """Whether to write this view now [s of a clock that never jumps]."""
        if text == self._written or now < self._free_s:
            return False
        self._written, self._free_s = text, now + len(text) / BYTES_PER_S
        return True


def _end(end: Endpoint) -> list[Any]:
    qos = [end.qos.reliability, end.qos.durability, end.qos.deadline_s]
    return [
        *(_LETTERS[end.side], end.node, end.topic, end.type_name),
        *(qos, end.type_hash, end.gid.hex()),
    ]


def _read_end(
    side: str, node: str, topic: str, type_name: str, qos: list[Any], type_hash: str, gid: str
) -> Endpoint:
    reliability, durability, deadline_s = qos
    return Endpoint(
        node=str(node),
        topic=str(topic),
        type_name=str(type_name),
        side=_SIDES[side],
        qos=Qos(str(reliability), str(durability), float(deadline_s)),
        type_hash=str(type_hash),
        gid=bytes.fromhex(gid),
    )


def _of_domains(ports: frozenset[int]) -> list[int]:
    """Those by which ROS domains are known: the others come and go, and say nothing."""
    return sorted(port for port in ports if domain_of_port(port) is not None)
