"""Who else publishes on the topics that the command mux owns.

Nothing can hold such a node: what it sends reaches the interface past priorities, hand-over and
locks. All that the mux can do is to say so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from vdsim_interface.arbitration import mux_notices
from vdsim_interface.values import Notice

UNNAMED = "a node without a name"
"""Stands for the name of a publisher whose node is not known, or not yet."""

_Pair: TypeAlias = tuple[str, str]  # full name of a node, topic of the mux


class Rivals:
    """Hand it the publishers of every topic at each look; it reports who came and who went."""

    def __init__(self, own_name: str, free_source: str) -> None:
        """`free_source`: the source under whose name a rival had better publish."""
        self._own_name = own_name
        self._free_source = free_source
        self._seen: frozenset[_Pair] = frozenset()
        self._rivals: frozenset[_Pair] = frozenset()

    def look(self, publishers: Mapping[str, Sequence[str]]) -> tuple[Notice, ...]:
        """The full names of the nodes that publish on each topic, the mux itself among them."""
        seen = frozenset(
            (name, topic) for topic, names in publishers.items() for name in self._others(names)
        )
        # The middleware may know of a publisher a moment before, or after, it knows its node.
        rivals = frozenset(pair for pair in seen if pair[0] != UNNAMED or pair in self._seen)
        came, went = rivals - self._rivals, self._rivals - rivals
        self._seen, self._rivals = seen, rivals
        return (
            *(Notice(mux_notices.RIVAL, self._advice(*node)) for node in _by_node(came)),
            *(Notice(mux_notices.RIVAL_GONE, self._farewell(*node)) for node in _by_node(went)),
        )

    @property
    def words(self) -> str:
        """Who bypasses the mux now; empty while nobody does."""
        return "; ".join(
            f"{self._called(name)} also publishes {', '.join(topics)}, past the mux and its locks"
            for name, topics in _by_node(self._rivals)
        )

    def _others(self, names: Sequence[str]) -> list[str]:
        """All but the mux itself; a second node of its name is somebody else."""
        others = list(names)
        if self._own_name in others:
            others.remove(self._own_name)
        return others

    def _called(self, name: str) -> str:
        return f"a second {name}" if name == self._own_name else name

    def _advice(self, name: str, topics: Sequence[str]) -> str:
        begin = f"{self._called(name)} also publishes {', '.join(topics)}: it bypasses"
        if name == self._own_name:
            return f"{begin} this mux and its locks; end one of the two (mux:=false)"
        instead = ", ".join(f"{self._free_source}/{topic}" for topic in topics)
        return f"{begin} the command mux and its locks; let it publish {instead}"

    def _farewell(self, name: str, topics: Sequence[str]) -> str:
        return f"{self._called(name)} no longer publishes {', '.join(topics)}"


def _by_node(pairs: Iterable[_Pair]) -> list[tuple[str, list[str]]]:
    topics: dict[str, list[str]] = defaultdict(list)
    for name, topic in sorted(pairs):
        topics[name].append(topic)
    return list(topics.items())
