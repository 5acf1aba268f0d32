"""The doctor's view of the graph, as a message of the recording. Shell.

The graph is looked at whole when the number of its ends changes, and every few seconds: a look at
each end costs a hundred times what a count does.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from rclpy.node import Node
from rclpy.serialization import serialize_message
from std_msgs.msg import String
from vdsim_interface.extras.doctor.ros.ends import ends_of, installed_hashes
from vdsim_interface.extras.doctor.ros.udp_ports import network_of
from vdsim_interface.extras.doctor.snapshot import COMMAND_TYPES, Endpoint, Snapshot
from vdsim_interface.extras.explain.limits import BOUNDS, Limit, limits
from vdsim_interface.extras.explain.ros.now import interface_nodes
from vdsim_interface.extras.explain.ros.running import files_of
from vdsim_interface.extras.explain.view import Pace, View

TOPIC, TYPE = "/vdsim_record/graph", "std_msgs/msg/String"
_EVERY_S = 5.0
_AGAIN_N = 4
"""Looks after a change: the middleware names a node later than its topics."""


class GraphViews:
    """What the doctor would see, by the eyes of the recorder's node."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._pace = Pace()
        self._hashes = installed_hashes(COMMAND_TYPES)
        self._counts: Sequence[tuple[str, int, int]] = ()
        self._again_n = 0
        self._seen_s = float("-inf")
        self._limits: dict[str, tuple[Limit, ...]] = {}

    def look(self, topics: Sequence[str], now: float) -> bytes | None:
        """Return a message of TYPE where the graph has changed. `now`: of a steady clock [s]."""
        node = self._node
        counts = [
            (each, node.count_publishers(each), node.count_subscribers(each)) for each in topics
        ]
        if counts != self._counts:
            self._counts, self._again_n = counts, _AGAIN_N
        if not self._again_n and now - self._seen_s < _EVERY_S:
            return None
        self._again_n, self._seen_s = max(self._again_n - 1, 0), now
        text = self._view(topics).text
        return serialize_message(String(data=text)) if self._pace.is_due(text, now) else None

    def _view(self, topics: Sequence[str]) -> View:
        own = self._node.get_fully_qualified_name()
        every = [end for topic in topics for end in ends_of(self._node, topic)]
        ends = tuple(sorted((each for each in every if each.node != own), key=_order))
        graph = Snapshot(
            endpoints=ends,
            network=network_of(os.environ),
            own_gid=next((each.gid for each in every if each.node == own), b"")[:2],
            own_hashes=self._hashes,
        )
        names = interface_nodes(graph)
        return View(
            graph=graph,
            limits={name: found for name in names if (found := self._limits_of(name))},
        )

    def _limits_of(self, name: str) -> tuple[Limit, ...]:
        """Those with which an interface began, by the files of its process on this machine."""
        if name not in self._limits:
            files = files_of(name)
            if not files:
                return ()
            self._limits[name] = limits(BOUNDS, files, {})
        return self._limits[name]


def _order(end: Endpoint) -> tuple[str, str, str, bytes]:
    return end.topic, end.side.value, end.node, end.gid
