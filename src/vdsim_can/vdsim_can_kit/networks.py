"""Networks made at random, and their text as a DBC file."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from vdsim_can.dbc import Message, Network, Signal

UNHURRIED = settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[
        HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much,
    ],
)  # fmt: skip
"""For properties that build networks: a busy machine is no failure."""
LENGTHS = (1, 2, 3, 5, 7, 8, 12, 64)


def as_dbc(network: Network) -> str:
    """Return the text of a file that defines a network."""
    return "\n".join([*_lines(network), ""])


def _lines(network: Network) -> Iterator[str]:
    yield 'VERSION ""\n\nNS_ :\n\nBS_:\n\nBU_: ECU VCU\n'
    for message in network.messages.values():
        yield f"BO_ {_number(message)} {message.name}: {message.length} {message.sender}"
        yield from (f" {_signal(signal)}" for signal in message.signals)
        yield ""
    for message in network.messages.values():
        for signal in message.signals:
            if signal.is_float:
                kind = signal.length // 32
                yield f"SIG_VALTYPE_ {_number(message)} {signal.name} : {kind};"


def _number(message: Message) -> int:
    return message.can_id | (1 << 31 if message.extended else 0)


def _signal(signal: Signal) -> str:
    chosen = f"m{signal.selected_by[0][0]} " if signal.selector else ""
    kind = "M " if signal.is_selector else chosen
    place = f"{signal.start}|{signal.length}@{int(signal.little_endian)}"
    sign = "-" if signal.signed else "+"
    scale = f"({signal.scale!r},{signal.offset!r})"
    return f'SG_ {signal.name} {kind}: {place}{sign} {scale} [0|0] "" VCU'


@st.composite
def messages(draw: st.DrawFn, number: int = 0) -> Message:
    """A message whose signals do not overlap, but for those that exclude each other."""
    length = draw(st.sampled_from(LENGTHS))
    extended = draw(st.booleans())
    free = set(range(8 * length))
    signals: list[Signal] = []
    multiplexed = length > 1 and draw(st.booleans())
    if multiplexed:
        selector = Signal(name="SELECT", start=0, length=2, is_selector=True)
        signals.append(selector)
        free -= set(selector.bits())
    for index in range(draw(st.integers(1, 8))):
        signal = draw(_placed(f"S{index}", length))
        bits = set(signal.bits())
        if not bits <= free:
            continue
        free -= bits
        if multiplexed and draw(st.booleans()):
            signals += [_selected(signal, f"{signal.name}_{value}", value) for value in (1, 2)]
        else:
            signals.append(signal)
    return Message(
        name=f"M{number}",
        can_id=draw(st.integers(0, 0x1FFFFFFF if extended else 0x7FF)),
        length=length,
        signals=tuple(signals),
        extended=extended,
        fd=length > 8,
        sender="ECU",
    )


@st.composite
def _placed(draw: st.DrawFn, name: str, bytes_n: int) -> Signal:
    little = draw(st.booleans())
    is_float = draw(st.integers(0, 4)) == 0
    size = draw(st.sampled_from((32, 64))) if is_float else draw(st.integers(1, 64))
    length = min(size, 8 * bytes_n) if not is_float else size
    if length > 8 * bytes_n:
        length, is_float = 8, False
    first = draw(st.integers(0, 8 * bytes_n - length))
    # First bit of a row of bits that begins with the highest one of each byte.
    start = first if little else first // 8 * 8 + 7 - first % 8
    return Signal(
        name=name,
        start=start,
        length=length,
        little_endian=little,
        signed=is_float or draw(st.booleans()),
        is_float=is_float,
        scale=draw(st.sampled_from((1.0, 0.01, -0.5, 4.0))),
        offset=draw(st.sampled_from((0.0, -40.0, 0.25))),
    )


def _selected(signal: Signal, name: str, value: int) -> Signal:
    return Signal(
        name=name,
        start=signal.start,
        length=signal.length,
        little_endian=signal.little_endian,
        signed=signal.signed,
        is_float=signal.is_float,
        scale=signal.scale,
        offset=signal.offset,
        selector="SELECT",
        selected_by=((value, value),),
    )


def raw_values(message: Message) -> st.SearchStrategy[dict[str, float]]:
    """A raw value for every signal of a message, whether it is selected or not."""
    return st.fixed_dictionaries({signal.name: _raw(signal) for signal in message.signals})


def _raw(signal: Signal) -> st.SearchStrategy[float]:
    if signal.is_float:
        return st.floats(width=32 if signal.length == 32 else 64, allow_nan=False)
    return st.integers(*signal.raw_range())


def network_of(message: Message) -> Network:
    """The network of one message."""
    return Network(source="random.dbc", messages={message.name: message})
