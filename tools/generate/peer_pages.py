"""The line of each peer's page: against which release it was checked, and when.

And for Autoware the last run of its own launch files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from vdsim_autoware.facts.peer_facts import Peer, peer, peers

from generate.paths import ROOT

_RUN = ROOT / "tools/workspace/autoware_run.json"
"""Written by the lane `autoware` (test/lanes/autoware)."""


_WHEN_OLD = (
    "`./ws ros2 run vdsim_autoware vdsim_facts` returns 1 when this check is more than a year old."
)


def dated(file: str) -> str:
    """What a page about the peer of a file of facts says of its age."""
    return f"{peer(file).checked_against()}\n{_WHEN_OLD}"


def _line(known: Peer) -> Callable[[], str]:
    return lambda: f"{known.checked_against()}\n{_WHEN_OLD}"


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
        **{f"checked against {each.name}": _line(each) for each in peers() if each.page == page},
        **_MORE.get(page, {}),
    }
    for page in sorted({each.page for each in peers()})
}
"""By page: a part for each peer that the page is about."""
