"""Everything behind the hands: driver, state requests and mode requests, for any input device.

intent + actions --> Station.tick --> command, state commands, mode requests, reports
odometry, state report, answers of ChangeMode --^
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from vdsim_interface.arbitration.motion import MeasuredMotion, MotionTracker
from vdsim_interface.arbitration.safe_stop import SafeStopParameters
from vdsim_interface.teleop import teleop_notices
from vdsim_interface.teleop.driver import Driver, Intent
from vdsim_interface.teleop.mapping import Action
from vdsim_interface.teleop.parameters import LEVELS, DriverParameters
from vdsim_interface.teleop.state_requests import STATE_ACTIONS, StateRequests
from vdsim_interface.values import (
    Command,
    ControlLevel,
    Notice,
    NoticeKind,
    Odometry,
    StateMessage,
    StateReport,
)


class ModeRequest(enum.Enum):
    """What to ask of the ChangeMode service."""

    ENGAGE = "engage"
    DISENGAGE = "disengage"


_MODE_REQUESTS = {
    Action.ENGAGE: ModeRequest.ENGAGE,
    Action.DISENGAGE: ModeRequest.DISENGAGE,
}


@dataclass(frozen=True)
class ActionEvent:
    """A button of the mapping went down or up."""

    action: Action
    pressed: bool


@dataclass(frozen=True)
class StationOutput:
    """What to publish, ask and tell after one tick."""

    command: Command | None = None
    state_commands: tuple[StateMessage, ...] = ()
    mode_requests: tuple[ModeRequest, ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass
class _Outbox:
    state_commands: list[StateMessage] = field(default_factory=list)
    mode_requests: list[ModeRequest] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)


class Station:
    """One person at one device."""

    def __init__(self, driver: DriverParameters, stop: SafeStopParameters) -> None:
        self.driver = Driver(driver, stop)
        self.last_refusal = ""
        self._tracker = MotionTracker()
        self._requests = StateRequests()
        self._outbox = _Outbox()

    def on_odometry(self, odometry: Odometry, now: float) -> None:
        """The vehicle's speed and wheel angle."""
        self._tracker.on_odometry(odometry, now)

    def on_state_report(self, state: StateReport) -> None:
        """The vehicle's gear, lamps and the interface's mode."""
        self._tracker.on_state_report(state)

    def on_mode_answer(self, request: ModeRequest, success: bool, reason: str) -> None:
        """The ChangeMode service's answer."""
        if success:
            self._tell(teleop_notices.MODE_ANSWER, f"{request.value}: {reason or 'done'}")
        else:
            self.last_refusal = f"{request.value} refused: {reason}"
            self._tell(teleop_notices.MODE_REFUSED, self.last_refusal)

    def motion(self, now: float) -> MeasuredMotion:
        """The car as last heard."""
        return self._tracker.motion(now)

    def on_action(self, event: ActionEvent, now: float) -> None:
        """A button was pressed or released; what follows comes out of the next tick."""
        motion = self._tracker.motion(now)
        if event.action in STATE_ACTIONS:
            message, notices = self._requests.on_action(
                event.action, event.pressed, motion.state, now
            )
            self._outbox.state_commands.extend([message] if message else [])
            self._outbox.notices.extend(notices)
        elif event.pressed and event.action is Action.LEVEL:
            following = LEVELS[(LEVELS.index(self.driver.level.value) + 1) % len(LEVELS)]
            self._outbox.notices.append(self.driver.set_level(ControlLevel(following), motion))
        elif event.pressed:
            self._outbox.mode_requests.append(_MODE_REQUESTS[event.action])

    def tick(self, intent: Intent, now: float) -> StationOutput:
        """All that is due now. Call it at the output rate."""
        motion = self._tracker.motion(now)
        command, notices = self.driver.tick(intent, motion, now)
        unmet = self._requests.check(motion.state, now)
        outbox, self._outbox = self._outbox, _Outbox()
        told = (*outbox.notices, *notices, *unmet)
        for report in told:
            if report.kind in _REFUSALS:
                self.last_refusal = report.text
        return StationOutput(
            command, tuple(outbox.state_commands), tuple(outbox.mode_requests), told
        )

    def _tell(self, kind: NoticeKind, text: str) -> None:
        self._outbox.notices.append(Notice(kind, text))


_REFUSALS = frozenset(
    {
        teleop_notices.MODE_REFUSED,
        teleop_notices.REQUEST_UNMET,
        teleop_notices.REQUEST_IGNORED,
        teleop_notices.LEVEL_REFUSED,
    }
)
