"""Who is left in a process group."""

from __future__ import annotations

import os
from pathlib import Path

_ZOMBIE_STATES = ("Z", "X")


def has_living_member(group: int) -> bool:
    """Return whether a process of the group lives.

    A zombie does not: it is gone, but where nobody collects orphans (a container) it stays listed.
    """
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return any(_lives_in(stat, group) for stat in Path("/proc").glob("[0-9]*/stat"))


def _lives_in(stat: Path, group: int) -> bool:
    try:
        # pid (name, in which anything may stand) state parent group ...
        state, _, process_group = stat.read_text().rpartition(")")[2].split()[:3]
    except (OSError, ValueError):
        return False
    return int(process_group) == group and state not in _ZOMBIE_STATES
