"""The intake of the safety side: whose commands the pipeline receives.

    stack's command ───────────────┐
    gamepad, keyboard, remote ─────┼─▶ Intake ──command──▶ controller, filter, SafetySide
    dashboard/joy ─▶ gamepad core ─┘      ▲
    locks, emergency stop, give_back ─────┘

Theory of operation. While the stack is the only source, `watches` is False: the node passes its
commands directly and only stores the latest one here, so that arbitration costs nothing. The first
input of anybody else makes `watches` True: from then on every command passes the arbiter
(arbitration/mux.py), until nothing but the stack matters again.

The dashboard's Joy goes through the same core as a gamepad's (teleop/gamepad_driver.py), here
instead of in a node: dead-man button, time-out, level, emergency stop.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from vdsim_interface.arbitration.give_back import Latches
from vdsim_interface.arbitration.interface_parameters import (
    DASHBOARD,
    STACK,
    ArbitrationParameters,
)
from vdsim_interface.arbitration.mux import CommandMux, MuxOutput
from vdsim_interface.pipeline.state_messages import StateMessageReader
from vdsim_interface.teleop.gamepad_driver import GamepadDriver
from vdsim_interface.teleop.mapping import GamepadMapping
from vdsim_interface.teleop.parameters import DriverParameters, GamepadTeleopParameters
from vdsim_interface.teleop.station import ModeRequest
from vdsim_interface.values import (
    Command,
    ControlLevel,
    Notice,
    Odometry,
    RawCommand,
    RequestContext,
    StateCommand,
    StateReport,
    Stop,
    Until,
    notice_kinds,
)
from vdsim_interface.values.state_message import StateMessage

DASHBOARD_PERIOD_S = 0.02


class IntakeOutput(NamedTuple):
    """What the pipeline receives after an input or a tick."""

    command: Command | None = None
    state_commands: tuple[StateCommand, ...] = ()
    mode_requests: tuple[ModeRequest, ...] = ()
    notices: tuple[Notice, ...] = ()
    gives_back: bool = False
    """The dashboard asks to give back; `on_give_back_answer` receives the answer."""


NOTHING = IntakeOutput()


class Intake:
    """The arbiter, the dashboard's pad and the reader of state messages.

    `latest`: the stack's last command while not watching. `context`: what the safety side knows of
    requests; None before anything is known of it: then nothing is read. `hard_stop`: an emergency
    stop, as a stop of the safety side. Call `on_motion` before every other input.
    """

    def __init__(
        self,
        parameters: ArbitrationParameters,
        dashboard: GamepadMapping,
        *,
        level: ControlLevel,
        wheelbase_m: float,
    ) -> None:
        self.mux = CommandMux(
            parameters.source_specs(),
            parameters.lock_specs(),
            parameters.mux_parameters(wheelbase_m),
        )
        hard = parameters.mux_parameters(wheelbase_m).safe_stop.emergency()
        kind = str(notice_kinds.EMERGENCY)
        self.hard_stop = Stop(kind, hard.decel_mps2, hard.jerk_mps3, Until.RELEASED)
        self._reader = StateMessageReader()
        self.context: RequestContext | None = None
        self.watches = False
        self.latest: Command | None = None
        self._stack_timeout_s = self.mux.sources[STACK].spec.parameters.timeout_s
        self._has_dashboard = DASHBOARD in parameters.names
        driver = DriverParameters(level=level.value, wheelbase_m=wheelbase_m)
        self._pad = GamepadDriver(
            (dashboard,), GamepadTeleopParameters(source=DASHBOARD, driver=driver)
        )
        self._joy_at: float | None = None
        self._pad_ticked_at = -math.inf

    # ---- input -----------------------------------------------------------------------------------

    def on_motion(self, odometry: Odometry | None, state: StateReport | None, now: float) -> None:
        """Use the vehicle's latest motion and state; None: it does not report."""
        if odometry is not None:
            self.mux.on_odometry(odometry, odometry.stamp_s)
            self._pad.station.on_odometry(odometry, odometry.stamp_s)
        if state is not None:
            self.mux.on_state_report(state)
            self._pad.station.on_state_report(state)

    def on_stack(self, command: Command, now: float) -> IntakeOutput:
        """Receive a command of the stack while `watches`; returns what the pipeline receives.

        One that is not finite passes where the stack drives: the safety side rejects and counts it.
        Elsewhere the arbiter does.
        """
        if not isinstance(command, RawCommand) and not command.is_finite():
            stack = self.mux.sources[STACK]
            if self.mux.in_control is stack or self.mux.rest(STACK):
                return IntakeOutput(command)
        return self._collect(self.mux.on_command(STACK, command, now))

    def on_source(self, name: str, command: Command, now: float) -> IntakeOutput:
        """Receive a command of another source."""
        self._wake(now)
        return self._collect(self.mux.on_command(name, command, now))

    def on_state(self, name: str, message: StateMessage, now: float) -> IntakeOutput:
        """Receive a state command of a source."""
        output = self.mux.on_state_command(name, message, now)
        read = () if output.state_command is None else self.read(output.state_command, now)
        return self._collect(output)._replace(state_commands=read)

    def read(self, message: StateMessage, now: float) -> tuple[StateCommand, ...]:
        """Return what a state message requests, of whichever source it is."""
        if self.context is None:
            return ()
        return (self._reader.read(message, now, self.context),)

    def on_lock(self, name: str, locked: bool, now: float) -> IntakeOutput:
        """Receive a lock: set, released or refreshed."""
        if locked:
            self._wake(now)
        return self._collect(self.mux.on_lock(name, locked, now))

    def emergency_stop(self, who: str, now: float) -> IntakeOutput:
        """Stop hard, and latch it."""
        self._wake(now)
        return self._collect(self.mux.emergency_stop(who, now))

    def give_back(
        self, who: str, now: float, *, level_refusal: str = ""
    ) -> tuple[bool, str, IntakeOutput]:
        """Reset the emergency stop, else let the stack drive again. `level_refusal`: as mux.

        Whoever asked for it, the page's pad lets go: a stop that it goes on commanding is a stream
        without a gap, and its dead-man button would not take over again.
        """
        self._wake(now)
        done, text, output = self.mux.give_back(who, now, level_refusal=level_refusal)
        if done:
            self._pad.let_go()
        return done, text, self._collect(output)

    def on_joy(
        self, axes: tuple[float, ...], buttons: tuple[int, ...], level: ControlLevel, now: float
    ) -> IntakeOutput:
        """Receive the dashboard's Joy, for commands of this level; `tick` returns what results.

        But for an emergency stop, which acts now.
        """
        if not self._has_dashboard:
            return NOTHING
        self._wake(now)
        self._joy_at = now
        station = self._pad.station
        if station.driver.level is not level:
            station.driver.set_level(level, station.motion(now))
        self._pad.on_joy(axes, buttons, now)
        if not station.asks_to_stop:
            return NOTHING
        output = self._collect(self.mux.emergency_stop(DASHBOARD, now))
        station.on_active_locks(self.mux.active_locks(now))
        return output

    def on_mode_answer(self, request: ModeRequest, success: bool, reason: str) -> None:
        """Receive the answer to a request to engage or disengage of the dashboard."""
        self._pad.station.on_mode_answer(request, success, reason)

    def on_give_back_answer(self, success: bool, text: str) -> None:
        """Receive the answer to a request of the dashboard to give back."""
        self._pad.on_give_back_answer(success, text)

    def restore_from(self, previous: Intake) -> None:
        """Continue where the intake before this one ended, in the same process."""
        self._reader = previous._reader
        self.restore(previous.mux.latches)

    def restore(self, latches: Latches) -> None:
        """Set the latches as the intake before this one left them."""
        self.mux.restore(latches)
        self.watches = self.watches or any(self.mux.latches)

    def restart(self) -> None:
        """Time jumped back: discard what was received before; the latches stay."""
        self.latest = self._joy_at = None
        self._pad_ticked_at = -math.inf
        self.mux.restart()

    # ---- time ------------------------------------------------------------------------------------

    def tick(self, now: float) -> IntakeOutput:
        """Advance to `now`; call it in every period while `watches`."""
        from_pad = self._tick_pad(now)
        output = self._collect(self.mux.tick(now))
        if from_pad is not None:
            output = IntakeOutput(
                command=output.command or from_pad.command,
                state_commands=from_pad.state_commands + output.state_commands,
                mode_requests=from_pad.mode_requests,
                notices=from_pad.notices + output.notices,
                gives_back=from_pad.gives_back,
            )
        self.watches = not self._may_rest(now)
        return output

    def status(self, now: float) -> CommandMux:
        """Return the arbiter with what is known now, to be reported."""
        if not self.watches:
            self._resume(now)
        return self.mux

    @property
    def refuses_engage(self) -> str:
        """Why nobody may engage now; empty while the arbiter has nothing against it."""
        mux = self.mux
        if mux.emergency:
            return f"emergency stop by {mux.emergency}: give_back resets it"
        if mux.waits_because and mux.in_control is None:
            return f"{STACK} waits for give_back: {mux.waits_because}"
        return ""

    # ---- helpers ---------------------------------------------------------------------------------

    def _wake(self, now: float) -> None:
        if not self.watches:
            self.watches = True
            self._resume(now)

    def _resume(self, now: float) -> None:
        latest = self.latest
        if latest is not None and now - latest.stamp_s <= self._stack_timeout_s:
            self.mux.resume(STACK, latest)

    def _may_rest(self, now: float) -> bool:
        mux = self.mux
        others = (source for name, source in mux.sources.items() if name != STACK)
        return (
            mux.rest(STACK)
            and self._joy_at is None
            and not mux.active_locks(now)
            and not any(source.alive(now) for source in others)
        )

    def _tick_pad(self, now: float) -> IntakeOutput | None:
        """Let the dashboard's pad drive until it is silent and has stopped the car."""
        if self._joy_at is None or now - self._pad_ticked_at < 0.9 * DASHBOARD_PERIOD_S:
            return None
        self._pad_ticked_at = now
        station = self._pad.station
        station.on_active_locks(self.mux.active_locks(now))
        output = self._pad.tick(now)
        notices = tuple(
            replace(notice, text=f"{DASHBOARD}: {notice.text}") for notice in output.notices
        )
        asked = IntakeOutput(
            mode_requests=output.mode_requests, notices=notices, gives_back=output.give_back
        )
        results = [asked]
        if output.command is not None:
            results.append(self._collect(self.mux.on_command(DASHBOARD, output.command, now)))
        for message in output.state_commands:
            results.append(self.on_state(DASHBOARD, message, now))
        if output.emergency_stop:
            results.append(self._collect(self.mux.emergency_stop(DASHBOARD, now)))
        if output.command is None and now - self._joy_at > self._stack_timeout_s:
            self._joy_at = None
        return _joined(results)

    def _collect(self, output: MuxOutput) -> IntakeOutput:
        return IntakeOutput(command=output.command, notices=output.notices)


def _joined(results: list[IntakeOutput]) -> IntakeOutput:
    """One output of several: the last command counts."""
    commands = [result.command for result in results if result.command is not None]
    return IntakeOutput(
        command=commands[-1] if commands else None,
        state_commands=tuple(m for result in results for m in result.state_commands),
        mode_requests=tuple(r for result in results for r in result.mode_requests),
        notices=tuple(n for result in results for n in result.notices),
        gives_back=any(result.gives_back for result in results),
    )
