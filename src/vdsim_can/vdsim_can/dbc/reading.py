"""A DBC file -> Network, as the field writes such files.

What defines frames (BO_, SG_, SIG_VALTYPE_, SG_MUL_VAL_) must be right: otherwise one error names
file, line and what is wrong. What only describes them (CM_, VAL_, BA_ ...) may name what is not
there, as generated files do: it is left out, with a note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from vdsim_protocol.checked_file import read_bytes

from vdsim_can.dbc.draft import Draft, MessageDraft, SignalDraft
from vdsim_can.dbc.network import Network
from vdsim_can.dbc.tokens import KEYWORDS, Tokens

_EXTENDED = 1 << 31
_ID_BITS = (1 << 29) - 1
_INDEPENDENT = "VECTOR__INDEPENDENT_SIG_MSG"
"""Tools collect signals that have no frame in a message of this name."""
_NOBODY = {"Vector__XXX", "VectorXXX", "XXX"}
LONGEST_BYTES = 64
"""Of a frame of CAN FD."""


@dataclass(frozen=True, slots=True)
class DbcFile:
    """What was read. `notes`: what was left out or read in another way, one sentence each."""

    network: Network
    notes: tuple[str, ...] = ()


def read_dbc(path: Path) -> DbcFile:
    """Read a file; FileError names what is wrong with it."""
    content = read_bytes(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")  # what the usual editors write
    return parse_dbc(text, source=str(path))


def parse_dbc(text: str, *, source: str) -> DbcFile:
    """Read a text."""
    draft = Draft(source)
    tokens = Tokens(text, source)
    while tokens.next.kind != "end":
        token = tokens.take()
        if token.kind == "word" and token.value in _STATEMENTS:
            _STATEMENTS[token.value](tokens, draft)
        elif token.kind == "word" and token.value in KEYWORDS:
            tokens.skip_statement()
        elif token.value != ";":
            tokens.refuse(f"{token.value[:40]!r} begins no statement of a DBC file", token)
    network = Network(
        source=source,
        messages=MappingProxyType(draft.finished()),
        nodes=tuple(draft.nodes),
        version=draft.version,
    )
    return DbcFile(network, tuple(draft.notes))


def _version(tokens: Tokens, draft: Draft) -> None:
    draft.version = tokens.text("a version")


def _new_symbols(tokens: Tokens, _draft: Draft) -> None:
    """The words that the file announces."""
    tokens.takes(":")
    while tokens.next.kind == "word" and tokens.next.value not in {"BS_", "BU_", "BO_"}:
        tokens.take()


def _bit_timing(tokens: Tokens, _draft: Draft) -> None:
    line = tokens.next.line
    while tokens.next.kind != "end" and tokens.next.line == line:
        if tokens.next.value in {"BU_", "BO_"}:
            return
        tokens.take()


def _nodes(tokens: Tokens, draft: Draft) -> None:
    tokens.expect(":", "BU_")
    while tokens.next.kind == "word" and tokens.next.value not in KEYWORDS:
        draft.nodes.append(tokens.take().value)


# ---- what defines frames -------------------------------------------------------------------------


def _message(tokens: Tokens, draft: Draft) -> None:
    line = tokens.next.line
    number = tokens.integer("BO_: the id", 0, (1 << 32) - 1)
    name = tokens.word("the name of a message")
    tokens.expect(":", f"BO_ {name}")
    length = tokens.integer(f"BO_ {name}: the length", 0, 1 << 16)
    sender = ""
    if tokens.next.line == line and tokens.next.kind == "word":
        sender = tokens.take().value
    can_id, extended = _id_of(number)
    message = MessageDraft(
        name=name,
        can_id=can_id,
        length=length,
        extended=extended,
        sender="" if sender in _NOBODY else sender,
        line=line,
    )
    problem = ""
    if length > LONGEST_BYTES:
        problem = f"has {length} bytes, which no single frame carries"
    elif can_id > _ID_BITS:
        problem = f"has the id {number}, of more than 29 bits, which no frame carries"
    if name == _INDEPENDENT or problem:
        message.is_left_out = True
        draft.current = message
        if name != _INDEPENDENT:
            draft.note(line, f"{name} {problem}: left out")
        return
    draft.add_message(message)


def _id_of(number: int) -> tuple[int, bool]:
    """A number above 11 bits is an extended id, with the flag of DBC files or without."""
    can_id = number & ~_EXTENDED
    return can_id, bool(number & _EXTENDED) or can_id > 0x7FF


def _signal(tokens: Tokens, draft: Draft) -> None:
    line = tokens.next.line
    name = tokens.word("the name of a signal")
    message = draft.current
    if message is None:
        tokens.refuse(f"SG_ {name} belongs to no message: a BO_ must come before it")
        return
    where = f"SG_ {name} of {message.name}"
    signal = SignalDraft(name=name, line=line)
    if not tokens.takes(":"):
        _multiplexing(tokens, signal, where, draft)
        tokens.expect(":", where)
    signal.start = tokens.integer(f"{where}: the start", 0, 8 * LONGEST_BYTES - 1)
    tokens.expect("|", where)
    signal.length = tokens.integer(f"{where}: the length", 1, 64)
    tokens.expect("@", where)
    order = tokens.word(f"{where}: the byte order and sign")
    if not re.fullmatch(r"[01][-+]", order):
        tokens.refuse(f"{where}: the byte order and sign {order[:40]}: must be 0 or 1, then + or -")
    signal.little_endian, signal.signed = order[0] == "1", order[1] == "-"
    tokens.expect("(", where)
    signal.scale = tokens.number(f"{where}: the factor")
    tokens.expect(",", where)
    signal.offset = tokens.number(f"{where}: the offset")
    tokens.expect(")", where)
    tokens.expect("[", where)
    signal.minimum = tokens.number(f"{where}: the minimum")
    tokens.expect("|", where)
    signal.maximum = tokens.number(f"{where}: the maximum")
    tokens.expect("]", where)
    signal.unit = tokens.text(f"{where}: the unit")
    signal.receivers = _receivers(tokens)
    if signal.scale == 0.0:
        draft.note(line, f"{where}: the factor 0 is read as 1")
        signal.scale = 1.0
    message.add(signal, draft)


def _multiplexing(tokens: Tokens, signal: SignalDraft, where: str, draft: Draft) -> None:
    word = tokens.word(f"{where}: ':', or M, or m with a number")
    if word == "m":
        draft.note(signal.line, f"{where}: m names no value: read as if it always were there")
        return
    match = re.fullmatch(r"(M)|m([0-9]{1,10})(M?)", word)
    if match is None:
        tokens.refuse(f"{where}: {word[:40]!r} must be M, or m with a number, or left out")
        return
    signal.is_selector = bool(match.group(1) or match.group(3))
    if match.group(2):
        signal.selected_by = [(int(match.group(2)), int(match.group(2)))]


def _receivers(tokens: Tokens) -> tuple[str, ...]:
    names, line = [], tokens.next.line
    while tokens.next.line == line and tokens.next.kind == "word":
        if tokens.next.value in KEYWORDS:
            break
        names.append(tokens.take().value)
        tokens.takes(",")
    return tuple(name for name in names if name not in _NOBODY)


def _value_type(tokens: Tokens, draft: Draft) -> None:
    first = tokens.next
    signal = _named_signal(tokens, draft, "SIG_VALTYPE_")
    tokens.takes(":")
    kind = tokens.integer("SIG_VALTYPE_: the type", 0, 2)
    tokens.expect(";", "SIG_VALTYPE_")
    if signal is not None and kind:
        if signal.length != 32 * kind:
            problem = f"a float of {32 * kind} bits in {signal.length}"
            tokens.refuse(f"SIG_VALTYPE_ of {signal.name}: {problem}", first)
        signal.is_float = True


def _selection(tokens: Tokens, draft: Draft) -> None:
    signal = _named_signal(tokens, draft, "SG_MUL_VAL_")
    selector = tokens.word("SG_MUL_VAL_: the selecting signal")
    ranges = []
    while not tokens.takes(";"):
        word = tokens.word("SG_MUL_VAL_: a range as 1-3, or ';'")
        match = re.fullmatch(r"([0-9]{1,10})-([0-9]{1,10})", word)
        if match is None:
            tokens.refuse(f"SG_MUL_VAL_: the range {word[:40]}: must be as 1-3")
            return
        ranges.append((int(match.group(1)), int(match.group(2))))
        tokens.takes(",")
    if signal is not None:
        signal.selector, signal.selected_by = selector, ranges


# ---- what describes them -------------------------------------------------------------------------


def _named_signal(tokens: Tokens, draft: Draft, statement: str) -> SignalDraft | None:
    """The signal of a statement that begins with an id and a name; None with a note."""
    line = tokens.next.line
    number = tokens.integer(f"{statement}: the id", 0, (1 << 32) - 1)
    name = tokens.word(f"{statement}: the name of a signal")
    message = draft.messages.get(_id_of(number))
    signal = message.signals.get(name) if message is not None else None
    if signal is None:
        draft.note(line, f"{statement} names no signal {name} of a message {number}: left out")
    return signal


def _comment(tokens: Tokens, draft: Draft) -> None:
    line, words = tokens.next.line, []
    while tokens.next.kind not in {"text", "end"} and not tokens.takes(";"):
        words.append(tokens.take().value)
    text = tokens.take().value if tokens.next.kind == "text" else ""
    tokens.takes(";")
    if words[:1] == ["BO_"] and len(words) == 2:
        message = draft.messages.get(_id_of(int(words[1]))) if words[1].isdigit() else None
        if message is not None:
            message.comment = text
            return
    elif words[:1] == ["SG_"] and len(words) == 3 and words[1].isdigit():
        message = draft.messages.get(_id_of(int(words[1])))
        if message is not None and words[2] in message.signals:
            message.signals[words[2]].comment = text
            return
    elif words[:1] not in (["BO_"], ["SG_"]):
        return
    draft.note(line, f"CM_ {' '.join(words)[:80]} names nothing of this file: left out")


def _values(tokens: Tokens, draft: Draft) -> None:
    if not (tokens.next.kind == "word" and tokens.next.value.isdigit()):
        tokens.skip_statement()  # of an environment variable
        return
    signal = _named_signal(tokens, draft, "VAL_")
    pairs: dict[int, str] = {}
    while tokens.next.kind == "word" and tokens.next.value not in KEYWORDS:
        raw = tokens.number("VAL_: a value")
        pairs[int(raw)] = tokens.text(f"VAL_: the meaning of {raw:g}")
    tokens.takes(";")
    if signal is not None:
        signal.values = pairs


def _attribute_kind(tokens: Tokens, draft: Draft) -> None:
    """BA_DEF_ BO_ "name" ENUM "a","b" ... : the words of an enumeration, in their order."""
    if tokens.next.kind == "word":
        tokens.take()
    if tokens.next.kind == "text":
        name = tokens.take().value
        words = []
        while tokens.next.kind != "end" and not tokens.takes(";"):
            token = tokens.take()
            if token.kind == "text":
                words.append(token.value)
        draft.enumerations[name] = tuple(words)
        return
    tokens.skip_statement()


def _attribute_default(tokens: Tokens, draft: Draft) -> None:
    if tokens.next.kind == "text":
        name = tokens.take().value
        draft.defaults[name] = tokens.take().value
    tokens.skip_statement()


def _attribute(tokens: Tokens, draft: Draft) -> None:
    if tokens.next.kind == "text":
        name = tokens.take().value
        if tokens.takes("BO_"):
            number = tokens.integer(f"BA_ {name}: the id", 0, (1 << 32) - 1)
            message = draft.messages.get(_id_of(number))
            if message is not None:
                message.attributes[name] = tokens.take().value
            else:
                draft.note(tokens.next.line, f"BA_ {name} names no message {number}: left out")
    tokens.skip_statement()


_STATEMENTS: Mapping[str, Callable[[Tokens, Draft], None]] = {
    "VERSION": _version,
    "NS_": _new_symbols,
    "BS_": _bit_timing,
    "BU_": _nodes,
    "BO_": _message,
    "SG_": _signal,
    "SIG_VALTYPE_": _value_type,
    "SG_MUL_VAL_": _selection,
    "CM_": _comment,
    "VAL_": _values,
    "BA_DEF_": _attribute_kind,
    "BA_DEF_DEF_": _attribute_default,
    "BA_": _attribute,
}
