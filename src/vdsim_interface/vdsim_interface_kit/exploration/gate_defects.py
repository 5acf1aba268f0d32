"""Seeded defects of the gate: a line of its source each, which the search must find."""

import inspect
import types
from typing import NamedTuple

from vdsim_interface.gate import gate

from vdsim_interface_kit.exploration.gate_scene import Gate


class GateDefect(NamedTuple):
    """What is broken, the property that must not hold then, the grid, and the change."""

    name: str
    breaks: str
    grid: str
    shipped: str
    instead: str

    def seeded(self) -> Gate:
        """Return the gate with the defect."""
        module = inspect.getmodule(gate)
        assert module is not None
        source = inspect.getsource(module)
        assert source.count(self.shipped) == 1, f"{self.name}: not once in the gate's source"
        changed = types.ModuleType(gate.__module__)
        exec(compile(source.replace(self.shipped, self.instead), self.name, "exec"), vars(changed))
        other: Gate = changed.gate
        return other


_D = GateDefect
GATE_DEFECTS = (
    _D("a stop drives", "a: no drive", "stops", "not (stops or needs_later", "not (needs_later"),
    _D("a stale report drives", "a: no drive", "stops", "may_drive = fresh and", "may_drive ="),
    _D(
        "the brake of a slope ramps",
        "a: held",
        "stops",
        "inf if at_once else before",
        "0.0 if at_once else before",
    ),
    _D(
        "a car that nobody sees comes to rest before its brake",
        "a: held",
        "stops",
        "speed < 0.0 or not fresh",
        "speed < 0.0",
    ),
    _D(
        "a demand falls while the car moves",
        "b: no less",
        "stops",
        "if demand < demand_before and not",
        "if False and not",
    ),
    _D(
        "blind braking has no bound",
        "b: blind",
        "stops",
        "brake = max(min(max(brake, demand, facts.hold_mps2), BLIND_SHARE * demand), before)",
        "brake = max(brake, 9.0)",
    ),
    _D(
        "a blind brake falls to the demand",
        "b: no less",
        "stops, blind",
        "brake = max(min(max(brake, demand, facts.hold_mps2), BLIND_SHARE * demand), before)",
        "brake = min(max(brake, demand), max(BLIND_SHARE * demand, before))",
    ),
    _D(
        "a blind stop comes to rest on a slope that its demand does not hold",
        "b: no less",
        "stops, blind",
        "max(brake, demand, facts.hold_mps2), BLIND_SHARE",
        "max(brake, demand), BLIND_SHARE",
    ),
    _D("a stop ends with a jerk", "b: release", "stops", "if releases and", "if False and"),
    _D(
        "a person keeps it for good",
        "c: brakes",
        "emergency",
        "if asked and (is_new or not before)",
        "if asked and not before",
    ),
    _D(
        "an unknown speed releases an emergency stop",
        "c: brakes",
        "emergency",
        "if fresh and abs(facts.speed_mps) <= safety.standstill",
        "if not fresh or abs(facts.speed_mps) <= safety.standstill",
    ),
    _D(
        "a person never has it",
        "c: a person",
        "emergency",
        "now - since_s >= PRESSED_S else since_s",
        "False else since_s",
    ),
    _D("an interlock forgets", "d: later", "engagements", "stop.until is ENGAGED", "False"),
    _D(
        "any other number is a later one",
        "d: later",
        "engagements",
        "needs_later = needs_later and engagement <= latest_n",
        "needs_later = needs_later and engagement == latest_n",
    ),
    _D(
        "a late packet steers further",
        "e: rate",
        "steering",
        "dt_s = limits.period_s if since_s >= limits.period_s else max(since_s, 0.0)",
        "dt_s = 2.0 * limits.period_s",
    ),
    _D(
        "the range is not looked at",
        "e: range",
        "steering",
        "return max(-most, min(angle, most)) if angle == angle else 0.0",
        "return angle",
    ),
    _D(
        "an angle that the vehicle does not know is no angle",
        "e: range",
        "steering",
        "return max(-most, min(angle, most)) if angle == angle else 0.0",
        "return min(max(angle, -most), most)",
    ),
    _D(
        "a refused gear turns a drive round",
        "a: no drive",
        "gears and hand brake",
        "drives = asked * accel > 0.0 or (raw is not None and raw.throttle > 0)",
        "drives = False",
    ),
    _D(
        "what is no number passes in a stop without drive",
        "e: range",
        "pedals, holding",
        "command, wanted = command._replace(no_drive=False), -demand",
        "wanted = -demand",
    ),
    _D(
        "PARK at any speed",
        "e: body",
        "gears and hand brake",
        '"PARK": "standstill_speed_mps"',
        '"PARK": "accel_max_mps2"',
    ),
    _D(
        "an old number stops the car",
        "passes",
        "engagements",
        "waits = state.needs_later and engagement < state.engagement",
        "waits = state.needs_later",
    ),
)
