"""One vehicle of the server: a session, its watchdog and fail-safe, its numbered STATE stream.

No socket and no clock: commands, ticks and the time of both come in, datagrams come out. The
server, lockstep and the scenario replay all drive this same object.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from math import hypot

from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.realtime.watched_session import STANDING_MPS, Drive, WatchedSession
from vdsim_plant.session import SessionOutput, SimSession
from vdsim_protocol.link import LinkSnapshot, LinkStatistics
from vdsim_protocol.vds1.messages import FIRST_VERSION_WITH_VEHICLE_ID
from vdsim_protocol.vds1.probe import FORGOTTEN_AFTER_S

from vdsim_plant_node.live.state_block import StateBlock
from vdsim_plant_node.live.wire_state import pedals_of
from vdsim_plant_node.runs.recording import InputSource, Recorder
from vdsim_plant_node.settings.server_settings import VehicleSettings
from vdsim_protocol import vds1

_SEQ_MODULUS = 1 << 32


@dataclass(frozen=True)
class WireVehicleStatus:
    """What one vehicle of the server is doing."""

    vehicle_id: int
    name: str
    drive: Drive
    commanded_by: InputSource | None
    """Source of the commands that drive it; None while the fail-safe does."""
    failsafes: int
    """How often commands stopped since the start."""
    command_age_s: float | None
    """Since the last valid command [s]; None before the first."""
    commands: int
    states: int
    """STATE packets made."""
    command_version: int | None
    """Protocol version of the last CMD; None before the first."""
    failsafe_policy: str
    link: LinkSnapshot
    """The commands of this vehicle as they arrive."""
    clamped: int = 0
    """Accepted commands with a value that was out of range."""
    round_trip_s: float = math.nan
    """As the driver measured it last, by probes [s]; NaN while it does not."""


@dataclass(frozen=True)
class PreparedCar:
    """A car that is ready to take the place of a vehicle's present one."""

    settings: VehicleSettings
    session: SimSession
    block: StateBlock


