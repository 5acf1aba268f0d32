"""What the last gate judged for one packet: read, in words, computed again. Pure.

The gate is a function: of its state before, what was wanted, what was known and the parameters in
force it gives the same packet each time, bit by bit.
"""

import json
import types
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from math import isfinite
from typing import Any, Union, get_args, get_origin, get_type_hints

from vdsim_interface.gate import GateState, brakes_for_emergency, gate
from vdsim_interface.pipeline.output import GateRecord
from vdsim_interface.values import Authority, PlatformCommand, Until


def recomputed(record: GateRecord) -> tuple[PlatformCommand, GateState]:
    """Compute the packet again; return it, and the gate's next state."""
    sent, state, _ = gate(record.state, record.wanted, record.facts, record.limits)
    return sent, state


# ---- in words --------------------------------------------------------------------------------


def gate_words(record: GateRecord) -> tuple[str, ...]:
    """Say why this packet was sent: what permits no drive, and what a stop demands."""
    again, after = recomputed(record)
    lines = [f"gate: {'; '.join(_reasons(record, after)) or 'nothing stands against the command'}"]
    if record.wanted.command.authority is not Authority.SILENT and after.settled_mps2 > 0.0:
        lines.append(f"gate: at least {after.demand_mps2:.3g} m/s2 of deceleration are demanded")
    if again != record.sent:
        lines.append("gate: the packet is another one than these values give")
    return tuple(lines)


def _reasons(record: GateRecord, after: GateState) -> list[str]:
    """Name every cause of the packet, in the order of the gate's promises."""
    state, wanted, facts, _, limits = record
    command, now, safety = wanted.command, facts.now, limits.safety
    reasons = []
    if command.authority is Authority.IDLE:
        reasons.append("nobody commands, the interface holds the car")
    elif command.authority is Authority.SILENT:
        reasons.append("a person drives: nothing is sent")
    age_s = now - facts.command_s
    if command.authority is Authority.COMMAND and abs(age_s) > limits.command_timeout_s:
        reasons.append(f"the command is {age_s:.2f} s old, at most {limits.command_timeout_s:g}")
    age_s = now - facts.report_s
    if abs(age_s) > safety.report_timeout_s:
        old = f"{age_s:.2f} s old" if isfinite(age_s) else "missing"
        reasons.append(f"the vehicle's report is {old}, at most {safety.report_timeout_s:g} s")
    reasons += [
        f"stop {s.source}, {s.decel_mps2:g} m/s2, until {_UNTIL[s.until]}" for s in wanted.stops
    ]
    if after.emergency_mps2:
        whose = "" if brakes_for_emergency(after) else ", which a person has taken over"
        reasons.append(f"an emergency stop is latched{whose}")
    if state.needs_later and wanted.engagement <= state.engagement:
        reasons.append("an interlock held the car: no drive before the next engagement")
    if after.settled_mps2 >= 0.0 and not reasons:
        reasons.append("a stop has just ended, and the brake is released by the jerk")
    return reasons


_UNTIL = {
    Until.CLEARED: "its cause has gone",
    Until.ENGAGED: "its cause has gone and somebody engages",
    Until.RELEASED: "give_back",
}

# ---- from text -------------------------------------------------------------------------------


def from_text(text: str) -> GateRecord:
    """Read a record; raises ValueError or TypeError for what `to_text` did not write."""
    values = json.loads(text)
    kinds = get_type_hints(GateRecord).values()
    return GateRecord(*(_value(kind, part) for kind, part in zip(kinds, values, strict=True)))


def _value(kind: Any, plain: Any) -> Any:
    """Return the value of a type that `_plain` wrote."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        [kind] = [one for one in get_args(kind) if one is not type(None)]
        return None if plain is None else _value(kind, plain)
    if origin is tuple:
        return tuple(_value(get_args(kind)[0], part) for part in plain)
    if issubclass(kind, Enum):
        return kind[plain]
    if kind is float:
        return float(plain)
    hints = _hints(kind)
    if not hints:
        return kind(plain)
    return kind(**{name: _value(hints[name], part) for name, part in plain.items()})


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Return the types of the fields that a record is made of, {} for a plain value."""
    names = (
        {field.name for field in fields(kind)}
        if is_dataclass(kind)
        else getattr(kind, "_fields", ())
    )
    hints = get_type_hints(kind) if names else {}
    return {name: hints[name] for name in names}
