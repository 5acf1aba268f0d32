"""Diagnostics and link status as messages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from vdsim_interface.pipeline.link_health import silence
from vdsim_interface.pipeline.tracking_monitor import TrackingEstimate
from vdsim_interface.ros.stage_node import finite_or_nan
from vdsim_interface.values import Mode, SafetyStatus
from vdsim_msgs.msg import LinkStatus, RejectCount

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR


def diagnostic(
    name: str,
    level: bytes,
    text: str,
    values: Mapping[str, object] | None = None,
    *,
    node: str = "vehicle_interface",
) -> DiagnosticStatus:
    """One line of /diagnostics."""
    pairs = [KeyValue(key=key, value=_short(value)) for key, value in (values or {}).items()]
    return DiagnosticStatus(level=level, name=f"{node}: {name}", message=text, values=pairs)


def _short(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def mode_diagnostic(
    status: SafetyStatus, blocked: str, rules_off: Sequence[str] = ()
) -> DiagnosticStatus:
    """Who drives, or why commands do not pass, which rules have acted, and which are off."""
    mode, reason = status.mode.name, blocked or status.mode_reason
    level = WARN if status.mode is Mode.DISENGAGED else OK
    values: dict[str, object] = {str(kind): count for kind, count in status.counts}
    if rules_off:
        values["rules off"] = ", ".join(rules_off)
    return diagnostic("mode", level, f"{mode}: {reason}", values)


def plausibility_diagnostic(status: SafetyStatus) -> DiagnosticStatus:
    """Whether the vehicle's reports agree with physics and with each other."""
    level = ERROR if status.doubt else OK
    return diagnostic("plausibility", level, status.doubt or "the reports agree")


def several_publishers(publishers: Sequence[str], topic: str) -> str:
    """The warning when more than one node commands; empty otherwise."""
    if len(publishers) < 2:
        return ""
    return (
        f"{len(publishers)} publishers on {topic}: {', '.join(publishers)}; each replaces the "
        "other's commands: use one, or the command mux"
    )


def command_diagnostic(
    age_s: float, timeout_s: float, publishers: Sequence[str], topic: str, hint: str
) -> DiagnosticStatus:
    """Whether exactly one node commands; `publishers` are full names of nodes.

    `hint`: the likely reason why no command arrives, empty for none.
    """
    values = {"age_s": age_s, "publishers": len(publishers)}
    if not publishers:
        return diagnostic("command", WARN, f"nobody publishes on {topic}{hint}", values)
    late = age_s > timeout_s
    text = f"silent for {age_s:.2f} s" if late and math.isfinite(age_s) else "arrives"
    if late and not math.isfinite(age_s):
        text = f"{topic} has a publisher, and nothing was received yet"
    text += hint
    several = several_publishers(publishers, topic)
    if several:
        text = f"{several}; {text}" if late else several
    return diagnostic("command", WARN if late or several else OK, text, values)


def link_diagnostic(reason: str, statistics: Mapping[str, float]) -> DiagnosticStatus:
    """Whether the vehicle reports, and in the version of the commands."""
    if reason:
        return diagnostic("vehicle link", ERROR, reason, statistics)
    if statistics.get("paused", 0.0):
        return diagnostic("vehicle link", WARN, "reports repeat: it is paused", statistics)
    state = statistics.get("state_version", 0.0)
    command = statistics.get("command_version", state)
    if state in (0.0, command):
        return diagnostic("vehicle link", OK, "reports arrive", statistics)
    text = (
        f"reports arrive in version {state:g} and commands are sent in version {command:g}, which "
        "the vehicle may discard"
    )
    return diagnostic("vehicle link", WARN, text, statistics)


def tracking_diagnostic(estimates: Sequence[TrackingEstimate]) -> DiagnosticStatus:
    """Whether the vehicle tracks its commands."""
    if not estimates:
        return diagnostic("tracking", OK, "not enough driving yet to judge")
    level = OK if all(estimate.tracks for estimate in estimates) else ERROR
    return diagnostic("tracking", level, "; ".join(estimate.words() for estimate in estimates))


def diagnostics(
    statuses: Sequence[DiagnosticStatus], stamp: Time, namespace: str, hardware: str
) -> DiagnosticArray:
    """All lines as the message for /diagnostics, which the cars of all namespaces share."""
    for status in statuses:
        status.name = f"{namespace.rstrip('/')}/{status.name}"
        status.hardware_id = hardware
    array = DiagnosticArray(status=list(statuses))
    array.header.stamp = stamp
    return array


def _round_trip_source(statistics: Mapping[str, float]) -> str:
    if "measured_round_trip_s" in statistics:
        return "measured"
    return "estimated from the applied steering" if "round_trip_s" in statistics else ""


def link_message(
    statistics: Mapping[str, float], peer: str, timeout_s: float, policy: str, stamp: Time
) -> LinkStatus:
    """The link's statistics as a message; what is not known is NaN."""
    get = statistics.get
    age_s = get("age_s", math.nan)
    prefix = "rejected_"
    rejects = [
        RejectCount(reason=name.removeprefix(prefix), count=int(count))
        for name, count in statistics.items()
        if name.startswith(prefix) and count > 0
    ]
    return LinkStatus(
        stamp=stamp,
        name="state",
        peer=peer,
        alive=not silence(age_s, timeout_s),
        age_s=finite_or_nan(age_s),
        timeout_s=timeout_s,
        timeout_policy=policy,
        rate_hz=get("rate_hz", 0.0),
        sent_rate_hz=get("sent_rate_hz", 0.0),
        loss_ratio=get("loss_ratio", 0.0),
        accepted=int(get("accepted", 0)),
        lost=int(get("lost", 0)),
        reordered=int(get("reordered", 0)),
        duplicated=int(get("duplicates", 0)),
        clamped=int(get("clamped", 0)),
        rejected=sum(reject.count for reject in rejects),
        rejects=rejects,
        jitter_s=get("jitter_s", 0.0),
        round_trip_s=get("measured_round_trip_s", get("round_trip_s", math.nan)),
        round_trip_source=_round_trip_source(statistics),
        clock_offset_s=get("clock_offset_s", math.nan),
        clock_skew_ppm=get("clock_skew_ppm", math.nan),
    )
