"""What people do, and when it reaches the interface."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from vdsim_interface.arbitration.interface_parameters import DASHBOARD
from vdsim_interface.teleop.mapping import Action
from vdsim_interface.values import Blinker, CabinState, Gear, StateReport, drive_direction
from vdsim_interface.values.state_message import StateMessage

from vdsim_simulate import record as facts
from vdsim_simulate.agenda import Agenda, Inbox
from vdsim_simulate.network import HOP_S
from vdsim_simulate.wiring.composition import Composition

Note = Callable[[str, str, str], None]
CABIN_PERIOD_S = 0.1
GEARS = {
    Action.GEAR_PARK: Gear.PARK,
    Action.GEAR_REVERSE: Gear.REVERSE,
    Action.GEAR_NEUTRAL: Gear.NEUTRAL,
    Action.GEAR_DRIVE: Gear.DRIVE,
    Action.GEAR_LOW: Gear.LOW,
}
LAMPS = {Action.BLINKER_LEFT: Blinker.LEFT, Action.BLINKER_RIGHT: Blinker.RIGHT}
"""What the buttons of the page ask for."""
MODES = (Action.ENGAGE, Action.DISENGAGE, Action.GIVE_BACK)
"""The buttons of the page that ask for nothing of the body."""


class People:
    """A passenger, a driver and an operator. Each act is a message with a way of its own."""

    def __init__(
        self,
        agenda: Agenda,
        interface: Callable[[], Composition],
        note: Note,
    ) -> None:
        self._agenda = agenda
        self._interface = interface
        self._note = note
        self._doors_open_n: int | None = None
        self._switches_on_n: int | None = None
        self._message = StateMessage()
        self._has_asked = self._page_asked = False
        self._shown: StateReport | None = None

    def door(self, *, is_open: bool) -> None:
        """A door opens or closes; it is shut when the last one is."""
        self._doors_open_n = (self._doors_open_n or 0) + (1 if is_open else -1)
        self._say_doors()

    def _say_doors(self) -> None:
        shut = (self._doors_open_n or 0) <= 0
        what = facts.DOOR_SHUT if shut else facts.DOOR_OPEN
        self._ask(what, "", lambda: self._interface().desk.cabin(CabinState(shut, True, True)))

    def switch(self, *, is_on: bool) -> None:
        """The driver's switch."""
        self._switches_on_n = (self._switches_on_n or 0) + (1 if is_on else -1)
        self._say_switch()

    def repeat_inputs(self) -> None:
        """Doors and switch say again how they are: to a process that has just started."""
        if self._doors_open_n is not None:
            self._say_doors()
        if self._switches_on_n is not None:
            self._say_switch()

    def _say_switch(self) -> None:
        active = (self._switches_on_n or 0) > 0
        what = facts.SWITCH_ON if active else facts.SWITCH_OFF
        self._ask(what, "", lambda: self._interface().desk.driver_override(active))

    def emergency_stop(self) -> None:
        """The topic emergency_stop."""
        self._ask(facts.EMERGENCY, "", lambda: self._interface().desk.emergency_stop("a person"))

    def change_mode(self, *, engage: bool) -> None:
        """The service change_mode."""
        what = facts.ENGAGE if engage else facts.DISENGAGE
        if engage:
            self._note(facts.ASKS_TO_ENGAGE, "", "")
        self._ask(what, "", lambda: self._interface().desk.change_mode(engage, self._answer(what)))

    def act(self, what: str, do: Callable[[], None], who: str = "") -> None:
        """Any other message of a person or of a sender beside the stack."""
        self._ask(what, who, do)

    def joy(self, what: str, do: Callable[[], None], who: str = DASHBOARD) -> None:
        """A Joy of the page's pad."""
        self._ask(what, who, do, lambda: self._interface().joys)

    def repeat_state(self) -> None:
        """Send the last state message once more; with an old gear, too."""
        self._say_state(self._message)

    def _say_state(self, message: StateMessage, *, copies: bool = False) -> None:
        """`copies`: gear and hand brake are those that are reported, and ask for nothing."""
        self._has_asked = True

        def say() -> None:
            if not copies:
                self._note(facts.GEAR_SAID, "", Gear(message.gear).name)
                self._note(facts.HAND_BRAKE_SAID, "", "on" if message.hand_brake else "off")
            self._note(facts.LAMPS_SAID, "", Blinker(message.blinker).name)
            self._interface().desk.state_message(message)

        self._ask("state command", "", say)

    def give_back(self) -> None:
        """The service give_back."""
        answer = self._answer(facts.GIVE_BACK)
        self._ask(facts.GIVE_BACK, "", lambda: self._interface().desk.give_back("a person", answer))

    def body(self, *, gear: Gear | None = None, hand_brake: bool | None = None) -> None:
        """A VehicleStateCommand that changes gear or hand brake; all else as before."""
        message = self._message
        if gear is not None:
            message = replace(message, gear=int(gear))
        if hand_brake is not None:
            message = replace(message, hand_brake=hand_brake)
        self._message = message
        self._say_state(message)

    def lamps(self, blinker: Blinker) -> None:
        """A VehicleStateCommand that changes the turn signal, and copies what is reported."""
        report, message = self._interface().state_report(), self._message
        if report is not None:
            message = replace(message, gear=int(report.gear), hand_brake=report.hand_brake)
        self._message = replace(message, blinker=int(blinker))
        self._say_state(self._message, copies=report is not None)

    def see(self, report: StateReport) -> None:
        """What the page shows, and copies into each request."""
        self._shown = report

    def press(self, button: Action, press: Callable[[], None]) -> None:
        """A button of the page, whose requests of the body change one field of what it shows.

        What it asks of the mode is passed on in the next period, and counts from its answer on.
        """

        def say() -> None:
            for what, who in self._requests_of(button):
                self._note(what, "", who)
            self._interface().desk.on_page_answer = self._on_page_answer
            press()

        self._page_asked = self._page_asked or button not in MODES
        if button is Action.ENGAGE:
            self._note(facts.ASKS_TO_ENGAGE, "", "")
        self.joy(facts.JOY, say)

    def _on_page_answer(self, what: str, done: bool, why: str) -> None:
        self._note(what, "", "")
        self._answer(what)(done, why)

    def _requests_of(self, button: Action) -> Iterator[tuple[str, str]]:
        shown = self._shown
        if shown is None:
            return  # nothing is sent
        if button in GEARS:
            yield facts.GEAR_SAID, GEARS[button].name
            if drive_direction(GEARS[button]):
                yield facts.HAND_BRAKE_SAID, "off"
        elif button is Action.HAND_BRAKE:
            yield facts.HAND_BRAKE_SAID, "off" if shown.hand_brake else "on"
        elif button in LAMPS:
            yield (
                facts.LAMPS_SAID,
                ("OFF" if shown.blinker is LAMPS[button] else LAMPS[button].name),
            )

    def restore_body(self) -> None:
        """Ask for what is needed to drive, if anything was asked for, obeyed or not."""
        if self._page_asked:
            # A message asks for what differs from the sender's last one, and that was another.
            self.body(gear=Gear.NEUTRAL, hand_brake=True)
        if self._has_asked:
            self.body(gear=Gear.DRIVE, hand_brake=False)

    def _answer(self, what: str) -> Callable[[bool, str], None]:
        def answer(done: bool, why: str) -> None:
            if done and what == facts.ENGAGE:
                self._note(facts.ENGAGED, "", "")
            if done and what == facts.GIVE_BACK:
                self._note(facts.GIVEN_BACK, "", "")
            text = f"{what}: {'accepted' if done else 'refused'}{f', {why}' if why else ''}"
            self._note(facts.ANSWER, text, "")

        return answer

    def _ask(
        self,
        what: str,
        who: str,
        act: Callable[[], None],
        to: Callable[[], Inbox[Callable[[], None]]] | None = None,
    ) -> None:
        """Send a request; the fact counts from when it is handled. `to`: another queue."""

        def handle() -> None:
            self._note(what, "", who)
            act()

        queue = to or (lambda: self._interface().requests)
        self._agenda.after(HOP_S, lambda: queue().put(handle))
