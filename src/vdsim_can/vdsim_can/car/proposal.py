"""A first car file of a network: its messages, and proposals by the names of signals.

A name proves nothing, so everything that is only guessed from one says so in a remark; what cannot
be guessed stands there as a remark to be completed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from vdsim_can.car.fields import GEARS
from vdsim_can.car.units import UNITS
from vdsim_can.dbc.network import Message, Network, Signal

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*$")
_COUNTER = re.compile(r"counter|rolling|alive|(^|_)(ctr|cnt)($|_|[0-9])", re.IGNORECASE)
_CHECKSUM = re.compile(r"checksum|(^|_)(crc|chk|cs)($|_|[0-9])", re.IGNORECASE)
_CYCLE_MS = 20
_WHEELS_MOST_RAD = 1.2  # no front wheel turns further
_NOT_TEXT = {"yes", "no", "on", "off", "true", "false", "null", "y", "n"}
"""Words that YAML reads as something else."""


class _Guess(NamedTuple):
    """Words of a signal's name that hint at a field, and words that exclude it."""

    field: str
    words: str
    without: str = "$^"


_COMMANDS = (
    _Guess("front_wheel_angle_rad", "steer.*angle|angle.*steer|wheel_angle", "rate|speed|driver"),
    _Guess("long_accel_mps2", "accel", "pedal|driver|min|max"),
    _Guess("throttle", "throttle|accel.*pedal", "driver|enable"),
    _Guess("brake", "brake", "hand|park|enable|driver|light"),
    _Guess("gear", "gear|shift|prndl"),
    _Guess("hand_brake", "hand_?brake|park(ing)?_?brake|epb"),
    _Guess("blinker", "turn|blink|indicator"),
    _Guess("headlight", "head_?l(ight|amp)"),
    _Guess("wiper", "wiper"),
    _Guess("horn", "horn"),
)
_REPORTS = (
    _Guess("velocity_mps", "speed|velocity", "wheel|engine|fan|rpm|rate|limit"),
    _Guess("yaw_rate_radps", "yaw"),
    _Guess("accel_x_mps2", "accel.*(x|lon)|lon.*accel"),
    _Guess("accel_y_mps2", "accel.*(y|lat)|lat.*accel"),
    _Guess("wheel_fl_radps", "(^|_)(front_left|fl)($|_)"),
    _Guess("wheel_fr_radps", "(^|_)(front_right|fr)($|_)"),
    _Guess("wheel_rl_radps", "(^|_)(rear_left|rl)($|_)"),
    _Guess("wheel_rr_radps", "(^|_)(rear_right|rr)($|_)"),
    _Guess("fuel_percent", "fuel|soc|charge"),
    _Guess("doors_closed", "doors?.*closed"),
    _Guess("belts_fastened", "belts?.*fastened"),
    *(guess for guess in _COMMANDS if guess.field != "long_accel_mps2"),
)
_UNITS: Mapping[str, str] = {
    **{name: name for name in UNITS},
    **{"kph": "km/h", "kmh": "km/h", "degree": "deg", "°": "deg", "m/s^2": "m/s2", "m/s²": "m/s2"},
}


def propose_car(network: Network, node: str, *, name: str, dbc: str) -> str:
    """Return the text of a car file whose sender `node` we are."""
    ours = [m for m in network.messages.values() if m.sender == node]
    theirs = [m for m in network.messages.values() if m.sender and m.sender != node]
    lines = [
        "# A first car file, guessed from names: check every row against the car.",
        f"car: {_word(name)}",
        "buses:",
        f"  main: {{dbc: {_word(dbc)}}}",
        "",
        *_section("send", [_message(message) for message in ours]),
        *_section("receive", [_message(message) for message in theirs]),
        *_section("commands", list(_fields(ours, _COMMANDS))),
        *_section("reports", list(_fields(theirs, _REPORTS))),
        "# handshake:   # docs/can-reference.md: how the car lets itself be enabled. A pattern:",
        "#   - {state: off, send: {M.ENABLE: 0}}",
        "#   - {state: enable, send: {M.ENABLE: 1}, wait_for: {N.ACTIVE: 1}, within_ms: 500,"
        " else: the car did not enable}",
        "#   - {state: drive, drives: true, send: {M.ENABLE: 1}, wait_for: {N.ACTIVE: 1},"
        " else: the car left}",
        "# overrides:   # how it says that the driver takes over",
        "# faults:      # when it cannot be driven",
        "# limits:      # what the encoder may send",
    ]
    return "\n".join([*lines, ""])


