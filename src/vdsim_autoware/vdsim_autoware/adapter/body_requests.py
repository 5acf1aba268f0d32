"""Gear, turn indicators and hazard lights of Autoware -> VehicleStateCommand.

That message has every field and no "unset". So the fields that Autoware does not have keep what the
vehicle reported at first; a later message differs in what Autoware changed, and in nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple, TypeVar

from vdsim_interface.safety.gearbox import refusal
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import Blinker, Gear, Notice, Severity, StateReport, drive_direction
from vdsim_interface.values.state_message import StateMessage

from vdsim_autoware.adapter.autoware_notices import GEAR_IGNORED, GEAR_WAITS, UNUSABLE_NUMBER
from vdsim_autoware.adapter.enums import GEARS_IN, HAZARDS_IN, TURNS_IN, Unusable
from vdsim_autoware.adapter.watches import Line

V = TypeVar("V")
Notices = tuple[Notice, ...]
Messages = tuple[StateMessage, ...]
RETRY_S = 1.0
"""A gear that the vehicle does not report after this time is requested again."""
GEAR, MANUAL_GEAR = "gear_cmd", "manual_gear_command"
TURN, HAZARD = "turn_indicators_cmd", "hazard_lights_cmd"


class Accepts(NamedTuple):
    """What may change now: the gear by one topic (empty: by none), the lamps."""

    gear_topic: str
    turn: bool
    hazard: bool
    speed_mps: float | None = None
    """None: not known."""


NOTHING = Accepts("", turn=False, hazard=False)


class BodyRequests:
    """The latest commands, and the message that they make; None before the first report."""

    def __init__(
        self, lines: Mapping[str, Line], gear_limits: SafetyParameters, gear_pause_s: float
    ) -> None:
        self._lines = lines
        self._gear_limits = gear_limits
        self._gear_pause_s = gear_pause_s
        self._reported = Gear.PARK
        self._gears: dict[str, Gear] = {}
        self._turn: Blinker | None = None
        self._hazard: bool | None = None
        self._message: StateMessage | None = None
        self._requested_s = -math.inf
        self._applied_topic = ""
        self._changed_s = -math.inf
        """When a gear of gear_cmd was engaged last."""
        self.waiting: Gear | None = None
        """A gear of gear_cmd that comes too soon after the last change."""

    def on_report(self, report: StateReport, now: float) -> None:
        """Start from what the vehicle reports first, and note when a commanded gear is engaged."""
        before, self._reported = self._reported, report.gear
        was_asked = self._message is not None and self._message.gear == report.gear
        if was_asked and report.gear is not before and self._applied_topic == GEAR:
            self._changed_s = now
        if self._message is None:
            self._message = StateMessage(
                blinker=int(report.blinker),
                headlight=int(report.headlight),
                wiper=int(report.wiper),
                gear=int(report.gear),
                hand_brake=report.hand_brake,
                horn=report.horn,
            )

    def on_gear(
        self, topic: str, number: int, accepts: Accepts, now: float
    ) -> tuple[Messages, Notices]:
        """Process a gear command; one that is not safe now is ignored."""
        gear, notices = self._usable(topic, number, GEARS_IN, now)
        if gear is None:
            return (), notices
        self._gears[topic] = gear
        return self._apply_gear(topic, accepts, now)

    def on_turn(self, number: int, accepts: Accepts, now: float) -> tuple[Messages, Notices]:
        """Process turn_indicators_cmd."""
        turn, notices = self._usable(TURN, number, TURNS_IN, now)
        if turn is None:
            return (), notices
        self._turn = turn
        return self._apply_lamps(accepts), ()

    def on_hazard(self, number: int, accepts: Accepts, now: float) -> tuple[Messages, Notices]:
        """Process hazard_lights_cmd."""
        hazard, notices = self._usable(HAZARD, number, HAZARDS_IN, now)
        if hazard is None:
            return (), notices
        self._hazard = hazard
        return self._apply_lamps(accepts), ()

    def on_accepted(self, accepts: Accepts, now: float) -> tuple[Messages, Notices]:
        """The latest commands count from the moment that they are accepted."""
        messages: Messages = ()
        notices: Notices = ()
        if accepts.gear_topic in self._gears:
            messages, notices = self._apply_gear(accepts.gear_topic, accepts, now)
        return messages + self._apply_lamps(accepts), notices

    def _apply_gear(self, topic: str, accepts: Accepts, now: float) -> tuple[Messages, Notices]:
        if topic != accepts.gear_topic or self._message is None:
            return (), ()
        gear = self._gears[topic]
        if self._is_too_soon(topic, gear, now):
            return (), self._wait(gear)
        self.waiting = None
        refused = refusal(self._reported, gear, accepts.speed_mps, self._gear_limits)
        if refused is not None:
            text = f"{topic} ignored: {refused.text}"
            self._lines[topic].problem(text, Severity.WARN, now)
            return (), (Notice(GEAR_IGNORED, text),)
        before, self._applied_topic = self._message, topic
        # Autoware has no hand brake of its own: a gear that drives releases it.
        hand_brake = before.hand_brake and drive_direction(gear) == 0
        self._message = replace(before, gear=int(gear), hand_brake=hand_brake)
        if self._message != before:
            self._requested_s = now
        elif gear is not self._reported and now - self._requested_s >= RETRY_S:
            # The interface has parked a car that it stopped. It acts on a change of the message.
            self._requested_s = now
            return (replace(before, gear=int(self._reported)), self._message), ()
        return (self._message,), ()

    def on_time(self, accepts: Accepts, now: float) -> tuple[Messages, Notices]:
        """The gear that waits is engaged when its time has come, unless its group has no say."""
        if self.waiting is None:
            return (), ()
        if accepts.gear_topic != GEAR:
            self.waiting = None
            return (), ()
        return self._apply_gear(GEAR, accepts, now)

    def _is_too_soon(self, topic: str, gear: Gear, now: float) -> bool:
        """Against chatter: another gear within the pause after the last change."""
        is_change = topic == GEAR and gear is not self._reported
        return is_change and now - self._changed_s < self._gear_pause_s

    def _wait(self, gear: Gear) -> Notices:
        if gear is self.waiting:
            return ()
        self.waiting = gear
        text = (
            f"{gear.name} waits: {self._reported.name} was engaged less than "
            f"{self._gear_pause_s:g} s ago (gear_pause_s)"
        )
        return (Notice(GEAR_WAITS, text),)

    def _apply_lamps(self, accepts: Accepts) -> Messages:
        """Hazard lights outrank the turn indicators."""
        turn = self._turn if accepts.turn else None
        hazard = self._hazard if accepts.hazard else None
        if self._message is None or (turn is None and hazard is None):
            return ()
        was_hazard = self._message.blinker == Blinker.HAZARD
        if hazard or (hazard is None and was_hazard):
            wanted = Blinker.HAZARD
        elif turn is not None:
            wanted = turn
        else:
            wanted = Blinker.OFF if was_hazard else Blinker(self._message.blinker)
        self._message = replace(self._message, blinker=int(wanted))
        return (self._message,)

    def _usable(
        self, topic: str, number: int, table: Mapping[int, V | Unusable], now: float
    ) -> tuple[V | None, Notices]:
        """Look a number up; None for one that requests nothing, which is reported."""
        value = table.get(number, Unusable.UNDEFINED)
        if not isinstance(value, Unusable):
            return value, ()
        if value is Unusable.NO_REQUEST:
            return None, ()
        text = f"{topic} {number} ignored: {value.value}"
        self._lines[topic].problem(text, Severity.ERROR, now)
        return None, (Notice(UNUSABLE_NUMBER, text),)
