"""Is a ControlModeCommand request really one: its stamp.

Autoware's request has no field for a check. Some releases of ROS 2 hand over the request of a DDS
peer of another vendor with its frame in front, so that stamp and mode are numbers at random. A
stamp that is no time, or not of these seconds, shows it. Zero is a client that does not stamp.
"""

from __future__ import annotations

AGE_MAX_S = 10.0
_SECOND_NS = 1_000_000_000


def refusal(sec: int, nanosec: int, now_s: float) -> str:
    """Return why a request to engage does not count; empty when it does. `now_s`: ROS time."""
    if sec == 0 and nanosec == 0:
        return ""
    if nanosec >= _SECOND_NS:
        return f"its stamp is no time (nanosec={nanosec}): another DDS vendor's request?"
    age_s = now_s - (sec + nanosec / _SECOND_NS)
    if abs(age_s) <= AGE_MAX_S:
        return ""
    return (
        f"its stamp is {abs(age_s):.3g} s {'old' if age_s > 0.0 else 'ahead'} (at most "
        f"{AGE_MAX_S:g}): clocks that differ, or another DDS vendor's request"
    )
