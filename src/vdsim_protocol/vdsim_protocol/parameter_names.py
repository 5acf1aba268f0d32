"""Names of parameters that do not exist: the reason of a refusal, with the nearest that does.

Both packages with ROS nodes use it; it needs no ROS itself.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a question for the known name that is most similar; empty without one."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""


def no_such_parameter(name: str, known: Iterable[str]) -> str:
    """Return the reason for rejecting a name."""
    return f"no such parameter{nearest(name, known)}"
