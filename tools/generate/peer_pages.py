"""The line of each peer's page: against which release it was checked, and when."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vdsim_autoware.facts.peer_facts import Peer, peers


def _line(peer: Peer) -> Callable[[], str]:
    return peer.checked_against


PARTS: Mapping[str, Mapping[str, Callable[[], str]]] = {
    page: {f"checked against {peer.name}": _line(peer) for peer in peers() if peer.page == page}
    for page in sorted({peer.page for peer in peers()})
}
"""By page: a part for each peer that the page is about."""
