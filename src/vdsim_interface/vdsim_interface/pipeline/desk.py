"""The desk: requests and commands of everybody pass the intake here, and go on to the stages.

    stack, gamepad, dashboard ─┐                ┌─ deliver, override ─▶ controller, filter, safety
    locks, emergency stop ─────┼─▶ Desk(Intake) ┤
    give_back, state messages ─┘                └─ requests, emergency stop ─▶ safety side

It is the same in every composition; `Ends` says where it stands. The ROS side (ros/intake_port.py)
converts messages and follows who publishes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from vdsim_interface.arbitration.give_back import Latches
from vdsim_interface.arbitration.interface_parameters import DASHBOARD, STACK
from vdsim_interface.arbitration.mux import ControlState
from vdsim_interface.arbitration.other_arbiter import OtherArbiter
from vdsim_interface.pipeline.intake import Intake, IntakeOutput
from vdsim_interface.pipeline.output import Motion
from vdsim_interface.teleop.station import ModeRequest
from vdsim_interface.values import (
    LEVEL_OF,
    ChangeModeResult,
    Command,
    ControlLevel,
    Notice,
    RequestContext,
    StateCommand,
    Stop,
    VehicleCommand,
)
from vdsim_interface.values.state_message import StateMessage


class DeskSide(Protocol):
    """The safety side, in this process or in the guard, as far as the desk needs it."""

    def on_change_mode(
        self, engage: bool, now: float
    ) -> tuple[ChangeModeResult, tuple[Notice, ...]]:
        """Engage or disengage."""

    def on_state_command(self, request: StateCommand, now: float) -> tuple[Notice, ...]:
        """Process a request that names only what it wants to change."""

    @property
    def request_context(self) -> RequestContext | None:
        """What the reader of state messages must know; None before anything is known."""

    def on_emergency(self, stop: Stop | None) -> None:
        """Latch an emergency stop, or release it (None)."""


@dataclass(frozen=True)
class Ends:
    """Where a desk stands. All are asked when they are needed: sides and levels change.

    `deliver`: gives the stages a command of another source than the stack. `override`: the same for
    an emergency stop, which bypasses the controller. `follow`: a source of this command's level
    takes over. `fixed`: why the level cannot change now; empty while it can. `report`: for people,
    as published. `late_engage`: why a request to engage that is delivered now does not count, as
    after a stall; empty if it does.
    """

    side: Callable[[], DeskSide]
    level: Callable[[], ControlLevel]
    motion: Callable[[], Motion]
    deliver: Callable[[Command, float], None]
    override: Callable[[VehicleCommand, float], None]
    follow: Callable[[Command, float], None]
    fixed: Callable[[], str]
    report: Callable[[tuple[Notice, ...], float], None]
    late_engage: Callable[[float], str]


class Desk:
    """Owns what an Intake returns.

    `is_enabled`: whether there are other sources than the stack; else another node may arbitrate.
    """

    def __init__(self, intake: Intake, ends: Ends, *, is_enabled: bool = True) -> None:
        self.intake = intake
        self._ends = ends
        self._home = self._level = ends.level()
        self._is_enabled = is_enabled
        self._other = OtherArbiter()
        self._emergency = (False, 0)

    @property
    def home(self) -> ControlLevel:
        """The level that the stack drives with: as it is set, but not by following a source."""
        level = self._ends.level()
        if level is not self._level:
            self._home = self._level = level
        return self._home

    # ---- the stack -------------------------------------------------------------------------------

    def on_stack(self, command: Command, now: float) -> Command | None:
        """Receive a command of the stack; returns what passes: all while nothing is watched."""
        if not self.intake.watches:
            return command
        if LEVEL_OF[type(command)] is not self.home:
            # The stack does not drive with this level: the safety side rejects and counts it.
            return command if self.intake.mux.rest(STACK) else None
        self._use_motion(now)
        output = self.intake.on_stack(command, now)
        self._apply(output._replace(command=None), now)
        if output.command is not None:
            self._follow(output.command, now)
        return output.command

    def on_stack_state(self, message: StateMessage, now: float) -> None:
        """Receive a state command of the stack."""
        self._use_motion(now)
        if self._is_enabled:
            self._apply(self.intake.on_state(STACK, message, now), now)
        else:
            requests = self.intake.read(message, now)
            self._apply(IntakeOutput(state_commands=requests), now)

    # ---- the other sources -----------------------------------------------------------------------

    def on_source(self, name: str, command: Command, now: float) -> None:
        """Receive a command of another source."""
        self._use_motion(now)
        self._apply(self.intake.on_source(name, command, now), now)

    def on_state(self, name: str, message: StateMessage, now: float) -> None:
        """Receive a state command of another source."""
        self._use_motion(now)
        self._apply(self.intake.on_state(name, message, now), now)

    def on_joy(self, axes: tuple[float, ...], buttons: tuple[int, ...], now: float) -> None:
        """Receive the dashboard's Joy."""
        self._use_motion(now)
        self._apply(self.intake.on_joy(axes, buttons, self._ends.level(), now), now)

    def on_lock(self, name: str, locked: bool, now: float) -> None:
        """Receive a lock: set, released or refreshed."""
        self._use_motion(now)
        self._apply(self.intake.on_lock(name, locked, now), now)

    def emergency_stop(self, who: str, now: float) -> None:
        """Stop hard, and latch it."""
        if not self._is_enabled:
            self._ends.report(self._other.stop(who, now), now)
            self.pass_emergency()
            return
        self._use_motion(now)
        self._apply(self.intake.emergency_stop(who, now), now)

    def on_other_arbiter(self, locks: Collection[str], given_back_n: int, now: float) -> None:
        """Use what a command_mux of its own process reports (arbitration/other_arbiter.py)."""
        self._other.on_report(locks, given_back_n, now)
        self.pass_emergency()

    def give_back(self, who: str, now: float) -> tuple[bool, str]:
        """Reset the emergency stop, else let the stack drive again."""
        self._use_motion(now)
        done, text, output = self.intake.give_back(who, now, level_refusal=self._level_refusal())
        self._apply(output, now)
        if done:
            # Also where only the safety side still knows of the stop.
            self._ends.side().on_emergency(None)
        return done, text

    def refuses_engage(self, now: float) -> str:
        """Why nobody may engage by a request that is delivered now; empty while nothing forbids it.

        The safety side may still refuse it.
        """
        return self._ends.late_engage(now) or self.intake.refuses_engage

    # ---- time ------------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """Before a period, while the intake watches: time-outs, stops, the dashboard's pad."""
        self._use_motion(now)
        self._apply(self.intake.tick(now), now)
        if self.home is not self._level:
            self.intake.watches = True  # the stack's next command brings its level back

    def pass_emergency(self) -> None:
        """Latch or release the emergency stop at the safety side, where it outranks every mode."""
        latch = self.intake.mux if self._is_enabled else self._other
        known = bool(latch.emergency), latch.emergency_requests_n
        if known != self._emergency:
            self._emergency = known
            self._ends.side().on_emergency(self.intake.hard_stop if latch.emergency else None)

    # ---- what outlives this object ---------------------------------------------------------------

    @property
    def latches(self) -> Latches:
        """What the next process must know if this one crashes."""
        return self.intake.mux.latches if self._is_enabled else self._other.latches

    def restore(self, latches: Latches) -> None:
        """Set the latches as the process before this one left them."""
        if self._is_enabled:
            self.intake.restore(latches)
        else:
            self._other.restore(latches)

    def restore_from(self, previous: Desk) -> None:
        """Continue where the desk before this one ended, in the same process."""
        self._home, self._level = previous._home, previous._level
        self.intake.restore_from(previous.intake)
        self._other.restore(previous._other.latches)

    # ---- helpers ---------------------------------------------------------------------------------

    def _use_motion(self, now: float) -> None:
        self.intake.context = self._ends.side().request_context
        self.intake.on_motion(*self._ends.motion(), now)

    def _apply(self, output: IntakeOutput, now: float) -> None:
        """Give the stages what a source has sent, and report."""
        ends = self._ends
        command = output.command
        if command is not None:
            if isinstance(command, VehicleCommand) and self._passes_controller():
                ends.override(command, now)
            else:
                self._follow(command, now)
                ends.deliver(command, now)
        for request in output.state_commands:
            ends.report(ends.side().on_state_command(request, now), now)
        for mode in output.mode_requests:
            self._request_mode(mode, now)
        self.pass_emergency()
        ends.report(output.notices, now)
        if output.gives_back:
            self.intake.on_give_back_answer(*self.give_back(DASHBOARD, now))

    def _follow(self, command: Command, now: float) -> None:
        """Drive with this command's level, and with the stack's own again after it."""
        self._home = self.home
        self._ends.follow(command, now)
        self._level = self._ends.level()

    def _level_refusal(self) -> str:
        """Why the stack could not drive with its level now; empty if it could."""
        home, fixed = self.home, self._ends.fixed()
        if home is self._level or not fixed:
            return ""
        return (
            f"the stack commands {home.value}, but control_command is {self._level.value}: {fixed}"
        )

    def _passes_controller(self) -> bool:
        """Whether it is the arbiter's own, after an emergency stop of a high-level stream."""
        by_arbiter = self.intake.mux.state is ControlState.SAFE_STOP
        return by_arbiter and self._ends.level() is ControlLevel.HIGH_LEVEL

    def _request_mode(self, request: ModeRequest, now: float) -> None:
        engage = request is ModeRequest.ENGAGE
        refusal = self.refuses_engage(now) if engage else ""
        if refusal:
            self.intake.on_mode_answer(request, False, refusal)
            return
        result, notices = self._ends.side().on_change_mode(engage, now)
        self._ends.report(notices, now)
        self.intake.on_mode_answer(request, result.success, result.reason)
