"""Arbitration: of several sources exactly one drives, or the arbiter itself stops the car.

The vehicle interface holds one (intake.py), and so does the separate node command_mux.

    <source>/..._command --on_command--> selection --> hand-over --> command to the interface
    locks, time-outs     --tick-------^       \\-----> safe stop  --^

Theory of operation
  Sources     A source is alive while its latest finite command is younger than its `timeout_s`.
              Non-finite commands are counted and do not feed that watchdog.
  Priorities  The alive, unlocked source of the highest priority is in control. A higher one takes
              over with its first command; that command and all later ones are published when they
              arrive, and the latest one is repeated at `output_rate_hz` while the source is alive.
  Hand-over   A change of source or of command level starts a hand-over: the difference between the
              last published command and the new one decays at stated rates (hand_over.py).
  Locks       A lock covers every source up to its priority, and counts as a loss for the source in
              control. A lock with a time-out is also active while its messages are stale.
  Loss        A source in control that times out or is locked is lost. At standstill, or with
              `on_loss: next`, the next source takes over. Otherwise the mux stops the car, and
              sources of lower priority wait until it has stood for `standstill_s`; sources of
              higher priority never wait. A source that timed out in motion drives again only after
              it has been alive for `recover_s` without a gap.
  Selection   Somebody outside may decide which sources may drive (extras/redundancy). Where the
              allowed source sends, a change in motion is a hand-over, else it is a loss.
  Give back   A source with `needs_give_back` (autonomy) waits from the moment in which another kind
              of source had control, a lock covered it, or the emergency stop came: it drives only
              after `give_back`, the explicit act of a person. The source that gives control back
              on the move yields: what it still sends does not take control again.
  Emergency   `emergency_stop` is latched: nobody drives, and the stop brakes harder. The first
              `give_back` at standstill resets it, and nothing moves; autonomy needs a second one.
  Safe stop   The mux brakes to standstill (safe_stop.py) and then holds the car, for as long as
              the interface reports AUTONOMOUS. In any other mode the interface blocks commands
              anyway; the mux ends its stream, one of speeds with a request to stand.

States: NONE (nothing is published) -> SOURCE (a source is in control) <-> SAFE_STOP -> NONE.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from vdsim_interface.arbitration import mux_notices
from vdsim_interface.arbitration.give_back import GiveBack, Latches
from vdsim_interface.arbitration.hand_over import HandOver
from vdsim_interface.arbitration.motion import MeasuredMotion, MotionTracker, stands_since
from vdsim_interface.arbitration.parameters import LockSpec, MuxParameters, SourceSpec
from vdsim_interface.arbitration.safe_stop import (
    SafeStopParameters,
    Stopping,
    request_to_stand,
    without_controller,
)
from vdsim_interface.arbitration.sources import Lock, Source
from vdsim_interface.arbitration.state_merge import StateMerge
from vdsim_interface.values import (
    Command,
    Gear,
    Mode,
    Notice,
    NoticeKind,
    Odometry,
    StateReport,
    VehicleCommand,
)
from vdsim_interface.values.state_message import StateMessage

_DT_MAX_S = 0.2
"""A later tick of a stop counts as this late, so that its command does not jump."""

EMERGENCY_LOCK = "emergency_stop"
"""The emergency stop's name among the active locks."""


class ControlState(enum.Enum):
    """Where the commands come from."""

    NONE = "none"
    SOURCE = "source"
    SAFE_STOP = "safe_stop"


@dataclass(frozen=True)
class MuxOutput:
    """What to publish after an input or a tick."""

    command: Command | None = None
    state_command: StateMessage | None = None
    notices: tuple[Notice, ...] = ()


class Selection(Protocol):
    """Which sources may drive, as somebody outside has decided."""

    @property
    def reason(self) -> str:
        """Why another one may not."""

    def allows(self, name: str) -> bool:
        """Whether this one may."""

    def step(self, now: float, sources: Mapping[str, Source]) -> tuple[Notice, ...]:
        """Go on to `now`."""