def _section(title: str, rows: list[str]) -> Iterator[str]:
    yield f"{title}:" if rows else f"# {title}: nothing was found"
    yield from rows
    yield ""


def _message(message: Message) -> str:
    keys, remarks = [], []
    if message.cycle_ms is None:
        keys.append(f"cycle_ms: {_CYCLE_MS}")
        remarks.append("the DBC names no cycle")
    counter = next((s for s in message.signals if _COUNTER.search(s.name)), None)
    if counter is not None:
        keys.append(f"counter: {{signal: {_word(counter.name)}}}")
    checksum = next((s for s in message.signals if _CHECKSUM.search(s.name)), None)
    if checksum is not None:
        remarks.append(f"checksum {checksum.name}: by which rule?")
    remark = f"  # {'; '.join(remarks)}" if remarks else ""
    return f"  {_word(message.name)}: {{{', '.join(keys)}}}{remark}"


def _fields(messages: list[Message], guesses: tuple[_Guess, ...]) -> Iterator[str]:
    taken: set[tuple[str, str]] = set()
    for guess in guesses:
        found = next(
            (
                (message, signal)
                for message in messages
                for signal in message.signals
                if (message.name, signal.name) not in taken and _fits(guess, signal)
            ),
            None,
        )
        if found is not None:
            message, signal = found
            taken.add((message.name, signal.name))
            yield _field(guess.field, message, signal, is_sent=guesses is _COMMANDS)


def _fits(guess: _Guess, signal: Signal) -> bool:
    name = signal.name
    if _COUNTER.search(name) or _CHECKSUM.search(name):
        return False
    return bool(re.search(guess.words, name, re.IGNORECASE)) and not re.search(
        guess.without, name, re.IGNORECASE
    )


def _field(field: str, message: Message, signal: Signal, *, is_sent: bool) -> str:
    keys = [f"signal: {_word(f'{message.name}.{signal.name}')}"]
    unit = _UNITS.get(signal.unit, "")
    if unit and UNITS[unit] != 1.0:
        keys.append(f"unit: {_word(unit)}")
    remarks = []
    if field == "gear" and (gears := _gears(signal)):
        if is_sent and "LOW" not in gears:
            gears["LOW"] = gears["DRIVE"]
            remarks.append("the car has no LOW: DRIVE is sent for it")
        keys.append(f"enum: {{{', '.join(f'{gear}: {raw}' for gear, raw in gears.items())}}}")
    elif signal.values:
        meanings = ", ".join(f"{raw} {text}" for raw, text in sorted(signal.values.items()))
        remarks.append(f"enum: {meanings}")
    most = signal.maximum or 0.0
    if field == "front_wheel_angle_rad" and most * UNITS.get(unit, 1.0) > _WHEELS_MOST_RAD:
        remarks.append("of the steering wheel? then add its ratio, scale: 0.0625 is 16")
    remark = f"  # {'; '.join(remarks)}" if remarks else ""
    return f"  {field}: {{{', '.join(keys)}}}{remark}"


def _gears(signal: Signal) -> dict[str, int]:
    """The raw value of each gear by the DBC's texts; none where a text is not known."""
    gears: dict[str, int] = {}
    for raw, text in sorted(signal.values.items()):
        gear = next((name for name in GEARS if text.strip().upper() in (name, name[0])), None)
        if gear is None or gear in gears:
            return {}
        gears[gear] = raw
    return gears if {"PARK", "REVERSE", "NEUTRAL", "DRIVE"} <= gears.keys() else {}


def _word(text: str) -> str:
    """A text as YAML reads it back."""
    is_plain = _PLAIN.match(text) and text.lower() not in _NOT_TEXT
    return text if is_plain else json.dumps(text)
