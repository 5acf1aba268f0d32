"""Command traces as text: one JSON object a line, which every tool can read."""

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from vdsim_protocol.shown import shortened

from vdsim_interface.extras.explain.gate_record import from_text
from vdsim_interface.pipeline.gate_text import to_text
from vdsim_interface.pipeline.trace import CommandTrace
from vdsim_interface.safety.rules import kind_named
from vdsim_interface.values import (
    COMMAND_OF,
    LEVEL_OF,
    Applied,
    Authority,
    Blinker,
    BodyCommand,
    Change,
    Command,
    ControlLevel,
    Gear,
    Headlight,
    Mode,
    Wiper,
    WireCommand,
)


class RecordError(ValueError):
    """A line is not a command trace."""


def to_line(trace: CommandTrace) -> str:
    """Write one trace as a line of JSON (not-a-number and infinity become null)."""
    body = trace.body
    record = {
        "stamp_s": trace.stamp_s,
        "mode": trace.mode.name,
        "authority": trace.authority.name,
        "received": _command(trace.received),
        "controlled": _command(trace.controlled),
        "filtered": _command(trace.filtered),
        "safe": _command(trace.safe),
        "raw": _command(trace.raw),
        "body": {
            "gear": body.gear.name,
            "blinker": body.blinker.name,
            "headlight": body.headlight.name,
            "wiper": body.wiper.name,
            "hand_brake": body.hand_brake,
            "horn": body.horn,
        },
        "wire": _fields(trace.wire),
        "wire_sequence": trace.wire_sequence,
        "applied": _fields(trace.applied),
        "applied_stamp_s": _number(trace.applied_stamp_s),
        "changes": [
            [str(c.kind), c.channel, float(c.before), float(c.after)] for c in trace.changes
        ],
        "blocked": trace.blocked,
        "gate": None if trace.gate is None else to_text(trace.gate),
    }
    return json.dumps(record, allow_nan=False)


def from_line(line: str) -> CommandTrace:
    """Read a line; raises RecordError when it is not a trace."""
    try:
        return _trace(json.loads(line))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise RecordError(f"not a command trace: {shortened(repr(error), 200)}") from error


def from_lines(lines: Iterable[str]) -> Iterator[CommandTrace]:
    """Read a recording; an error names the line."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield from_line(line)
            except RecordError as error:
                raise RecordError(f"line {number}: {error}") from error


def _number(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _fields(value: WireCommand | Applied | Command | None) -> dict[str, object] | None:
    if value is None:
        return None
    return {name: _number(number) for name, number in value._asdict().items()}


def _command(command: Command | None) -> dict[str, object] | None:
    if command is None:
        return None
    return {"level": LEVEL_OF[type(command)].value, **(_fields(command) or {})}


def _read_fields(kind: type, record: dict[str, Any], missing: float) -> Any:
    return kind(**{name: missing if v is None else v for name, v in record.items()})


def _read_command(record: dict[str, Any] | None) -> Any:
    if record is None:
        return None
    values = {name: value for name, value in record.items() if name != "level"}
    return _read_fields(COMMAND_OF[ControlLevel(record["level"])], values, -math.inf)


def _trace(record: dict[str, Any]) -> CommandTrace:
    body = record["body"]
    wire, applied, applied_s = record["wire"], record["applied"], record["applied_stamp_s"]
    return CommandTrace(
        stamp_s=float(record["stamp_s"]),
        mode=Mode[record["mode"]],
        authority=Authority[record["authority"]],
        received=_read_command(record["received"]),
        controlled=_read_command(record["controlled"]),
        filtered=_read_command(record["filtered"]),
        safe=_read_command(record["safe"]),
        raw=_read_command(record["raw"]),
        body=BodyCommand(
            gear=Gear[body["gear"]],
            blinker=Blinker[body["blinker"]],
            headlight=Headlight[body["headlight"]],
            wiper=Wiper[body["wiper"]],
            hand_brake=bool(body["hand_brake"]),
            horn=bool(body["horn"]),
        ),
        wire=None if wire is None else _read_fields(WireCommand, wire, math.nan),
        wire_sequence=record["wire_sequence"],
        applied=None if applied is None else _read_fields(Applied, applied, math.nan),
        applied_stamp_s=-math.inf if applied_s is None else float(applied_s),
        changes=tuple(
            Change(kind_named(kind), channel, float(before), float(after))
            for kind, channel, before, after in record["changes"]
        ),
        blocked=str(record.get("blocked", "")),  # older recordings have none
        gate=from_text(record["gate"]) if record.get("gate") else None,
    )
