"""Seeded defects of the shipped code: each breaks the mechanism of a property.

A search that finds no violation must find these. They change tables and functions of the code in
place, and undo it.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

from vdsim_interface.pipeline.safety_side import SafetySide
from vdsim_interface.safety import authority, engagement, gearbox, modes, rules
from vdsim_interface.safety.authority import AUTHORITY_TABLE, Entry, Off, Rig
from vdsim_interface.safety.composer import Composer
from vdsim_interface.safety.inputs import RequiredInput
from vdsim_interface.safety.modes import MODE_TABLE, ModeEvent
from vdsim_interface.safety.stops import stopped
from vdsim_interface.values import CabinState, Holder, Mode, RawCommand, Standing

Patches = list[Any]


class Defect(NamedTuple):
    """What is broken, the property that must not hold then, and the view that shows it.

    `without`: inputs of the view that do not help to find it, and only make the search longer.
    """

    name: str
    breaks: str
    view: str
    patches: Callable[[], Patches]
    without: tuple[str, ...] = ()

    @contextmanager
    def seeded(self) -> Iterator[None]:
        """Run with the defect."""
        rules.rules_for.cache_clear()
        try:
            with ExitStack() as stack:
                for item in self.patches():
                    stack.enter_context(item)
                yield
        finally:
            rules.rules_for.cache_clear()


def _mode(before: Mode, event: ModeEvent, after: Mode) -> Patches:
    assert MODE_TABLE[before, event] is not after
    return [patch.dict(MODE_TABLE, {(before, event): after})]


def _without_rules(*names: str) -> Patches:
    kept = tuple(rule for rule in rules.RULES if str(rule.kind) not in names)
    assert len(kept) < len(rules.RULES)
    return [patch.object(rules, "RULES", kept)]


def _stopped_by(stop: rules.RuleFunction, *without: str) -> Patches:
    stopping = (
        rule._replace(apply=stop) if rule.apply is stopped else rule
        for rule in rules.RULES
        if str(rule.kind) not in without
    )
    return [patch.object(rules, "RULES", tuple(stopping))]


def _by_itself(entry: Entry) -> Patches:
    assert entry.engage_on
    return [patch.object(entry, "engage_on", ())]


def _steering_by_command() -> Patches:
    def stop(motion: Any, context: Any, limits: Any) -> Any:
        return rules.MotionCommand(-limits.stop_decel_mps2, 0.0, 0.0)

    return _stopped_by(stop)


def _coasting_stop() -> Patches:
    def stop(motion: Any, context: Any, limits: Any) -> Any:
        return rules.MotionCommand(0.0, *context.previous[1:])

    return _stopped_by(stop, "standstill_hold")


def _raw_anyway() -> Patches:
    shipped = SafetySide.step

    def step(self: Any, command: Any, now: float, *more: Any) -> Any:
        safe, notices = shipped(self, command, now, *more)
        if isinstance(command, RawCommand):
            safe = safe._replace(command=safe.command._replace(raw=command))
        return safe, notices

    return [patch.object(SafetySide, "step", step)]


def _parks_in_autonomy(shipped: Callable[..., Standing]) -> Callable[..., Standing]:
    def standing(self: Any, *more: Any, **named: Any) -> Standing:
        held = shipped(self, *more, **named)
        return held._replace(holder=Holder.NOBODY) if held.holder is Holder.OURS else held

    return standing


_A, _D, _N = Mode.AUTONOMOUS, Mode.DISENGAGED, Mode.NOT_READY
_E = ModeEvent
_AUTHORITY, _LEAVING, _CABIN = "authority, driver", "leaving, driver", "cabin and required inputs"

DEFECTS = (
    Defect(
        "a lost link changes nothing", "link lost", _LEAVING, lambda: _mode(_A, _E.LINK_LOST, _A)
    ),
    Defect(
        "an override changes nothing",
        "a person at once",
        _AUTHORITY,
        lambda: _mode(_A, _E.OVERRIDE, _A),
        without=(
            *("rolls in D", "vehicle not ready", "refused commands", "disengage"),
            *("switch on", "switch off", "source of commands ends"),
        ),
    ),
    Defect(
        "autonomy returns by itself after a person",
        "a person keeps the car",
        "a person, auto_engage",
        lambda: _by_itself(Entry.OVERRIDE),
    ),
    Defect(
        "autonomy returns by itself after a disengage",
        "a person keeps the car",
        "a person, auto_engage",
        lambda: _by_itself(Entry.DISENGAGE),
    ),
    Defect(
        "commands engage without a request",
        "only when asked",
        _AUTHORITY,
        lambda: [
            patch.object(
                engagement.Engagement,
                "update",
                lambda self, now, *, asks_to_drive: self.handle(_E.ENGAGE) or self.handle(_E.READY),
            )
        ],
    ),
    Defect(
        "silence at rest changes nothing",
        "silence at rest",
        _LEAVING,
        lambda: _mode(_A, _E.COMMAND_LOST, _A),
        without=(
            *("early tick", "rolls in D", "vehicle does not follow", "report is not a number"),
            *("clock jumps back", "deactivate"),
        ),
    ),
    Defect(
        "stale commands and reports drive",
        "no throttle in a stop",
        _LEAVING,
        lambda: _without_rules("command_timeout", "link_timeout"),
    ),
    Defect(
        "nothing is blocked without autonomy",
        "no throttle unasked",
        "authority, driverless",
        lambda: _without_rules("manual_block"),
    ),
    Defect("a stop coasts", "a stop brakes", _LEAVING, _coasting_stop),
    Defect("a stop steers straight", "a stop holds the steering", _LEAVING, _steering_by_command),
    Defect(
        "the car is held against a person",
        "silent rows",
        _AUTHORITY,
        lambda: [patch.dict(AUTHORITY_TABLE, {(Entry.OVERRIDE, Rig.DRIVER): Off.HOLD})],
    ),
    Defect(
        "a car without a driver is left alone",
        "silent rows",
        "authority, driverless",
        lambda: [patch.dict(AUTHORITY_TABLE, {(Entry.OVERRIDE, Rig.DRIVERLESS): Off.SILENT})],
    ),
    Defect(
        "the handshake opens the way at once",
        "commands pass in autonomy only",
        _AUTHORITY,
        lambda: [
            patch.object(
                engagement,
                "authority_without_autonomy",
                lambda entry, rig: rules_authority(entry, rig),
            )
        ],
    ),
    Defect(
        "no precondition counts",
        "preconditions",
        _CABIN,
        lambda: [
            patch.object(engagement, "unmet_preconditions", lambda *_: ""),
            patch.object(engagement, "handshake_missing", lambda *_: ""),
        ],
    ),
    Defect(
        "only a stop of autonomy parks",
        "a hold parks",
        "at rest, driver",
        lambda: [patch.object(Composer, "_standing", _parks_in_autonomy(Composer._standing))],
        without=("pedal at rest", "stands, hand brake", "rolls in D"),
    ),
    Defect(
        "raw commands pass whatever holds", "raw is blocked as a whole", "cabin, raw", _raw_anyway
    ),
    Defect(
        "every shift is allowed",
        "gear interlocks",
        "gears by request",
        lambda: [patch.object(gearbox, "refusal", lambda *_: None)],
        without=("stands in P", "rolls in D", "request R", "request D"),
    ),
    Defect(
        "throttle during a shift",
        "no throttle without drive",
        "gears by sign",
        lambda: _without_rules("shift_hold", "gear_no_drive"),
    ),
    Defect(
        "throttle against the hand brake",
        "no throttle without drive",
        "hand brake",
        lambda: _without_rules("hand_brake_set"),
    ),
    Defect(
        "an open door changes nothing",
        "no throttle unsecured",
        _CABIN,
        lambda: [patch.object(CabinState, "unsecured", lambda self: ())],
    ),
    Defect(
        "a dead source counts as alive",
        "no throttle unsecured",
        _CABIN,
        lambda: [patch.object(RequiredInput, "fault", lambda self, now: "")],
    ),
    Defect(
        "no way back after a lost link",
        "no dead end",
        _LEAVING,
        lambda: _mode(_D, _E.ENGAGE, _D),
        without=(
            *("early tick", "vehicle does not follow", "report is not a number"),
            *("clock jumps back", "deactivate"),
        ),
    ),
)
assert modes.MODE_TABLE is MODE_TABLE


def rules_authority(entry: Entry, rig: Rig) -> Any:
    """Commands may pass without autonomy, except after a person."""
    shipped = authority.authority_without_autonomy(entry, rig)
    return shipped if entry in (Entry.OVERRIDE, Entry.DISENGAGE) else authority.Authority.COMMAND
