"""Short words for a panel: how the link is, who drives."""

from __future__ import annotations

from vdsim_msgs.msg import ControlSource, SafetyStatus


def link_words(status: SafetyStatus | None) -> str:
    """The vehicle link in a few words."""
    if status is None:
        return "the vehicle interface is not heard"
    return "ok" if status.vehicle_link_ok else f"lost: {status.vehicle_link_reason}"


def control_words(control: ControlSource | None) -> str:
    """Who drives, in a few words; empty when no mux is heard."""
    if control is None:
        return ""
    names = {
        ControlSource.STATE_NONE: "nobody",
        ControlSource.STATE_SOURCE: control.source,
        ControlSource.STATE_HAND_OVER: f"{control.source} (taking over)",
        ControlSource.STATE_SAFE_STOP: "safe stop",
    }
    return f"{names[control.state]} ({control.reason})"
