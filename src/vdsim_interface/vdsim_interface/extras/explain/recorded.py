"""A command trace as evidence for `vdsim_protocol.why`. Pure."""

from __future__ import annotations

from vdsim_protocol.checked_file import FileError
from vdsim_protocol.why.evidence import Evidence, Rule

from vdsim_interface.pipeline.trace import CommandTrace
from vdsim_interface.safety.rules import kind_named
from vdsim_interface.values import HighLevelCommand, VehicleCommand, notice_kinds

NOT_RECORDED = (
    "not to be told from a recording of traces: who was in control, other publishers, types and "
    "QoS, domains, whether the simulated car was paused"
)
_BESIDE_S = 0.15
"""A time so close to a trace is in the recording [s]."""


def check_moment(name: str, at_s: float, first_s: float, last_s: float) -> None:
    """Raise FileError for a time outside the recording `name` [s since the first trace]."""
    if not first_s - _BESIDE_S <= at_s <= last_s + _BESIDE_S:
        span = f"must be between {first_s:.2f} and {last_s:.2f} s: so long is the recording"
        raise FileError(name, f"--at={at_s:g}", span)


def evidence_of(trace: CommandTrace) -> Evidence:
    """What one trace says of its moment."""
    received = trace.received
    kinds = dict.fromkeys(change.kind for change in trace.changes)
    asked_mps = received.velocity_mps if isinstance(received, HighLevelCommand) else None
    asked_mps2 = received.long_accel_mps2 if isinstance(received, VehicleCommand) else None
    return Evidence(
        status_age_s=0.0,
        mode=trace.mode.name,
        blocked=trace.blocked,
        command_age_s=None if received is None else max(0.0, trace.stamp_s - received.stamp_s),
        is_command_stale=notice_kinds.COMMAND_TIMEOUT in kinds,
        is_link_well=notice_kinds.LINK_TIMEOUT not in kinds,
        active=tuple(Rule(str(kind), kind_named(str(kind)).why) for kind in kinds),
        gear=trace.body.gear.name,
        asked_mps=asked_mps,
        asked_mps2=asked_mps2,
    )
