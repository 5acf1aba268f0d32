"""Nodes that publish on the topics that the command mux owns.

The mux cannot stop such a node: its commands reach the interface without priorities, hand-over and
locks. The mux can only report it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from vdsim_interface.arbitration import mux_notices
from vdsim_interface.arbitration.mux_notices import UNNAMED
from vdsim_interface.values import Notice

_Pair: TypeAlias = tuple[str, str]  # full name of a node, topic of the mux


class Rivals:
    """Other publishers on the mux's topics; reports each one when it appears and disappears."""

    def __init__(self, own_name: str, free_source: str) -> None:
        """`free_source`: the source whose topics the notice recommends to a rival."""
        self._own_name = own_name
        self._free_source = free_source
        self._last: frozenset[_Pair] = frozenset()
        self._rivals: frozenset[_Pair] = frozenset()

    def update(self, publishers: Mapping[str, Sequence[str]]) -> tuple[Notice, ...]:
        """Compare with the current publishers: full node names per topic, the mux among them."""
        pairs = frozenset(
            (name, topic) for topic, names in publishers.items() for name in self._others(names)
        )
        # The middleware may know of a publisher a moment before, or after, it knows its node.
        rivals = frozenset(pair for pair in pairs if pair[0] != UNNAMED or pair in self._last)
        added, removed = rivals - self._rivals, self._rivals - rivals
        self._last, self._rivals = pairs, rivals
        return (
            *(Notice(mux_notices.RIVAL, self._advice(*node)) for node in _by_node(added)),
            *(Notice(mux_notices.RIVAL_GONE, self._ended(*node)) for node in _by_node(removed)),
        )

    @property
    def summary(self) -> str:
        """The nodes that bypass the mux now; empty while there are none."""
        return "; ".join(
            f"{self._label(name)} also publishes {', '.join(topics)}: it bypasses the mux and its"
            " locks"
            for name, topics in _by_node(self._rivals)
        )

    def _others(self, names: Sequence[str]) -> list[str]:
        """All but the mux itself; a second node of its name is a rival."""
        others = list(names)
        if self._own_name in others:
            others.remove(self._own_name)
        return others

    def _label(self, name: str) -> str:
        return f"a second {name}" if name == self._own_name else name

    def _advice(self, name: str, topics: Sequence[str]) -> str:
        start = f"{self._label(name)} also publishes {', '.join(topics)}: it bypasses"
        if name == self._own_name:
            return f"{start} this mux and its locks; end one of the two (mux:=false)"
        instead = ", ".join(f"{self._free_source}/{topic}" for topic in topics)
        return f"{start} the command mux and its locks; let it publish {instead}"

    def _ended(self, name: str, topics: Sequence[str]) -> str:
        return f"{self._label(name)} no longer publishes {', '.join(topics)}"


def _by_node(pairs: Iterable[_Pair]) -> list[tuple[str, list[str]]]:
    topics: dict[str, list[str]] = defaultdict(list)
    for name, topic in sorted(pairs):
        topics[name].append(topic)
    return list(topics.items())
