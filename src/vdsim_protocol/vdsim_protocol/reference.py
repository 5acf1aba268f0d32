"""Writes the reference pages docs/vds1.md and docs/morai-wire.md from the packet tables.

python -m vdsim_protocol.reference [FOLDER]
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from vdsim_protocol import morai, vds1
from vdsim_protocol.morai.envelope import Message
from vdsim_protocol.vds1.messages import (
    CRC_SIZE,
    HEADER_FIELDS,
    LAYOUTS,
    STATE_SIZES,
    MessageType,
)
from vdsim_protocol.wire import Field, fields_of, record_layout

_TYPES = {
    "d": "float64",
    "f": "float32",
    "i": "int32",
    "I": "uint32",
    "h": "int16",
    "H": "uint16",
    "b": "int8",
    "B": "uint8",
    "?": "bool",
}
_GENERATED = "<!-- Written by `python -m vdsim_protocol.reference` from the packet tables. -->"

_VDS1_INTRO = """\
# VDS1 on the wire

Control stack and plant exchange fixed-size little-endian UDP datagrams and nothing else: CMD goes
to the plant (port 7001, 100 Hz), STATE comes back (port 7002, at least 100 Hz). Every datagram is
a 24-byte header, a payload without implicit padding, and a CRC-32 (zlib) over all bytes before it.

World frame: ENU, x east, y north, z up. Body frame: ISO 8855, x forward, y left, z up. Angles are
radians, wheels always in the order FL, FR, RL, RR.

In Python: `from vdsim_protocol import vds1`; `vds1.Command` and `vds1.State` have the fields of
the tables below under the names given there.
"""

_VDS1_RULES = """\
## Receiving

Every datagram is checked in this order; the first check that fails drops it and is counted. A
dropped datagram changes nothing else: it feeds no watchdog and opens no session.

{reasons}

- **Sequence.** Numbers are uint32 and compared as serial numbers (RFC 1982), so they may wrap.
  The last 64 are remembered one by one: a copy is a `duplicate`, an overtaken packet `reordered`,
  anything older `stale`.
- **Sessions.** A packet opens a new session when it is the first, when its number is 0, or when
  nothing was accepted for the silence time (0.1 s). A late or copied 0 of the running session is
  told by its time stamp, which lies within the session, and does not open one.
- **Range.** Throttle and brake outside 0..1, a tyre angle beyond the vehicle's limit and a gear
  outside -1..1 are clamped and counted. Steering, throttle, brake, every value of STATE and the
  time stamp must be finite. An auxiliary target that is NaN is unused; an infinite one counts as
  unused.
- **Versions.** CMD is the same in all versions. STATE is told by version and length; a value that
  the sender's version does not carry is NaN after decoding.

## Sending

A stream starts at number 0. CMD carries the sender's monotonic clock, STATE the simulation's time.
Encoding refuses what a receiver would drop or clamp, with one line that names field, value and
what is allowed. A yaw of -pi is sent as +pi.
"""

_MORAI_INTRO = """\
# MORAI SIM: Drive on the wire

Every datagram: identifier (L bytes, ASCII), data length N (int32), 12 auxiliary bytes (zero when
sent, ignored when received), N bytes of data, tail `0D 0A`; in all L + 18 + N bytes, little-endian.
Offsets below count from the start of the datagram. float32 values; strings are padded with NUL
and read without NULs and spaces.

In Python: `from vdsim_protocol import morai`; `morai.decode(datagram)` and `morai.encode(message,
generation)`. Later generations of the simulator only add or move fields; the data length tells
them apart. A code that is not listed is kept as a bare number.

Receivers drop a datagram for the first of these reasons:

{reasons}

