"""Driver, state requests and mode requests of one person, for any input device.

intent + actions --> Station.tick --> command, state commands, mode requests, notices
odometry, state report, responses of ChangeMode --^
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from vdsim_interface.arbitration.motion import MeasuredMotion, MotionTracker
from vdsim_interface.arbitration.mux import EMERGENCY_LOCK
from vdsim_interface.arbitration.safe_stop import SafeStopParameters
from vdsim_interface.teleop import teleop_notices
from vdsim_interface.teleop.driver import Driver, Intent
from vdsim_interface.teleop.mapping import Action
from vdsim_interface.teleop.parameters import LEVELS, DriverParameters
from vdsim_interface.teleop.state_requests import STATE_ACTIONS, StateRequests
from vdsim_interface.values import Command, ControlLevel, Notice, NoticeKind, Odometry, StateReport
from vdsim_interface.values.state_message import StateMessage


class ModeRequest(enum.Enum):
    """A request to the ChangeMode service."""

    ENGAGE = "engage"
    DISENGAGE = "disengage"


_MODE_REQUESTS = {
    Action.ENGAGE: ModeRequest.ENGAGE,
    Action.DISENGAGE: ModeRequest.DISENGAGE,
}


@dataclass(frozen=True)
class ActionEvent:
    """A button of the mapping was pressed or released."""

    action: Action
    pressed: bool
    again: bool = False
    """Pressed in the message before, too; of the emergency stop, which acts in each."""


@dataclass(frozen=True)
class StationOutput:
    """What to publish, request and log after one tick."""

    command: Command | None = None
    state_commands: tuple[StateMessage, ...] = ()
    mode_requests: tuple[ModeRequest, ...] = ()
    notices: tuple[Notice, ...] = ()
    emergency_stop: bool = False
    give_back: bool = False


@dataclass
class _Outbox:
    state_commands: list[StateMessage] = field(default_factory=list)
    mode_requests: list[ModeRequest] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    give_back: bool = False


class Station:
    """One person at one device."""

    def __init__(self, driver: DriverParameters, stop: SafeStopParameters) -> None:
        self.driver = Driver(driver, stop)
        self.last_refusal = ""
        self._tracker = MotionTracker()
        self._requests = StateRequests()
        self._outbox = _Outbox()
        self._stop_since: float | None = None  # an emergency stop that is not confirmed yet

    def on_active_locks(self, locks: tuple[str, ...]) -> None:
        """Receive the active locks of control_source: they confirm an emergency stop."""
        if EMERGENCY_LOCK in locks:
            self._stop_since = None

    @property
    def asks_to_stop(self) -> bool:
        """Whether an emergency stop was requested and is not confirmed yet."""
        return self._stop_since is not None

    def on_give_back_answer(self, success: bool, text: str) -> None:
        """Receive the response of give_back; after a success command nothing any more."""
        if success:
            self.driver.release()
            self._notify(teleop_notices.GAVE_BACK, text)
        else:
            self._notify(teleop_notices.GIVE_BACK_REFUSED, f"give_back refused: {text}")

    def on_odometry(self, odometry: Odometry, now: float) -> None:
        """Receive the vehicle's speed and wheel angle."""
        self._tracker.on_odometry(odometry, now)

    def on_state_report(self, state: StateReport) -> None:
        """Receive the vehicle's gear and lamps and the interface's mode."""
        self._tracker.on_state_report(state)

    def on_mode_answer(self, request: ModeRequest, success: bool, reason: str) -> None:
        """Receive the response of the ChangeMode service."""
        if success:
            self._notify(teleop_notices.MODE_ANSWER, f"{request.value}: {reason or 'done'}")
        else:
            self.last_refusal = f"{request.value} refused: {reason}"
            self._notify(teleop_notices.MODE_REFUSED, self.last_refusal)

    def motion(self, now: float) -> MeasuredMotion:
        """Return the car's latest motion."""
        return self._tracker.motion(now)

    def on_action(self, event: ActionEvent, now: float) -> None:
        """Receive a pressed or released button; the next tick returns what results from it."""
        motion = self._tracker.motion(now)
        if event.action in STATE_ACTIONS:
            message, notices = self._requests.on_action(
                event.action, event.pressed, motion.state, now
            )
            self._outbox.state_commands.extend([message] if message else [])
            self._outbox.notices.extend(notices)
        elif event.pressed and event.action is Action.LEVEL:
            level = LEVELS[(LEVELS.index(self.driver.level.value) + 1) % len(LEVELS)]
            self._outbox.notices.append(self.driver.set_level(ControlLevel(level), motion))
        elif event.pressed and event.action is Action.EMERGENCY_STOP:
            self._stop_since = now if self._stop_since is None else self._stop_since
            self.driver.stop_hard()
            if not event.again:
                self._notify(teleop_notices.EMERGENCY_STOP, "emergency stop")
        elif event.pressed and event.action is Action.GIVE_BACK:
            self._outbox.give_back = True
        elif event.pressed:
            self._outbox.mode_requests.append(_MODE_REQUESTS[event.action])

    def tick(self, intent: Intent, now: float) -> StationOutput:
        """Return what is due now. Call it at the output rate."""
        motion = self._tracker.motion(now)
        command, notices = self.driver.tick(intent, motion, now)
        unmet = self._requests.update(motion.state, now)
        emergency_stop = self._emergency_stop(now)
        outbox, self._outbox = self._outbox, _Outbox()
        all_notices = (*outbox.notices, *notices, *unmet)
        for notice in all_notices:
            if notice.kind in _REFUSALS:
                self.last_refusal = notice.text
        return StationOutput(
            command=command,
            state_commands=tuple(outbox.state_commands),
            mode_requests=tuple(outbox.mode_requests),
            notices=all_notices,
            emergency_stop=emergency_stop,
            give_back=outbox.give_back,
        )

    def _emergency_stop(self, now: float) -> bool:
        """Whether to request it now: again in every period, until it is confirmed."""
        since = self._stop_since
        if since is None:
            return False
        if now - since > _CONFIRM_S:
            self._stop_since = None
            text = (
                f"emergency stop: no control_source confirmed it within {_CONFIRM_S:g} s; only the "
                "commands of this device stop the car"
            )
            self._notify(teleop_notices.EMERGENCY_UNHEARD, text)
        return True

    def _notify(self, kind: NoticeKind, text: str) -> None:
        self._outbox.notices.append(Notice(kind, text))


_REFUSALS = frozenset(
    {
        teleop_notices.MODE_REFUSED,
        teleop_notices.REQUEST_UNMET,
        teleop_notices.REQUEST_IGNORED,
        teleop_notices.LEVEL_REFUSED,
        teleop_notices.GIVE_BACK_REFUSED,
    }
)
_CONFIRM_S = 2.0
"""An emergency stop is requested for this long at most [s]."""