class CommandMux:
    """Selects the source in control. Call `on_...` for each input and `tick` at the output rate."""

    def __init__(
        self,
        sources: tuple[SourceSpec, ...],
        locks: tuple[LockSpec, ...],
        parameters: MuxParameters,
    ) -> None:
        ordered = sorted(sources, key=lambda spec: -spec.parameters.priority)
        self.sources = {spec.name: Source(spec) for spec in ordered}
        self.locks = {spec.name: Lock(spec) for spec in locks}
        self._latches = GiveBack(self.sources)
        self.selection: Selection | None = None
        self.state = ControlState.NONE
        self.reason = "no command received yet"
        self.since: float | None = None  # None: nothing has changed yet
        self.hand_over = HandOver(parameters.hand_over, parameters.wheelbase_m)
        self._parameters = parameters
        self._tracker = MotionTracker()
        self._merge = StateMerge()
        self._in_control: Source | None = None
        self._sent: Command | None = None
        self._sent_at = -math.inf
        self._stopping = Stopping(0.0)
        self._standing_since: float | None = None
        self._is_held = False  # a sender that took over at rest has not asked to drive yet
        self._floor = 0  # during a stop after a loss, lower priorities wait for the standstill
        self._notices: list[Notice] = []

    @property
    def in_control(self) -> Source | None:
        """The source in control."""
        return self._in_control

    def on_command(self, name: str, command: Command, now: float) -> MuxOutput:
        """Receive a command of a source."""
        source = self.sources[name]
        previous_level = type(source.command)
        if not source.on_command(command, now):
            self._notify(
                mux_notices.COMMAND_REJECTED, f"{name}: command rejected: it is not finite"
            )
            return self._output(None)
        took_over = self._select(now)
        if self._in_control is not source:
            return self._output(None)
        if not took_over and previous_level is not type(command):
            self.hand_over.start(self._sent, command, self._tracker.motion(now), now)
        return self._output(self._send(source, command, now))

    def resume(self, name: str, command: Command) -> None:
        """A source has driven directly until now: go on from its last command, without a blend."""
        source = self.sources[name]
        source.on_command(command, command.stamp_s)
        self._in_control, self._sent, self._sent_at = source, command, command.stamp_s
        if self.state is not ControlState.SOURCE:
            self.state, self.reason = ControlState.SOURCE, f"{name} is the only source"
            self.since = command.stamp_s

    def restart(self) -> None:
        """Time jumped back: discard what the sources sent; locks and latches stay."""
        for source in self.sources.values():
            source.command, source.received_at = None, -math.inf
        self._in_control = self._sent = self._standing_since = None
        self._sent_at, self._floor = -math.inf, 0
        self._tracker = MotionTracker()
        self.state, self.reason, self.since = ControlState.NONE, "time jumped back", None

    def rest(self, name: str) -> bool:
        """Whether nothing but this source matters: its commands may pass directly."""
        return (
            self._in_control in (None, self.sources[name])
            and self.state is not ControlState.SAFE_STOP
            and not (self.waits_because or self.emergency or self.hand_over.active)
            and not self._is_held
        )

    def on_state_command(self, name: str, message: StateMessage, now: float) -> MuxOutput:
        """Receive a state command of a source; it passes unless a higher priority is in control."""
        source = self.sources[name]
        reason = self._state_block_reason(source, now)
        if reason:
            text = f"{name}: state command ignored: {reason}"
            self._notify(mux_notices.STATE_COMMAND_IGNORED, text)
            return self._output(None)
        merged = self._merge.merge(source.state, message)
        source.state = message
        return replace(self._output(None), state_command=merged)

    def on_lock(self, name: str, locked: bool, now: float) -> MuxOutput:
        """Receive a lock's message: set, released or refreshed."""
        lock = self.locks[name]
        if lock.locked is not locked:
            self._notify(mux_notices.LOCK, f"lock {name} is {'on' if locked else 'off'}")
        lock.locked = locked
        lock.received_at = now
        return self.tick(now)

    def emergency_stop(self, who: str, now: float) -> MuxOutput:
        """Stop the car hard and hold it; latched until `give_back` resets it."""
        self._notices.extend(self._latches.stop(who, now))
        return self.tick(now)

    def give_back(
        self, who: str, now: float, *, level_refusal: str = ""
    ) -> tuple[bool, str, MuxOutput]:
        """Reset the emergency stop, else let autonomy drive again.

        `level_refusal`: why autonomy could not drive with its level; a reset drives nothing.
        Returns whether it was done, what was done or why not, and what to publish.
        """
        motion, locks = self._tracker.motion(now), self.active_locks(now)
        recover_s = self._parameters.recover_s
        refusal = self._latches.refusal(self._in_control, locks, motion, recover_s, now)
        if not self.emergency:
            refusal = refusal or level_refusal
        if refusal:
            self._notify(mux_notices.GIVE_BACK_REFUSED, f"{who}: give_back refused: {refusal}")
            return False, refusal, self._output(None)
        must_stand = bool(self._floor) and not self._has_stood(now)
        notice = self._latches.apply(now, must_stand=must_stand)
        self._notify(notice.kind, f"{who}: {notice.text}")
        return True, notice.text, self.tick(now)

    @property
    def latches(self) -> Latches:
        """The emergency stop, and why sources that need give_back wait."""
        return self._latches.latches

    def restore(self, latches: Latches) -> None:
        """Set the latches as an arbiter before this one left them."""
        self._latches.restore(latches)

    @property
    def waits_because(self) -> str:
        """Why sources that need give_back wait; empty while they do not."""
        return self._latches.waits_because

    @property
    def emergency(self) -> str:
        """Who requested the emergency stop that is on; empty while it is off."""
        return self._latches.emergency

    @property
    def emergency_requests_n(self) -> int:
        """How many emergency stops were requested."""
        return self._latches.emergency_requests_n

    @property
    def given_back_n(self) -> int:
        """How often control was given back, or an emergency stop reset."""
        return self._latches.given_back_n

    def on_odometry(self, odometry: Odometry, now: float) -> None:
        """Receive the vehicle's speed and wheel angle."""
        self._tracker.on_odometry(odometry, now)

    def on_state_report(self, state: StateReport) -> None:
        """Receive the vehicle's gear and the interface's mode."""
        self._tracker.on_state_report(state)

    def active_locks(self, now: float) -> tuple[str, ...]:
        """Names of the locks that are on; the emergency stop is one."""
        locks = tuple(name for name, lock in self.locks.items() if lock.active(now))
        return (EMERGENCY_LOCK, *locks) if self.emergency else locks

    def locked(self, source: Source, now: float) -> bool:
        """True when an active lock covers the source, or the emergency stop is on."""
        return bool(self.emergency) or any(
            lock.active(now) and source.priority <= lock.spec.parameters.priority
            for lock in self.locks.values()
        )

    def tick(self, now: float) -> MuxOutput:
        """Advance to `now`: check time-outs, decay the hand-over, repeat the command, stop."""
        motion = self._tracker.motion(now)
        self._standing_since = stands_since(self._standing_since, motion, now)
        self._notices.extend(self._latches.watch(self.locks.values(), now))
        self._select(now)
        if self.state is ControlState.SAFE_STOP:
            return self._output(self._step_stop(motion, now))
        source = self._in_control
        if source is None or source.command is None:
            return self._output(None)
        due = now - self._sent_at >= 0.9 / self._parameters.output_rate_hz
        return self._output(self._send(source, source.command, now) if due else None)

    # ---- selection -----------------------------------------------------------------------------

    def _select(self, now: float) -> bool:
        """Update the source in control; true when a source took over."""
        if self.selection is not None:
            self._notices.extend(self.selection.step(now, self.sources))
        best = next((s for s in self.sources.values() if self._may_drive(s, now)), None)
        current, why = self._in_control, ""
        if current is not None and best is not current and not self._may_drive(current, now):
            why = self._loss_reason(current, now)
            if not self._on_loss(current, best, why, now):
                return False
        if best is None or best is self._in_control:
            return False
        self._take_over(best, current, why, now)
        return True

    def _loss_reason(self, lost: Source, now: float) -> str:
        if self.emergency:
            return f"emergency stop by {self.emergency}"
        if lost.yielded:
            return f"{lost.name} gave control back"
        if self.selection is not None and not self._allowed(lost):
            return self.selection.reason
        return f"{lost.name} {'is locked' if self.locked(lost, now) else 'timed out'}"

    def _allowed(self, source: Source) -> bool:
        return self.selection is None or self.selection.allows(source.name)

    def _may_drive(self, source: Source, now: float) -> bool:
        return (
            source.alive(now)
            and self._allowed(source)
            and not source.yielded
            and not (source.needs_give_back and self.waits_because)
            and not self.locked(source, now)
            and source.recovered(now, self._parameters.recover_s)
            and (source.priority >= self._floor or self._has_stood(now))
        )

    def _on_loss(self, lost: Source, best: Source | None, reason: str, now: float) -> bool:
        """Release the lost source. True when `best` may take over at once, else a stop starts."""
        motion = self._tracker.motion(now)
        deselected = lost.alive(now) and not self._allowed(lost)
        gave_back = lost.yielded or (deselected and best is not None)
        lost.lost_in_motion = not (
            motion.standing or gave_back or deselected or self.locked(lost, now)
        )
        must_stop = lost.spec.parameters.on_loss == "stop" and not (motion.standing or gave_back)
        self._in_control = None
        if best is not None and (not must_stop or best.priority > lost.priority):
            return True
        self._floor = lost.priority if must_stop else 0
        self._start_stop(reason, motion, now)
        return False

    def _take_over(self, source: Source, before: Source | None, why: str, now: float) -> None:
        """`why`: what ended the control of the source before; empty for a higher priority."""
        assert source.command is not None, "an alive source has sent a command"
        motion = self._tracker.motion(now)
        is_other = before is None or before.needs_give_back is not source.needs_give_back
        self._is_held = motion.standing and (self._is_held or is_other)
        self._in_control = source
        if not source.needs_give_back:
            self._notices.extend(self._latches.wait(f"{source.name} had control"))
        self._sent_at = -math.inf  # the first command of the new source is due at once
        self._floor = 0
        text = f"{source.name} took over from {before.name if before else 'none'}"
        if why:
            text += f": {why}"
        self._set_state(ControlState.SOURCE, mux_notices.TOOK_OVER, text, now)
        self.hand_over.start(self._sent, self._or_held(source, source.command, now), motion, now)

    def _state_block_reason(self, source: Source, now: float) -> str:
        """Why the source may send no state command now; empty when it may."""
        if self.locked(source, now):
            return "it is locked"
        if source.needs_give_back and self.waits_because:
            return f"it waits for give_back: {self.waits_because}"
        if self._in_control is not None and source.priority < self._in_control.priority:
            return f"{self._in_control.name} is in control"
        if source.priority < self._floor and not self._has_stood(now):
            return "a safe stop is in progress"
        return ""

    # ---- safe stop -----------------------------------------------------------------------------

    def _start_stop(self, reason: str, motion: MeasuredMotion, now: float) -> None:
        self._stopping = Stopping(now)
        self._sent_at = now
        self._standing_since = None
        if _commands_blocked(motion):
            self._release(motion, now)
        else:
            kind = mux_notices.HOLDING if motion.standing else mux_notices.SAFE_STOP
            self._set_state(ControlState.SAFE_STOP, kind, reason, now)

    @property
    def _stop_parameters(self) -> SafeStopParameters:
        stop = self._parameters.safe_stop
        return stop.emergency() if self.emergency else stop

    def _step_stop(self, motion: MeasuredMotion, now: float) -> Command | None:
        if _commands_blocked(motion):
            if last := request_to_stand(self._sent, now):
                self._sent = last
                return last
            self._release(motion, now)
            return None
        assert self._sent is not None, "a stop follows a source that has driven"
        if self.emergency and self._parameters.direct_emergency:
            self._sent = without_controller(self._sent, self._parameters.wheelbase_m)
        dt_s, stop = min(now - self._sent_at, _DT_MAX_S), self._stop_parameters
        self._sent = self._stopping.step(self._sent, motion, stop, dt_s=dt_s, now=now)
        self._sent_at = now
        return self._sent

    def _has_stood(self, now: float) -> bool:
        since = self._standing_since
        return since is not None and now - since >= self._parameters.standstill_s

    def _release(self, motion: MeasuredMotion, now: float) -> None:
        assert motion.mode is not None, "without a reported mode the stop continues"
        self._floor = 0
        self._sent = None
        reason = f"the interface is {motion.mode.name}"
        self._set_state(ControlState.NONE, mux_notices.RELEASED, reason, now)

    # ---- output --------------------------------------------------------------------------------

    def _or_held(self, source: Source, command: Command, now: float) -> Command:
        """Leave a standing car to the interface until its new sender does not brake any more.

        Who held it before asked for nothing at last: after that a brake would choose REVERSE. What
        the new one asked for until it took over (`since`) may not be meant, and ends nothing.
        """
        if not self._is_held:
            return command
        motion = self._tracker.motion(now)
        stands = motion.standing and motion.gear is not Gear.REVERSE
        if stands and isinstance(command, VehicleCommand) and command.long_accel_mps2 < 0.0:
            return command._replace(long_accel_mps2=0.0)
        self._is_held = stands and self.since is not None and source.received_at <= self.since
        return command

    def _send(self, source: Source, command: Command, now: float) -> Command:
        command = self._or_held(source, command, now)
        self._sent = self.hand_over.apply(command, now)
        self._sent_at = now
        return self._sent

    def _set_state(self, state: ControlState, kind: NoticeKind, reason: str, now: float) -> None:
        self.state, self.reason, self.since = state, reason, now
        self._notify(kind, reason)

    def _notify(self, kind: NoticeKind, text: str) -> None:
        self._notices.append(Notice(kind, text))

    def _output(self, command: Command | None) -> MuxOutput:
        notices, self._notices = tuple(self._notices), []
        return MuxOutput(command, None, notices)


def _commands_blocked(motion: MeasuredMotion) -> bool:
    """True when the interface reports that it blocks commands, so that a stop has no effect."""
    return motion.mode not in (None, Mode.AUTONOMOUS)
