"""The receiving end of one VDS1 stream: every check, in order, each failure with its counter.

Length, magic, version, type, CRC (the decoder); source; vehicle; owner of the session (see
`ownership`); sequence; finite and range. A packet that fails changes nothing but its counter: it
feeds no watchdog and opens no session. STATE of another vehicle is used for its number only, and
is no reject: a server with several vehicles may send them all to everyone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic

from vdsim_protocol.vds1.codec import make_decoder
from vdsim_protocol.vds1.compiled import Buffer
from vdsim_protocol.vds1.messages import (
    BODY_TYPES,
    CRC_SIZE,
    HEADER_SIZE,
    LAYOUTS,
    VERSIONS,
    Command,
    MessageType,
    State,
)
from vdsim_protocol.vds1.ownership import Ownership, Source
from vdsim_protocol.vds1.packet import BodyT, Packet, Reason, Reject
from vdsim_protocol.vds1.sequence import FIRST_OF_A_SESSION, Order, SequenceTracker
from vdsim_protocol.vds1.values import offences_of_state
from vdsim_protocol.vds1.view import doubles

DEFAULT_SILENCE_S = 0.1
_KNOWN_END = LAYOUTS[MessageType.STATE][VERSIONS[-1]].end
"""Behind it are the fields of a newer version, about which nothing is known."""
DEFAULT_MAX_STEER_RAD = math.pi / 2

_FIRST = Order.NEW_SESSION
_REASON_OF_ORDER = {
    Order.DUPLICATE: Reason.DUPLICATE,
    Order.REORDERED: Reason.REORDERED,
    Order.STALE: Reason.STALE,
    Order.JUMP: Reason.JUMP,
}


@dataclass(frozen=True)
class Accepted(Generic[BodyT]):
    """A packet that may be used. `clamped` names the values that were out of range."""

    packet: Packet[BodyT]
    clamped: tuple[str, ...] = ()
    new_session: bool = False
    skipped: int = 0
    """Numbers missing between the previous packet and this one; 0 on a new session."""


@dataclass(frozen=True)
class ReceiverCounters:
    """What a receiver has counted since its construction."""

    accepted: int
    clamped: int
    """Accepted packets with a value that was out of range."""
    sessions: int
    rejected: Mapping[Reason, int]
    newer: int = 0
    """Accepted packets of a version above the known ones."""
    other_vehicles: int = 0
    """STATE of vehicles that this receiver does not serve; no rejects."""

    @property
    def rejected_total(self) -> int:
        """Rejects for any reason."""
        return sum(self.rejected.values())


@dataclass
class _Stream:
    """The packets about one vehicle, whoever sends them."""

    sequence: SequenceTracker
    owner: Source | None = None


class Receiver(Generic[BodyT]):
    """Accepts or rejects each datagram of one message type."""

    def __init__(
        self,
        expects: type[BodyT],
        *,
        versions: Collection[int] = VERSIONS,
        allowed_sources: Collection[str | Source] | None = None,
        vehicle_ids: Collection[int] = (0,),
        one_vehicle: bool = False,
        silence_s: float = DEFAULT_SILENCE_S,
        release_s: float | None = None,
        is_moving: Callable[[int], bool] | None = None,
        max_steer_rad: float = DEFAULT_MAX_STEER_RAD,
        accept_newer: bool = False,
    ) -> None:
        """Receive `Command`s or `State`s.

        `allowed_sources` holds hosts, or (host, port) pairs; None allows any. Every vehicle id
        has its own sequence and its own owner, but with `one_vehicle` they are names of the same
        vehicle and share both. The owner may begin another sequence when it was
        silent for `silence_s`; another address may take over as `ownership` describes.
        `max_steer_rad` bounds the tyre angle of a command. `accept_newer`: a STATE of a version
        above the known ones is read by the fields of the newest known one; never a command.
        """
        unknown = [version for version in versions if version not in VERSIONS]
        if unknown or not versions:
            raise ValueError(f"versions={tuple(versions)}: must be some of {VERSIONS}")
        if not silence_s > 0.0:
            raise ValueError(f"silence_s={silence_s!r}: must be > 0")
        if release_s is not None and not release_s >= silence_s:
            raise ValueError(f"release_s={release_s!r}: must be >= silence_s ({silence_s:g})")
        message = next(m for m, body in BODY_TYPES.items() if body is expects)
        if accept_newer and expects is not State:
            raise ValueError("accept_newer=True: must be False for commands")
        self._decode = make_decoder((message,), tuple(versions), newer_state=accept_newer)
        self._ownership = Ownership(
            allowed_sources, silence_s=silence_s, release_s=release_s, is_moving=is_moving
        )
        self._silence_s = silence_s
        shared = _Stream(SequenceTracker(silence_s))
        self._streams = {
            vehicle: shared if one_vehicle else _Stream(SequenceTracker(silence_s))
            for vehicle in vehicle_ids
        }
        self.limit_steer(max_steer_rad)
        self._accepted = 0
        self._clamped = 0
        self._newer = 0
        self._other_vehicles = 0
        self._sessions = 0
        self._rejected = dict.fromkeys(Reason, 0)

    def limit_steer(self, max_steer_rad: float) -> None:
        """Bound the tyre angle of the commands from here on [rad]."""
        if not max_steer_rad > 0.0:
            raise ValueError(f"max_steer_rad={max_steer_rad!r}: must be > 0")
        self._max_steer_rad = max_steer_rad

    def receive(self, datagram: Buffer, source: Source, now: float) -> Accepted[BodyT] | Reject:
        """Check a datagram that arrived from `source` at `now` [s]. Never raises."""
        outcome = self._check(datagram, source, now)
        if isinstance(outcome, Reject):
            if outcome.is_other_vehicle:
                self._other_vehicles += 1
            else:
                self._rejected[outcome.reason] += 1
            return outcome
        self._accepted += 1
        self._clamped += bool(outcome.clamped)
        self._newer += outcome.packet[0] > VERSIONS[-1]
        self._sessions += outcome.new_session
        return outcome

    def owner(self, vehicle_id: int = 0) -> Source | None:
        """The address whose session it is; None before the first accepted packet."""
        return self._streams[vehicle_id].owner

    def peers(self, now: float) -> frozenset[Source]:
        """The only addresses that may be accepted soon after `now` [s]; empty: others may be.

        Half of the silence after which another may follow is left to whoever acts on the answer.
        """
        streams = self._streams.values()
        if any(stream.sequence.silent_s(now) >= 0.5 * self._silence_s for stream in streams):
            return frozenset()
        owners = {stream.owner for stream in streams if stream.owner is not None}
        return self._ownership.named | owners

    def counters(self) -> ReceiverCounters:
        """A snapshot of the counters."""
        return ReceiverCounters(
            accepted=self._accepted,
            clamped=self._clamped,
            newer=self._newer,
            other_vehicles=self._other_vehicles,
            sessions=self._sessions,
            rejected=dict(self._rejected),
        )

    def _check(self, datagram: Buffer, source: Source, now: float) -> Accepted[BodyT] | Reject:
        packet = self._decode(datagram)
        if isinstance(packet, Reject):
            return packet
        if not self._ownership.allows(source):
            return Reject(Reason.SOURCE, f"from {source[0]}:{source[1]}", packet.header)
        _, _, seq, vehicle_id, timestamp_s, body = packet
        stream = self._streams.get(vehicle_id)
        if stream is None:
            self._note_other_vehicle(seq, source)
            return Reject(Reason.VEHICLE, f"vehicle_id {vehicle_id}", packet.header)
        sequence, owner = stream.sequence, stream.owner
        if source == owner or owner is None:
            place = sequence.place(seq, timestamp_s, now)
            if not place.is_fresh:
                detail = f"seq {seq} after {sequence.last_seq}"
                return Reject(_REASON_OF_ORDER[place.order], detail, packet.header)
        elif self._ownership.may_take_over(source, owner, sequence.silent_s(now), vehicle_id):
            place = FIRST_OF_A_SESSION
        else:
            detail = f"from {source[0]}:{source[1]}, it is {owner[0]}:{owner[1]}'s"
            return Reject(Reason.OTHER_SOURCE, detail, packet.header)
        if not math.isfinite(timestamp_s):
            return Reject(Reason.NON_FINITE, f"timestamp_s={timestamp_s}", packet.header)
        bad = _non_finite(body, packet[0], datagram)
        if bad is not None:
            return Reject(Reason.NON_FINITE, bad, packet.header)
        sequence.accept(place, seq, timestamp_s, now)
        new_session = place.order is _FIRST
        if new_session:
            stream.owner = source
        if isinstance(body, State):
            return Accepted(packet, (), new_session, place.skipped)
        body, clamped = clamp_command(body, self._max_steer_rad)
        if clamped:
            packet = Packet.of(packet.header, body)
        return Accepted(packet, clamped, new_session, place.skipped)

    def _note_other_vehicle(self, seq: int, source: Source) -> None:
        for stream in self._streams.values():
            if stream.owner == source:
                stream.sequence.on_other_vehicle(seq)


def _non_finite(body: Command | State, version: int, datagram: Buffer) -> str | None:
    """The first value that must be finite and is not, with its name."""
    if isinstance(body, Command):
        # A NaN or an infinity survives the sum; only then check each value.
        if math.isfinite(body.steering_tire_angle_rad + body.throttle + body.brake):
            return None
        for name in ("steering_tire_angle_rad", "throttle", "brake"):
            if not math.isfinite(getattr(body, name)):
                return f"{name}={getattr(body, name)}"
        return None
    end = min(len(datagram) - CRC_SIZE, _KNOWN_END)
    if math.isfinite(sum(doubles(memoryview(datagram)[HEADER_SIZE:end]))):
        return None
    layout = LAYOUTS[MessageType.STATE][min(version, VERSIONS[-1])]
    return next(iter(offences_of_state(body, layout.fields)), None)


def clamp_command(command: Command, max_steer_rad: float) -> tuple[Command, tuple[str, ...]]:
    """The command with every value in range, and the names of those that were not.

    An infinite advisory target counts as unused.
    """
    if (
        -max_steer_rad <= command.steering_tire_angle_rad <= max_steer_rad
        and 0.0 <= command.throttle <= 1.0
        and 0.0 <= command.brake <= 1.0
        and -1 <= command.gear <= 1
        and not math.isinf(command.aux_accel_target_mps2)
        and not math.isinf(command.aux_speed_target_mps)
    ):
        return command, ()
    bounds = {
        "steering_tire_angle_rad": (-max_steer_rad, max_steer_rad),
        "throttle": (0.0, 1.0),
        "brake": (0.0, 1.0),
        "gear": (-1, 1),
    }
    changes: dict[str, Any] = {}
    for name, (low, high) in bounds.items():
        value = getattr(command, name)
        limited = min(max(value, low), high)
        if limited != value:
            changes[name] = limited
    for name in ("aux_accel_target_mps2", "aux_speed_target_mps"):
        if math.isinf(getattr(command, name)):
            changes[name] = math.nan
    return (replace(command, **changes) if changes else command), tuple(changes)
