"""From the server's values to ROS messages; nothing else of the plant touches message classes."""

# rclpy and the message packages carry no types.
# mypy: disable-error-code="import-untyped,no-untyped-call,attr-defined"

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from nav_msgs.msg import Odometry
from vdsim_plant.realtime.watched_session import Drive
from vdsim_plant.session import SessionOutput

from vdsim_msgs.msg import LinkStatus, RejectCount, VdsState
from vdsim_plant_node.live.snapshots import PortSnapshot, ServerSnapshot
from vdsim_plant_node.live.strangers import text_of
from vdsim_plant_node.live.wire_state import state_of
from vdsim_plant_node.live.wire_vehicle import WireVehicleStatus
from vdsim_plant_node.runs.recording_status import RecordingStatus
from vdsim_plant_node.settings.server_settings import WorldOrigin
from vdsim_protocol import vds1

_STATE_FIELDS = tuple(item.name for item in fields(vds1.State))
_NANOSECONDS = 1_000_000_000
NEWEST_VERSION = max(vds1.VERSIONS)


def time_message(seconds: float) -> Time:
    """A time stamp."""
    nanoseconds = round(seconds * _NANOSECONDS)
    return Time(sec=nanoseconds // _NANOSECONDS, nanosec=nanoseconds % _NANOSECONDS)


def odometry_message(
    output: SessionOutput, origin: WorldOrigin, stamp: Time, frame: str, child_frame: str
) -> Odometry:
    """True pose in the world (ENU) and true velocity in the body (ISO 8855, as REP 103)."""
    motion = output.motion
    message = Odometry()
    message.header.stamp = stamp
    message.header.frame_id = frame
    message.child_frame_id = child_frame
    position, attitude = message.pose.pose.position, message.pose.pose.orientation
    position.x = motion.x_m + origin.x_m
    position.y = motion.y_m + origin.y_m
    position.z = motion.z_m + origin.z_m
    attitude.x, attitude.y, attitude.z, attitude.w = quaternion(
        motion.roll_rad, motion.pitch_rad, motion.yaw_rad
    )
    linear, angular = message.twist.twist.linear, message.twist.twist.angular
    linear.x, linear.y, linear.z = motion.vx_mps, motion.vy_mps, motion.vz_mps
    angular.x, angular.y = motion.roll_rate_radps, motion.pitch_rate_radps
    angular.z = motion.yaw_rate_radps
    return message


def quaternion(
    roll_rad: float, pitch_rad: float, yaw_rad: float
) -> tuple[float, float, float, float]:
    """(x, y, z, w) of ZYX angles."""
    cr, sr = math.cos(0.5 * roll_rad), math.sin(0.5 * roll_rad)
    cp, sp = math.cos(0.5 * pitch_rad), math.sin(0.5 * pitch_rad)
    cy, sy = math.cos(0.5 * yaw_rad), math.sin(0.5 * yaw_rad)
    return (
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )


def state_message(
    output: SessionOutput, status: WireVehicleStatus, origin: WorldOrigin, stamp: Time, frame: str
) -> VdsState:
    """The whole STATE, as the newest protocol version carries it."""
    message = VdsState()
    message.header.stamp = stamp
    message.header.frame_id = frame
    message.protocol_version = NEWEST_VERSION
    message.sequence = max(status.states - 1, 0)
    message.vehicle_id = status.vehicle_id
    message.time_s = output.time_s
    state = state_of(output, origin)
    for name in _STATE_FIELDS:
        setattr(message, name, getattr(state, name))
    return message


def diagnostics_message(snapshot: ServerSnapshot, stamp: Time, node: str) -> DiagnosticArray:
    """One status a vehicle, one a port, one for the clock."""
    message = DiagnosticArray()
    message.header.stamp = stamp
    message.status = [
        *(_vehicle_status(item.output, item.status, node) for item in snapshot.vehicles),
        *(_port_status(port, node) for port in snapshot.ports),
        _pacing_status(snapshot, node),
        *_recording_status(snapshot.recording, node),
    ]
    return message


def link_status_message(
    status: WireVehicleStatus, *, timeout_s: float, peer: str, sent_rate_hz: float, stamp: Time
) -> LinkStatus:
    """The commands of a vehicle as they arrive; what is not known is NaN."""
    link = status.link
    clock = link.clock
    rejects = [
        RejectCount(reason=reason.value, count=count)
        for reason, count in link.rejected.items()
        if count
    ]
    age_s = math.nan if link.age_s is None else link.age_s
    return LinkStatus(
        stamp=stamp,
        name="command",
        peer=peer,
        alive=0.0 <= age_s <= timeout_s,
        age_s=age_s,
        timeout_s=timeout_s,
        timeout_policy=status.failsafe_policy,
        rate_hz=link.rate_hz,
        sent_rate_hz=sent_rate_hz,
        loss_ratio=link.loss_ratio,
        accepted=link.accepted,
        lost=max(link.lost, 0),
        reordered=link.reordered,
        duplicated=link.duplicates,
        clamped=status.clamped,
        rejected=sum(reject.count for reject in rejects),
        rejects=rejects,
        jitter_s=link.jitter_s,
        round_trip_s=status.round_trip_s,
        round_trip_source="" if math.isnan(status.round_trip_s) else "measured",
        clock_offset_s=math.nan if clock is None else -clock.offset_s,
        clock_skew_ppm=math.nan if clock is None else -clock.skew_ppm,
    )


def peer_of(ports: Sequence[PortSnapshot], vehicle_id: int) -> str:
    """The address whose commands a vehicle follows; empty before the first."""
    owners = (port.owners.get(vehicle_id) for port in ports)
    return next((text_of(owner) for owner in owners if owner), "")


_LEVELS = {
    Drive.COMMANDED: (DiagnosticStatus.OK, "driven by commands"),
    Drive.WAITING: (DiagnosticStatus.WARN, "no command yet: fail-safe"),
    Drive.FAILSAFE: (DiagnosticStatus.ERROR, "commands have stopped: fail-safe"),
}


def _vehicle_status(
    output: SessionOutput, status: WireVehicleStatus, node: str
) -> DiagnosticStatus:
    level, text = _LEVELS[status.drive]
    if output.charge <= 0.0:
        level, text = DiagnosticStatus.ERROR, "nothing left to drive with"
    link = status.link
    return _status(
        level,
        f"{node}: vehicle {status.vehicle_id}",
        text,
        hardware_id=status.name,
        policy=status.failsafe_policy,
        fail_safes=status.failsafes,
        command_age_s=status.command_age_s,
        command_rate_hz=round(link.rate_hz, 1),
        commands_lost=link.lost,
        command_jitter_s=round(link.jitter_s, 6),
        states_sent=status.states,
        charge=round(output.charge, 4),
    )


def _port_status(port: PortSnapshot, node: str) -> DiagnosticStatus:
    counters = port.counters
    rejected = {
        f"rejected_{reason.value}": count for reason, count in counters.rejected.items() if count
    }
    return _status(
        DiagnosticStatus.OK,
        f"{node}: port {port.address[1]}",
        f"{counters.accepted} commands taken, {counters.rejected_total} dropped",
        hardware_id=f"{port.address[0]}:{port.address[1]}",
        clamped=counters.clamped,
        sessions=counters.sessions,
        send_failures=port.send_failures,
        discarded=port.discarded,
        **_senders(port),
        **rejected,
    )


def _senders(port: PortSnapshot) -> dict[str, str]:
    """Whose commands each vehicle follows, and who else sends some."""
    owners = {f"sender_{n}": text_of(owner) for n, owner in port.owners.items() if owner}
    others = {
        f"other_sender_{n}": f"{text_of(some.address)} ({some.packets} packets dropped)"
        for n, some in port.strangers.items()
        if some
    }
    return {**owners, **others}


def _pacing_status(snapshot: ServerSnapshot, node: str) -> DiagnosticStatus:
    pacing = snapshot.pacing
    late = pacing.skipped_ticks > 0
    return _status(
        DiagnosticStatus.WARN if late else DiagnosticStatus.OK,
        f"{node}: clock",
        "paused" if snapshot.paused else f"{pacing.skipped_ticks} ticks skipped",
        hardware_id="",
        ticks=snapshot.ticks,
        overruns=pacing.overruns,
        lateness_p50_s=round(pacing.lateness_p50_s, 6),
        lateness_p99_s=round(pacing.lateness_p99_s, 6),
        lateness_max_s=round(pacing.lateness_max_s, 6),
    )


def _recording_status(recording: RecordingStatus | None, node: str) -> list[DiagnosticStatus]:
    if recording is None:
        return []
    failure = recording.failure
    return [
        _status(
            DiagnosticStatus.OK if failure is None else DiagnosticStatus.ERROR,
            f"{node}: recording",
            "records" if failure is None else f"has ended early: {failure}",
            hardware_id=str(recording.path),
            written_bytes=recording.written_bytes,
        )
    ]


def _status(
    level: bytes, name: str, text: str, *, hardware_id: str, **values: Any
) -> DiagnosticStatus:
    pairs = [
        KeyValue(key=key, value="" if value is None else str(value))
        for key, value in values.items()
    ]
    return DiagnosticStatus(
        level=level, name=name, message=text, hardware_id=hardware_id, values=pairs
    )
