"""Where requests arrive: the topics and services of ros/intake_port.py and ros/safety_port.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from vdsim_interface.arbitration.give_back import Latches
from vdsim_interface.arbitration.interface_parameters import ArbitrationParameters
from vdsim_interface.pipeline.desk import Desk, DeskSide, Ends
from vdsim_interface.pipeline.intake import Intake
from vdsim_interface.pipeline.output import Motion
from vdsim_interface.teleop.station import ModeRequest
from vdsim_interface.values import CabinState, Command, Notice, VehicleCommand
from vdsim_interface.values.state_message import StateMessage

from vdsim_simulate import record as facts
from vdsim_simulate.wiring.shipped import dashboard_mapping
from vdsim_simulate.wiring.stage import Stage

Answer = Callable[[bool, str], None]


class Requests(DeskSide, Protocol):
    """A safety side, in this process or in the guard."""

    def on_cabin(self, cabin: CabinState, now: float) -> None:
        """Use the state of the cabin."""

    def on_driver_override(self, active: bool, now: float) -> tuple[Notice, ...]:
        """Use the driver's switch."""


class Reception:
    """The shipped desk before a safety side. `motion`, `deliver`, `override`: of the stage."""

    def __init__(
        self,
        stage: Stage,
        side: Requests,
        motion: Callable[[], Motion],
        deliver: Callable[[Command, float], object],
        override: Callable[[VehicleCommand, float], None],
    ) -> None:
        self._stage = stage
        self.side = side
        parameters = stage.parameters
        self.intake = Intake(
            ArbitrationParameters(),
            dashboard_mapping(),
            level=parameters.level,
            wheelbase_m=parameters.vehicle.wheelbase_m,
        )
        self.intake.on_mode_answer = self._on_mode_answer  # type: ignore[method-assign]
        self.intake.on_give_back_answer = self._on_give_back_answer  # type: ignore[method-assign]
        self.on_page_answer: Callable[[str, bool, str], None] = lambda what, done, why: None
        """Hears what the page's pad is answered: to which request, whether it is done, and why."""
        ends = Ends(
            side=lambda: side,
            level=lambda: parameters.level,
            motion=motion,
            deliver=lambda command, now: stage.report(deliver(command, now)),
            override=override,
            follow=lambda command, now: None,  # every sender here uses the stack's level
            fixed=lambda: "",
            report=lambda notices, now: stage.report(notices),
            late_engage=stage.rounds.refuses_engage,
        )
        self.desk = Desk(self.intake, ends)

    # ---- commands --------------------------------------------------------------------------------

    def selected(self, command: Command, now: float) -> Command | None:
        """Return what passes of a command of the stack."""
        return self.desk.on_stack(command, now)

    def tick(self, now: float) -> None:
        """Before a period."""
        if self.intake.watches:
            self.desk.tick(now)

    def source(self, name: str, command: Command) -> None:
        """A command of another source than the stack."""
        stage = self._stage
        now = stage.now()
        self.desk.on_source(name, command._replace(stamp_s=stage.rounds.received_s(now, name)), now)

    def joy(self, axes: tuple[float, ...], buttons: tuple[int, ...]) -> None:
        """The dashboard's Joy."""
        self.desk.on_joy(axes, buttons, self._stage.now())

    def lock(self, name: str, locked: bool) -> None:
        """A lock topic."""
        self.desk.on_lock(name, locked, self._stage.now())

    # ---- what the page's pad is answered ---------------------------------------------------------

    def _on_mode_answer(self, request: ModeRequest, success: bool, reason: str) -> None:
        self.on_page_answer(request.value, success, reason)
        Intake.on_mode_answer(self.intake, request, success, reason)

    def _on_give_back_answer(self, success: bool, text: str) -> None:
        self.on_page_answer(facts.GIVE_BACK, success, text)
        Intake.on_give_back_answer(self.intake, success, text)

    # ---- requests --------------------------------------------------------------------------------

    def change_mode(self, engage: bool, answer: Answer) -> None:
        """The service change_mode."""
        now = self._stage.now()
        refusal = self.desk.refuses_engage(now) if engage else ""
        if refusal:
            answer(False, refusal)
            return
        self.request_mode(engage, now, answer)

    def request_mode(self, engage: bool, now: float, answer: Answer) -> None:
        """Pass a request on to the safety side."""
        result, notices = self.side.on_change_mode(engage, now)
        self._stage.report(notices)
        answer(result.success, result.reason)

    def state_message(self, message: StateMessage) -> None:
        """A VehicleStateCommand of the stack."""
        now = self._stage.now()
        if not (message.autonomous and self.desk.refuses_engage(now)):
            self.desk.on_stack_state(message, now)

    def cabin(self, cabin: CabinState) -> None:
        """The state of doors, belts and load."""
        self.side.on_cabin(cabin, self._stage.now())

    def driver_override(self, active: bool) -> None:
        """The driver's switch."""
        self._stage.report(self.side.on_driver_override(active, self._stage.now()))

    def emergency_stop(self, who: str) -> None:
        """The topic emergency_stop."""
        self.desk.emergency_stop(who, self._stage.now())

    def give_back(self, who: str, answer: Answer) -> None:
        """The service give_back."""
        answer(*self.desk.give_back(who, self._stage.now()))

    def restore(self, latches: Latches) -> None:
        """Set the latches as the process before this one left them."""
        self.desk.restore(latches)
        self.desk.pass_emergency()

    @property
    def latches(self) -> Latches:
        """What the next process must know if this one crashes."""
        return self.intake.mux.latches