class WireVehicle:
    """A vehicle as the wire sees it."""

    def __init__(self, settings: VehicleSettings, session: SimSession, tick_s: float) -> None:
        self.settings = settings
        self.session = session
        self.vehicle_id = settings.vehicle_id
        self.link = LinkStatistics()
        self.recorder: Recorder | None = None
        self.restarts = 0
        """How often another car has taken the place of the one before."""
        self._block = StateBlock(session.vehicle, settings.origin)
        self._served_ticks = 0
        self._next_seq = 0
        self.clamped = 0
        self._round_trip_s = math.nan
        self._round_trip_at_s = -math.inf
        self._command_version: int | None = None
        self._input_source = InputSource.FAILSAFE
        self._watched = WatchedSession(
            session,
            tick_s=tick_s,
            timeout_s=settings.failsafe.timeout_s,
            failsafe=settings.failsafe.input_after,
        )

    @property
    def drive(self) -> Drive:
        """Who drives."""
        return self._watched.drive

    @property
    def lost(self) -> bool:
        """Whether commands stopped by themselves in motion, and none came since."""
        return self._watched.lost

    @property
    def latched(self) -> PedalInput:
        """The input that holds until the next one, from any source."""
        return self._watched.latched

    @property
    def is_moving(self) -> bool:
        """Whether a command has put the vehicle in motion; a reset ends that."""
        motion = self.output.motion
        return (
            self.drive is not Drive.WAITING and hypot(motion.vx_mps, motion.vy_mps) > STANDING_MPS
        )

    def commanded_by(self, now: float) -> InputSource | None:
        """Source of the commands that are fresh at `now` [s]; None: there are none."""
        if self.drive is not Drive.COMMANDED or self._watched.is_silent(now):
            return None
        return self._input_source

    @property
    def output(self) -> SessionOutput:
        """Everything about the last tick."""
        return self.session.output()

    def record_to(self, recorder: Recorder, now: float) -> None:
        """Record from here on: first where the vehicle is and what is latched."""
        self.recorder = recorder
        vehicle_id, tick = self.vehicle_id, self._served_ticks
        if tick == 0:
            recorder.reset(vehicle_id, tick, now, self.session.initial)
        else:
            recorder.snapshot(vehicle_id, tick, now, self.session.snapshot())
        recorder.input(vehicle_id, tick, now, self.latched, self._input_source)

    def on_command(self, command: vds1.Command, version: int, datagram: bytes, now: float) -> None:
        """Apply an accepted CMD that arrived at `now` [s]; the datagram is for the recording."""
        self._command_version = version
        if self.recorder is not None:
            self.recorder.command(self.vehicle_id, self._served_ticks, now, datagram)
        self._drive_with(pedals_of(command, self.session.max_steer_rad), InputSource.COMMAND, now)

    def on_round_trip(self, measured_s: float, now: float) -> None:
        """Note what its driver has measured by probes [s]; NaN: nothing yet."""
        self._round_trip_s = measured_s if 0.0 <= measured_s < math.inf else math.nan
        self._round_trip_at_s = now

    def round_trip_s(self, now: float) -> float:
        """The round trip that its driver measured last [s]; NaN without probes."""
        is_known = now - self._round_trip_at_s <= FORGOTTEN_AFTER_S
        return self._round_trip_s if is_known else math.nan

    def on_local_input(self, pedals: PedalInput, now: float, *, timeout_s: float = 0.0) -> None:
        """Apply an input that did not come over the wire: data port, step service.

        `timeout_s`: how long it holds, where that is more than the vehicle's own time-out.
        """
        limit_rad = self.session.max_steer_rad
        steer_rad = min(max(pedals.steer_rad, -limit_rad), limit_rad)
        local = replace(pedals, steer_rad=steer_rad)
        self._drive_with(local, InputSource.LOCAL, now, timeout_s)

    def release(self, now: float, *, on_purpose: bool) -> None:
        """Let go of the vehicle if such an input drives it."""
        if self.commanded_by(now) is InputSource.LOCAL:
            self._watched.release(on_purpose=on_purpose)

    def tick(self, now: float) -> None:
        """Advance by one tick; a silent link first brings the fail-safe."""
        if self._watched.tick(now):
            self._record_input(InputSource.FAILSAFE, now)
        self._served_ticks += 1

    def state_datagrams(self, versions: Collection[int], now: float) -> dict[int, bytes]:
        """The STATE of the last tick in each protocol version asked for, all with one number."""
        time_s = self._block.fill(self.session.frame())
        datagrams = {
            version: self._block.datagram(
                time_s,
                seq=self._next_seq,
                version=version,
                vehicle_id=self.vehicle_id if version >= FIRST_VERSION_WITH_VEHICLE_ID else 0,
            )
            for version in versions
        }
        self._next_seq = (self._next_seq + 1) % _SEQ_MODULUS
        if self.recorder is not None:
            newest = datagrams[max(datagrams)]
            self.recorder.state(self.vehicle_id, self._served_ticks, now, newest)
        return datagrams

    def reset(self, initial: InitialState | None, now: float) -> None:
        """Set the vehicle to a state, by default its start, and wait for a command."""
        before = self._watched.latched
        self._watched.reset(initial)
        if self.recorder is not None:
            where = self.session.initial if initial is None else initial
            self.recorder.reset(self.vehicle_id, self._served_ticks, now, where)
        if self._watched.latched != before or self._input_source is not InputSource.FAILSAFE:
            self._record_input(InputSource.FAILSAFE, now)

    def restart(self, car: PreparedCar, now: float) -> None:
        """Go on with another car, at its start: for the link that is a reset, nothing more.

        STATE keeps its numbers, and its time begins again at 0. Nothing is recorded until
        `record_to`: what a recording says of its vehicles no longer holds.
        """
        self.recorder = None
        self.settings, self.session, self._block = car.settings, car.session, car.block
        self._watched.exchange(car.session)
        self.restarts += 1
        self.reset(None, now)

    def status(self, now: float) -> WireVehicleStatus:
        """What the vehicle is doing at `now` [s]."""
        return WireVehicleStatus(
            vehicle_id=self.vehicle_id,
            name=self.session.name,
            drive=self.drive,
            commanded_by=self.commanded_by(now),
            failsafes=self._watched.failsafes,
            command_age_s=self._watched.age_s(now),
            commands=self._watched.commands,
            states=self._next_seq,
            command_version=self._command_version,
            failsafe_policy=self.settings.failsafe.describe(),
            link=self.link.snapshot(now),
            clamped=self.clamped,
            round_trip_s=self.round_trip_s(now),
        )

    def _drive_with(
        self, pedals: PedalInput, source: InputSource, now: float, timeout_s: float = 0.0
    ) -> None:
        watched = self._watched
        changed = pedals != watched.latched or source is not self._input_source
        watched.command(pedals, now, timeout_s=timeout_s)
        if changed:
            self._record_input(source, now)

    def _record_input(self, source: InputSource, now: float) -> None:
        """Record what is latched now, and where it comes from."""
        self._input_source = source
        if self.recorder is not None:
            self.recorder.input(self.vehicle_id, self._served_ticks, now, self.latched, source)
