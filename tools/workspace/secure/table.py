"""What each node of ours opens: endpoints.json, as one frozen table.

The file is recorded from running programs, and written by no hand: test/test_every_node.py starts
every program and compares; VDSIM_RECORD_ENDPOINTS=1 adds what is new. A name without a slash in
front is below the node's namespace.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("endpoints.json")
KINDS = ("publishes", "subscribes", "offers", "calls")


@dataclass(frozen=True)
class Endpoints:
    """The topics and services of one node, or of several."""

    publishes: frozenset[str] = frozenset()
    subscribes: frozenset[str] = frozenset()
    offers: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()

    def names(self) -> dict[str, list[str]]:
        """As the file has them."""
        return {kind: sorted(getattr(self, kind)) for kind in KINDS}


def union(several: Iterable[Endpoints]) -> Endpoints:
    """The endpoints of all of these."""
    every = tuple(several)
    return Endpoints(*(frozenset().union(*(getattr(e, kind) for e in every)) for kind in KINDS))


@cache
def table() -> Mapping[str, Endpoints]:
    """The endpoints by the name of the node."""
    read = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        node: Endpoints(*(frozenset(kinds[kind]) for kind in KINDS)) for node, kinds in read.items()
    }
