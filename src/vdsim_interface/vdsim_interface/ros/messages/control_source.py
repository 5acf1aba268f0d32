"""The mux's state -> ControlSource."""

from __future__ import annotations

from builtin_interfaces.msg import Time

from vdsim_interface.arbitration.mux import CommandMux, ControlState
from vdsim_interface.arbitration.sources import Source
from vdsim_interface.ros.messages import conversions
from vdsim_interface.values import Command, HighLevelCommand, RawCommand, VehicleCommand
from vdsim_msgs.msg import ControlSource, SourceStatus

_LEVELS: dict[type[Command], int] = {
    HighLevelCommand: SourceStatus.LEVEL_HIGH_LEVEL,
    VehicleCommand: SourceStatus.LEVEL_VEHICLE,
    RawCommand: SourceStatus.LEVEL_RAW,
}
_STATES = {
    ControlState.NONE: ControlSource.STATE_NONE,
    ControlState.SOURCE: ControlSource.STATE_SOURCE,
    ControlState.SAFE_STOP: ControlSource.STATE_SAFE_STOP,
}


def control_message(mux: CommandMux, now: float) -> ControlSource:
    """Convert the source in control and the state of every source; the caller sets the stamps."""
    state = _STATES[mux.state]
    if mux.state is ControlState.SOURCE and mux.hand_over.active:
        state = ControlSource.STATE_HAND_OVER
    return ControlSource(
        stamp=Time(),
        since=Time(),
        state=state,
        source=mux.in_control.name if mux.in_control else "",
        reason=mux.reason,
        sources=[_status(mux, source, now) for source in mux.sources.values()],
        active_locks=list(mux.active_locks(now)),
        given_back_n=mux.given_back_n,
    )


def stamped_control_message(mux: CommandMux, now: float, clock_s: float) -> ControlSource:
    """Convert, with the stamps of a clock that shows `clock_s` [s]."""
    message = control_message(mux, now)
    if mux.waits_because:
        waits = f"autonomy waits for give_back: {mux.waits_because}"
        message.reason = f"{message.reason}; {waits}"
    message.stamp = conversions.time_message(clock_s)
    if mux.since is not None:
        message.since = conversions.time_message(clock_s - (now - mux.since))
    return message


def _status(mux: CommandMux, source: Source, now: float) -> SourceStatus:
    command = source.command
    return SourceStatus(
        name=source.name,
        priority=source.priority,
        state=_source_state(mux, source, now),
        level=SourceStatus.LEVEL_NONE if command is None else _LEVELS[type(command)],
        age_s=-1.0 if command is None else now - source.received_at,
        accepted=source.accepted,
        rejected=source.rejected,
    )


def _source_state(mux: CommandMux, source: Source, now: float) -> int:
    if source is mux.in_control:
        return int(SourceStatus.STATE_IN_CONTROL)
    if mux.locked(source, now):
        return int(SourceStatus.STATE_LOCKED)
    alive = source.alive(now)
    return int(SourceStatus.STATE_STANDBY if alive else SourceStatus.STATE_SILENT)
