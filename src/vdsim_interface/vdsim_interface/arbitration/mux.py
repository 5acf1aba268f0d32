"""The command mux: of several sources exactly one drives, or the mux itself stops the car.

    <source>/..._command --on_command--> selection --> hand-over --> command to the interface
    locks, time-outs     --tick-------^       \\-----> safe stop  --^

Theory of operation. NONE: nobody has spoken, nothing is sent. SOURCE: the living, unlocked source
of the highest priority drives; its commands pass as they come and are repeated while it lives.
When it dies at speed, its `on_loss` decides: the next source takes over, or the mux brakes to
standstill (SAFE_STOP) and lower sources wait until the car has stood; higher ones never wait. A
source that died driving must be steady for `recover_s` before it drives again. SAFE_STOP holds the
standing car for as long as the interface is AUTONOMOUS; otherwise the mux goes back to NONE.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, replace

from vdsim_interface.arbitration import mux_notices
from vdsim_interface.arbitration.hand_over import HandOver
from vdsim_interface.arbitration.motion import MeasuredMotion, MotionTracker
from vdsim_interface.arbitration.parameters import LockSpec, MuxParameters, SourceSpec
from vdsim_interface.arbitration.safe_stop import begin_stop, step_stop
from vdsim_interface.arbitration.sources import Lock, Source
from vdsim_interface.arbitration.state_merge import StateMerge
from vdsim_interface.values import (
    Command,
    Mode,
    Notice,
    NoticeKind,
    Odometry,
    StateMessage,
    StateReport,
)


class ControlState(enum.Enum):
    """Who makes the commands."""

    NONE = "none"
    SOURCE = "source"
    SAFE_STOP = "safe_stop"


@dataclass(frozen=True)
class MuxOutput:
    """What to publish after an input or a tick."""

    command: Command | None = None
    state_command: StateMessage | None = None
    notices: tuple[Notice, ...] = ()


class CommandMux:
    """Feed it what the sources say; call `tick` at the output rate."""

    def __init__(
        self,
        sources: tuple[SourceSpec, ...],
        locks: tuple[LockSpec, ...],
        parameters: MuxParameters,
    ) -> None:
        ordered = sorted(sources, key=lambda spec: -spec.parameters.priority)
        self.sources = {spec.name: Source(spec) for spec in ordered}
        self.locks = {spec.name: Lock(spec) for spec in locks}
        self.state = ControlState.NONE
        self.reason = "no source has spoken yet"
        self.since: float | None = None  # nothing has changed yet
        self.hand_over = HandOver(parameters.hand_over, parameters.wheelbase_m)
        self._parameters = parameters
        self._tracker = MotionTracker()
        self._merge = StateMerge()
        self._driver: Source | None = None
        self._sent: Command | None = None
        self._sent_at = -math.inf
        self._stop_began_at = 0.0
        self._standing_since: float | None = None
        self._floor = 0  # after a stop on loss, lower priorities wait for the standstill
        self._notices: list[Notice] = []

    @property
    def driver(self) -> Source | None:
        """The source in control."""
        return self._driver

    def on_command(self, name: str, command: Command, now: float) -> MuxOutput:
        """A command of a source."""
        source = self.sources[name]
        level_before = type(source.command)
        if not source.hear(command, now):
            self._tell(mux_notices.COMMAND_REJECTED, f"{name}: a command is not finite; ignored")
            return self._output(None)
        took_over = self._select(now)
        if self._driver is not source:
            return self._output(None)
        if not took_over and level_before is not type(command):
            self.hand_over.begin(self._sent, command, self._tracker.motion(now), now)
        return self._output(self._send(command, now))

    def on_state_command(self, name: str, message: StateMessage, now: float) -> MuxOutput:
        """A state command of a source: passed on unless somebody of higher rank drives."""
        source = self.sources[name]
        refusal = self._refuses_state_of(source, now)
        if refusal:
            self._tell(mux_notices.STATE_COMMAND_IGNORED, f"{name}: state command: {refusal}")
            return self._output(None)
        merged = self._merge.merge(source.state, message)
        source.state = message
        return replace(self._output(None), state_command=merged)

    def on_lock(self, name: str, locked: bool, now: float) -> MuxOutput:
        """A lock was set, released or refreshed."""
        lock = self.locks[name]
        if lock.locked is not locked:
            self._tell(mux_notices.LOCK, f"lock {name} is {'on' if locked else 'off'}")
        lock.locked = locked
        lock.heard_at = now
        return self.tick(now)

    def on_odometry(self, odometry: Odometry, now: float) -> None:
        """The vehicle's speed and wheel angle."""
        self._tracker.on_odometry(odometry, now)

    def on_state_report(self, state: StateReport) -> None:
        """The vehicle's gear and the interface's mode."""
        self._tracker.on_state_report(state)

    def active_locks(self, now: float) -> tuple[str, ...]:
        """Names of the locks that are on."""
        return tuple(name for name, lock in self.locks.items() if lock.active(now))

    def locked(self, source: Source, now: float) -> bool:
        """True when a lock covers the source."""
        return any(
            lock.active(now) and source.priority <= lock.spec.parameters.priority
            for lock in self.locks.values()
        )

    def tick(self, now: float) -> MuxOutput:
        """Time passes: notice silence, blend, repeat, stop."""
        motion = self._tracker.motion(now)
        self._watch_standstill(motion, now)
        self._select(now)
        if self.state is ControlState.SAFE_STOP:
            return self._output(self._step_stop(motion, now))
        driver = self._driver
        if driver is None or driver.command is None:
            return self._output(None)
        due = now - self._sent_at >= 0.9 / self._parameters.output_rate_hz
        return self._output(self._send(driver.command, now) if due else None)

    def _select(self, now: float) -> bool:
        """Give control to whom it belongs; true when somebody took it over."""
        best = next((s for s in self.sources.values() if self._may_drive(s, now)), None)
        driver = self._driver
        if driver is not None and best is not driver and not self._may_drive(driver, now):
            why = "is locked" if self.locked(driver, now) else "went silent"
            if not self._leave(driver, best, why, now):
                return False
        if best is None or best is self._driver:
            return False
        self._take_over(best, now)
        return True

    def _may_drive(self, source: Source, now: float) -> bool:
        return (
            source.alive(now)
            and not self.locked(source, now)
            and source.recovered(now, self._parameters.recover_s)
            and (source.priority >= self._floor or self._has_stood(now))
        )

    def _leave(self, driver: Source, best: Source | None, why: str, now: float) -> bool:
        """The driver is lost. True when `best` may go on at once, else a stop begins."""
        motion = self._tracker.motion(now)
        driver.died_driving = not motion.standing and not self.locked(driver, now)
        keeps_rolling = driver.spec.parameters.on_loss == "stop" and not motion.standing
        self._driver = None
        if best is not None and (not keeps_rolling or best.priority > driver.priority):
            return True
        self._floor = driver.priority if keeps_rolling else 0
        self._begin_stop(f"{driver.name} {why}", motion, now)
        return False

    def _take_over(self, source: Source, now: float) -> None:
        assert source.command is not None, "a living source has spoken"
        before = self._driver.name if self._driver else "nobody"
        self.hand_over.begin(self._sent, source.command, self._tracker.motion(now), now)
        self._driver = source
        self._sent_at = -math.inf  # the first command of the new driver is due at once
        self._floor = 0
        kind = mux_notices.TOOK_OVER
        self._become(ControlState.SOURCE, kind, f"{source.name} took over from {before}", now)

    def _begin_stop(self, reason: str, motion: MeasuredMotion, now: float) -> None:
        if self._sent is not None:
            self._sent = begin_stop(self._sent, motion)
        self._stop_began_at = now
        self._sent_at = now
        self._standing_since = None
        if _nobody_may_drive(motion):
            self._release(motion, now)
        else:
            kind = mux_notices.HOLDING if motion.standing else mux_notices.SAFE_STOP
            self._become(ControlState.SAFE_STOP, kind, reason, now)

    def _step_stop(self, motion: MeasuredMotion, now: float) -> Command | None:
        if _nobody_may_drive(motion):
            self._release(motion, now)
            return None
        assert self._sent is not None, "a stop follows a source that has driven"
        self._sent = step_stop(
            self._sent,
            motion,
            self._parameters.safe_stop,
            dt_s=min(now - self._sent_at, 0.2),
            elapsed_s=now - self._stop_began_at,
            now=now,
        )
        self._sent_at = now
        return self._sent

    def _send(self, command: Command, now: float) -> Command:
        self._sent = self.hand_over.apply(command._replace(stamp_s=now), now)
        self._sent_at = now
        return self._sent

    def _watch_standstill(self, motion: MeasuredMotion, now: float) -> None:
        if not motion.standing:
            self._standing_since = None
        elif self._standing_since is None:
            self._standing_since = now

    def _has_stood(self, now: float) -> bool:
        since = self._standing_since
        return since is not None and now - since >= self._parameters.standstill_s

    def _refuses_state_of(self, source: Source, now: float) -> str:
        if self.locked(source, now):
            return "it is locked"
        if self._driver is not None and source.priority < self._driver.priority:
            return f"{self._driver.name} drives"
        if source.priority < self._floor and not self._has_stood(now):
            return "the car is being stopped"
        return ""

    def _release(self, motion: MeasuredMotion, now: float) -> None:
        assert motion.mode is not None, "an interface that says nothing keeps being commanded"
        self._floor = 0
        self._sent = None
        reason = f"the interface is {motion.mode.name}"
        self._become(ControlState.NONE, mux_notices.RELEASED, reason, now)

    def _become(self, state: ControlState, kind: NoticeKind, reason: str, now: float) -> None:
        self.state, self.reason, self.since = state, reason, now
        self._tell(kind, reason)

    def _tell(self, kind: NoticeKind, text: str) -> None:
        self._notices.append(Notice(kind, text))

    def _output(self, command: Command | None) -> MuxOutput:
        notices, self._notices = tuple(self._notices), []
        return MuxOutput(command, None, notices)


def _nobody_may_drive(motion: MeasuredMotion) -> bool:
    """True when the interface passes no commands on, so that a stop would reach nobody."""
    return motion.mode not in (None, Mode.AUTONOMOUS)
