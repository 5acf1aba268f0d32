"""Body functions: requests, the state of the car and the rules -> the body command."""

import math
from dataclasses import replace
from typing import Any

from vdsim_interface.safety.gearbox import wheels_disagree
from vdsim_interface.safety.parameters import SafetyParameters
from vdsim_interface.values import (
    NOT_YET_REPORTED,
    Blinker,
    BodyCommand,
    BodyState,
    Change,
    Gear,
    Headlight,
    Notice,
    StateCommand,
    Wiper,
    notice_kinds,
    wheels_stand,
)

NO_REQUEST = StateCommand()
CLEAN, HAZARD = Wiper.CLEAN, Blinker.HAZARD
CLEAN_IS_WIPING_S = 1.0
"""Wipers that are set to CLEAN for longer than this run: they are no single wash any more."""


def _named(request: StateCommand) -> dict[str, Any]:
    """Return what a request names of lamps, wipers, hand brake and horn."""
    names = ("blinker", "headlight", "wiper", "hand_brake", "horn")
    return {name: value for name in names if (value := getattr(request, name)) is not None}


def held_body(body: BodyState) -> BodyCommand:
    """Return the command that changes nothing."""
    return BodyCommand(
        body.gear, body.blinker, body.headlight, body.wiper, body.hand_brake, body.horn
    )


def hand_brake_refusal(
    speed_mps: float | None, limits: SafetyParameters, wheel_mps: float = math.nan
) -> Notice | None:
    """Return why the hand brake must not be set, None when it may. `speed_mps` None: unknown.

    `wheel_mps`: speed of the fastest wheel, nan where wheels are not reported.
    """
    if not limits.applies(notice_kinds.HAND_BRAKE_MOVING):
        return None
    text = "hand brake refused: the car moves, or its speed is not known"
    if speed_mps is not None and abs(speed_mps) <= limits.gear_change_speed_mps:
        if wheels_stand(wheel_mps, limits.gear_change_speed_mps):
            return None
        text = wheels_disagree("hand brake", wheel_mps, speed_mps)
    return Notice(notice_kinds.HAND_BRAKE_MOVING, text)


def commanded_body(
    requested: StateCommand,
    base: BodyState,
    gear: Gear,
    enabled: bool,
    stopping: bool,
    cleaning: bool = False,
) -> tuple[BodyCommand, tuple[Change, ...]]:
    """Compose the body command. What no request names keeps its state at the start of autonomy
    (`base`).

    `enabled`: the headlights follow the wipers. [VI-3.4]: wiping needs headlights; a CLEAN counts
    once it lasts (`cleaning`), so that a single wash does not flash them. A safe stop flashes the
    hazard lamps, which outrank a turn signal. Each ends with its cause; the request itself is kept.
    """
    body = replace(held_body(base), gear=gear, **_named(requested))
    changes: tuple[Change, ...] = ()
    if stopping and body.blinker is not HAZARD:
        changes += (Change(notice_kinds.HAZARD_PRIORITY, "blinker", body.blinker, HAZARD),)
        body = replace(body, blinker=HAZARD)
    wipes = body.wiper in (Wiper.LOW, Wiper.HIGH) or (cleaning and body.wiper is Wiper.CLEAN)
    if enabled and wipes and body.headlight is Headlight.OFF:
        kind = notice_kinds.WIPER_HEADLIGHT
        changes += (Change(kind, "headlight", Headlight.OFF, Headlight.ON),)
        body = replace(body, headlight=Headlight.ON)
    return body, changes


class BodyRequests:
    """The standing requests for the body, and the command composed from them.

    `requested`: all requests so far, merged. `base`: the car's own state at the start of autonomy,
    without what is ours. `hand_brake_refused`: the last request for the hand brake was refused.
    """

    def __init__(self) -> None:
        self.requested = NO_REQUEST
        self.base = NOT_YET_REPORTED
        self.hand_brake_refused = False
        self._blinker_before_stop: Blinker | None = None
        self._dark_s = math.nan  # a stop sets it before it is read
        self._cleaning_s = 0.0
        self._inputs: tuple[object, ...] = ()
        self._composed: tuple[BodyCommand, tuple[Change, ...]] = (BodyCommand(), ())

    def add(self, request: StateCommand) -> None:
        """Merge a request into the standing ones; beside others, our hazard lamps are a copy."""
        names_more = request.gear is not None or len(_named(request)) > 1
        if names_more and request.blinker is HAZARD and self._blinker_before_stop is not None:
            request = replace(request, blinker=None)
        self.requested = replace(self.requested, **_named(request))

    def discard_hand_brake(self) -> None:
        """Discard the request for the hand brake: neither set nor released by an old request."""
        self.requested = replace(self.requested, hand_brake=None)
        self.hand_brake_refused = False

    def without_refused(
        self, request: StateCommand, refusal: Notice | None
    ) -> tuple[StateCommand, tuple[Notice, ...]]:
        """Remove the hand brake from the request where there is a refusal.

        A sender that repeats its message gets one notice, and the hand brake once it may be set.
        """
        if refusal is None:
            self.hand_brake_refused = self.hand_brake_refused and request.hand_brake is None
            return request, ()
        notices = () if self.hand_brake_refused else (refusal,)
        self.hand_brake_refused = True
        return replace(request, hand_brake=None), notices

    def watch(self, body: BodyState, fresh_s: float, answer_s: float) -> None:
        """Use what is reported. `fresh_s`: the period, 0 where the report is old.

        The hazard lamps of a stop stay ours until reports have shown another state for `answer_s`:
        one may be older than the command.
        """
        if self._blinker_before_stop is None:
            return
        self._dark_s = 0.0 if body.blinker is HAZARD else self._dark_s + fresh_s
        if self._dark_s > answer_s:
            self._blinker_before_stop = None

    def start(self) -> None:
        """Start of autonomy: the hazard lamps that our own stop switched on end here."""
        if self._blinker_before_stop is not None:
            self.base = replace(self.base, blinker=self._blinker_before_stop)

    def compose(
        self,
        gear: Gear,
        commanding: bool,
        enabled: bool,
        stopping: bool,
        period_s: float,
    ) -> tuple[BodyCommand, tuple[Change, ...]]:
        """Return the body command of one period: the same object for as long as nothing changes.

        `commanding`: the stack's requests count; else the body stays as it is.
        """
        requested = self.requested if commanding else NO_REQUEST
        stops = commanding and stopping
        if stops:
            self._blinker_before_stop, self._dark_s = self.base.blinker, 0.0
        base = self.base
        wiper = base.wiper if requested.wiper is None else requested.wiper
        self._cleaning_s = self._cleaning_s + period_s if wiper is CLEAN else 0.0
        cleaning = self._cleaning_s > CLEAN_IS_WIPING_S
        inputs = (requested, base, gear, enabled, stops, cleaning)
        if inputs != self._inputs:
            self._composed = commanded_body(*inputs)
        self._inputs = inputs  # also when it is only equal: the same objects compare faster
        return self._composed
