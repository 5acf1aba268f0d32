"""A network while its file is read: messages and signals that can still change."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType

from vdsim_protocol.checked_file import FileError

from vdsim_can.dbc.network import Message, Range, Signal

CYCLE, FRAME_FORMAT = "GenMsgCycleTime", "VFrameFormat"
_FD_FORMATS = {"StandardCAN_FD", "ExtendedCAN_FD"}


@dataclass(slots=True)
class SignalDraft:
    """A signal as far as it has been read."""

    name: str
    line: int
    start: int = 0
    length: int = 1
    little_endian: bool = True
    signed: bool = False
    is_float: bool = False
    scale: float = 1.0
    offset: float = 0.0
    minimum: float = 0.0
    maximum: float = 0.0
    unit: str = ""
    values: dict[int, str] = field(default_factory=dict)
    is_selector: bool = False
    selector: str = ""
    selected_by: list[Range] = field(default_factory=list)
    receivers: tuple[str, ...] = ()
    comment: str = ""

    def finished(self) -> Signal:
        """Return the signal."""
        has_range = (self.minimum, self.maximum) != (0.0, 0.0)
        return Signal(
            name=self.name,
            start=self.start,
            length=self.length,
            little_endian=self.little_endian,
            signed=self.signed,
            is_float=self.is_float,
            scale=self.scale,
            offset=self.offset,
            minimum=self.minimum if has_range else None,
            maximum=self.maximum if has_range else None,
            unit=self.unit,
            values=MappingProxyType(self.values),
            is_selector=self.is_selector,
            selector=self.selector,
            selected_by=tuple(self.selected_by),
            receivers=self.receivers,
            comment=self.comment,
            line=self.line,
        )


@dataclass(slots=True)
class MessageDraft:
    """A message as far as it has been read. `is_left_out`: its signals are read and dropped."""

    name: str
    can_id: int
    length: int
    extended: bool = False
    sender: str = ""
    line: int = 0
    is_left_out: bool = False
    comment: str = ""
    signals: dict[str, SignalDraft] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)

    def add(self, signal: SignalDraft, draft: Draft) -> None:
        """Take a signal; of two with one name the first counts."""
        if self.is_left_out:
            return
        if signal.name in self.signals:
            draft.note(signal.line, f"{self.name} has a second signal {signal.name}: left out")
            return
        self.signals[signal.name] = signal


class Draft:
    """What a file has defined so far."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.version = ""
        self.nodes: list[str] = []
        self.messages: dict[tuple[int, bool], MessageDraft] = {}
        self.current: MessageDraft | None = None
        self.enumerations: dict[str, tuple[str, ...]] = {}
        self.defaults: dict[str, str] = {}
        self.notes: list[str] = []

    def note(self, line: int, text: str) -> None:
        """Keep a sentence about a line."""
        self.notes.append(f"{self.source}: line {line}: {text}")

    def add_message(self, message: MessageDraft) -> None:
        """Take a message; of two with one id the first counts."""
        self.current = message
        earlier = self.messages.get((message.can_id, message.extended))
        if earlier is not None:
            message.is_left_out = True
            self.note(
                message.line,
                f"{message.name} has the id {message.can_id} of {earlier.name}: left out",
            )
            return
        self.messages[message.can_id, message.extended] = message

    def finished(self) -> dict[str, Message]:
        """Return the messages by name; of two with one name the second gets its id appended."""
        finished: dict[str, Message] = {}
        for draft in self.messages.values():
            if draft.name in finished:
                renamed = f"{draft.name}_{draft.can_id:X}"
                self.note(draft.line, f"a second message {draft.name} is called {renamed}")
                draft.name = renamed
            if draft.name in finished:
                raise FileError(self.source, f"line {draft.line}", f"two messages {draft.name}")
            finished[draft.name] = self._message(draft)
        return finished

    def _message(self, draft: MessageDraft) -> Message:
        signals = [signal for signal in draft.signals.values() if self._is_usable(draft, signal)]
        self._connect(draft, signals)
        is_fd = self._attribute(draft, FRAME_FORMAT) in _FD_FORMATS
        return Message(
            name=draft.name,
            can_id=draft.can_id,
            length=draft.length,
            signals=tuple(signal.finished() for signal in signals),
            extended=draft.extended,
            fd=is_fd or draft.length > 8,
            sender=draft.sender,
            cycle_ms=self._cycle_ms(draft),
            comment=draft.comment,
            line=draft.line,
        )

    def _is_usable(self, message: MessageDraft, signal: SignalDraft) -> bool:
        bits = signal.finished().bits()
        if min(bits) >= 0 and max(bits) < 8 * message.length:
            return True
        self.note(
            signal.line,
            f"{signal.name} does not fit in the {message.length} bytes of {message.name}: left out",
        )
        return False

    def _connect(self, message: MessageDraft, signals: list[SignalDraft]) -> None:
        """Find the selector of every multiplexed signal that names none."""
        selectors = [signal.name for signal in signals if signal.is_selector]
        roots = [s.name for s in signals if s.is_selector and not s.selected_by] or selectors
        for signal in signals:
            if not signal.selected_by:
                continue
            if not signal.selector and len(roots) == 1 and signal.name != roots[0]:
                signal.selector = roots[0]
            if signal.selector not in selectors or signal.selector == signal.name:
                problem = f"{signal.name} of {message.name} is multiplexed, but by no one signal"
                self.note(signal.line, f"{problem}: read as if it always were there")
                signal.selector, signal.selected_by = "", []

    def _attribute(self, message: MessageDraft, name: str) -> str:
        value = message.attributes.get(name, self.defaults.get(name, ""))
        words = self.enumerations.get(name, ())
        if words and value.isdigit() and int(value) < len(words):
            return words[int(value)]
        return value

    def _cycle_ms(self, message: MessageDraft) -> float | None:
        try:
            cycle_ms = float(self._attribute(message, CYCLE))
        except ValueError:
            return None
        return cycle_ms if 0.0 < cycle_ms < 1e9 else None
