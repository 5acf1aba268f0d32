"""The line of each peer's page: against which release it was checked, and when.

And for Autoware the last run of its own launch files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from vdsim_autoware.facts.peer_facts import Peer, peers

from generate.paths import ROOT

_RUN = ROOT / "tools/workspace/autoware_run.json"
"""Written by the lane `autoware` (test/lanes/autoware)."""


def _line(peer: Peer) -> Callable[[], str]:
    return peer.checked_against


def _launched() -> str:
    """What the lane `autoware` saw of each release."""
    rows = ["| release | result | on | commits |", "|---|---|---|---|"]
    for release, run in json.loads(_RUN.read_text(encoding="utf-8")).items():
        commits = ", ".join(f"{name} {commit[:8]}" for name, commit in run["commits"].items())
        rows.append(f"| {release} | {run['result']} | {run['on']} | {commits} |")
    return "\n".join(rows)


_MORE: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "docs/autoware.md": {"launch files of Autoware": _launched}
}
PARTS: Mapping[str, Mapping[str, Callable[[], str]]] = {
    page: {
        **{f"checked against {peer.name}": _line(peer) for peer in peers() if peer.page == page},
        **_MORE.get(page, {}),
    }
    for page in sorted({peer.page for peer in peers()})
}
"""By page: a part for each peer that the page is about."""
