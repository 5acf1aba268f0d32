"""`vdsim_facts`: which release of each peer was read, and when.

vdsim_facts            one line for each release
vdsim_facts --today 2027-01-31

The exit code is 1 when the newest facts about a peer are older than a year.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import date

from vdsim_autoware.facts.peer_facts import LONGEST_DAYS, Peer, peers


def lines_of(peer: Peer, today: date) -> list[str]:
    """Return what is printed about one peer."""
    lines = []
    for release in peer.releases:
        released = release.released or "not read"
        lines.append(f"{peer.name} {release.name}, released {released}, read on {release.read}:")
        lines += [
            f"    {source.repository} {source.commit} ({source.of or 'all'})"
            for source in release.sources
        ]
    if peer.is_old(today):
        days = (today - peer.read).days
        lines.append(f"OLD   {peer.name}: read {days} days ago; read it again ({peer.page})")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; 0: all facts are young enough, 1: some are old."""
    parser = argparse.ArgumentParser(
        prog="vdsim_facts",
        description=f"what was read of each peer; 1 when it is older than {LONGEST_DAYS} days",
    )
    parser.add_argument("--today", type=_day, default=None, help="judge as on this day")
    today = parser.parse_args(arguments).today or date.today()
    known = peers()
    for peer in known:
        print("\n".join(lines_of(peer, today)))
    return 1 if any(peer.is_old(today) for peer in known) else 0


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: must be a day as 2026-11-25") from None


if __name__ == "__main__":
    sys.exit(main())