Ego Vehicle Status of generation 1 is also taken without its tail. Object Info is taken with any
number of records, as its data length says.
"""


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines)


def _type(field: Field) -> str:
    wire = field.wire
    if wire.record is not None:
        return f"{wire.record.__name__} x {wire.count}"
    if wire.format.endswith("s"):
        return f"char[{wire.format[:-1]}]"
    return _TYPES[wire.format] + (f"[{wire.count}]" if wire.count > 1 else "")


def _meaning(field: Field) -> str:
    codes = field.wire.codes
    if codes is None:
        return field.wire.meaning
    listed = ", ".join(f"{code.value} {code.name}" for code in codes)
    return f"{field.wire.meaning}: {listed}"


def _field_rows(fields: Iterable[Field]) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for field in fields:
        wire = field.wire
        rows.append(
            (
                wire.offset,
                _type(field),
                f"`{field.name}`",
                f"`{field.wire_name}`",
                wire.unit,
                _meaning(field),
                wire.since,
            )
        )
        if wire.pad_after:
            rows.append(
                (wire.offset + field.size, f"uint8[{wire.pad_after}]", "", "", "", "zero", "")
            )
    return rows


_HEAD = ("offset", "type", "name", "in the contract", "unit", "meaning", "since")
_RECORD_HEAD = ("offset", "type", "name", "unit", "meaning")


def vds1_page() -> str:
    """docs/vds1.md."""
    state = LAYOUTS[MessageType.STATE][max(STATE_SIZES)]
    command = LAYOUTS[MessageType.CMD][vds1.DEFAULT_VERSION]
    reasons = _table(
        ("reason", "dropped because"),
        [(f"`{reason.value}`", text) for reason, text in vds1.REASON_TEXT.items()],
    )
    sizes = _table(
        ("version", "STATE bytes", "CRC at"),
        [(version, size, size - CRC_SIZE) for version, size in STATE_SIZES.items()],
    )
    example = vds1.encode_command(
        vds1.Command(0.1, 0.25, 0.0, vds1.Gear.DRIVE, False), seq=0, timestamp_s=1.5
    )
    return "\n".join(
        [
            _GENERATED,
            _VDS1_INTRO,
            "## Header\n",
            _table(_HEAD[:-1], [row[:-1] for row in _field_rows(HEADER_FIELDS)]),
            f"\n## CMD, {vds1.datagram_size(MessageType.CMD, vds1.DEFAULT_VERSION)} bytes\n",
            _table(_HEAD[:-1], [row[:-1] for row in _field_rows(command.fields)]),
            f"\nCRC at {command.end}. Example: tyre angle 0.1 rad, throttle 0.25, gear D, number "
            f"0, stamp 1.5 s:\n\n```\n{_wrapped_hex(example)}\n```\n",
            "## STATE\n",
            f"We send version {vds1.DEFAULT_VERSION}. `since` is the first version with the "
            "field.\n",
            sizes,
            "",
            _table(_HEAD, _field_rows(state.fields)),
            "",
            _VDS1_RULES.format(reasons=reasons),
        ]
    )


def _wrapped_hex(datagram: bytes) -> str:
    step = 32
    return "\n".join(datagram[at : at + step].hex(" ", 4) for at in range(0, len(datagram), step))


def _morai_message(message: Message) -> str:
    generations = sorted(message.sizes)
    parts = [
        f"## {message.title}",
        f"`morai.{message.table.__name__}`, {message.direction.value}, `{message.identifier}`",
        _table(
            ("generation", "data length", "total"),
            [(generation, *message.sizes[generation]) for generation in generations],
        ),
    ]
    by_generation = {g: {f.name: f for f in message.layout(g).fields} for g in generations}
    offsets = [f"offset, gen. {generation}" for generation in generations]
    head = [*(offsets if len(generations) > 1 else ["offset"]), "type", "name", "unit", "meaning"]
    rows = []
    for field in fields_of(message.table, message.latest):
        places = [
            by_generation[g][field.name].wire.offset if field.name in by_generation[g] else ""
            for g in generations
        ]
        rows.append((*places, _type(field), f"`{field.name}`", field.wire.unit, _meaning(field)))
    parts.append(_table(head, rows))
    return "\n\n".join(parts)


def _records(fields: Iterable[Field]) -> list[type]:
    """Record types in order of appearance, those within records included."""
    found: list[type] = []
    for field in fields:
        if field.wire.record is not None:
            found += [field.wire.record, *_records(fields_of(field.wire.record))]
    return found


def _record(record: type) -> str:
    layout = record_layout(record)
    rows = [(*row[:3], *row[4:6]) for row in _field_rows(layout.fields)]
    title = f"### {record.__name__}, {layout.size} bytes"
    return f"{title}\n\n{_table(_RECORD_HEAD, rows)}"


def morai_page() -> str:
    """docs/morai-wire.md."""
    reasons = _table(
        ("reason", "dropped because"),
        [(f"`{reason.value}`", text) for reason, text in morai.REASON_TEXT.items()],
    )
    parts = [_GENERATED, _MORAI_INTRO.format(reasons=reasons).rstrip()]
    for message in morai.MESSAGES:
        parts.append(_morai_message(message))
        parts += [_record(record) for record in _records(fields_of(message.table))]
    return "\n\n".join(parts) + "\n"


PAGES = {"vds1.md": vds1_page, "morai-wire.md": morai_page}


def main(argv: Sequence[str]) -> int:
    """Write all pages into a folder."""
    folder = Path(argv[1] if len(argv) > 1 else "docs")
    if not folder.is_dir():
        print(f"{folder}: must be an existing folder", file=sys.stderr)
        return 2
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")
        print(folder / name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
