"""A network in words, for people."""

from __future__ import annotations

from collections.abc import Iterator

from vdsim_can.dbc.network import Message, Network, Signal


def describe_network(network: Network) -> Iterator[str]:
    """Return a line for every message, each followed by its signals."""
    for message in sorted(network.messages.values(), key=lambda m: (m.extended, m.can_id)):
        yield describe_message(message)
        for signal in message.signals:
            yield f"  {describe_signal(signal)}"


def describe_message(message: Message) -> str:
    """Return id, name, length, cycle and sender in a line."""
    can_id = f"0x{message.can_id:08X}" if message.extended else f"0x{message.can_id:03X}"
    parts = [f"{message.length} bytes"]
    if message.fd:
        parts.append("CAN FD")
    if message.cycle_ms is not None:
        parts.append(f"every {message.cycle_ms:g} ms")
    if message.sender:
        parts.append(f"from {message.sender}")
    return f"{can_id} {message.name}: {', '.join(parts)}"


def describe_signal(signal: Signal) -> str:
    """Return place, type, scale, range and meanings in a line."""
    kind = "float" if signal.is_float else "signed" if signal.signed else "unsigned"
    order = "little-endian" if signal.little_endian else "big-endian"
    parts = [f"bits {signal.start}|{signal.length} {kind} {order}"]
    if (signal.scale, signal.offset) != (1.0, 0.0):
        parts.append(f"raw * {signal.scale:g} + {signal.offset:g}")
    if signal.minimum is not None and signal.maximum is not None:
        parts.append(f"{signal.minimum:g} to {signal.maximum:g}")
    if signal.selector:
        ranges = ", ".join(f"{a}" if a == b else f"{a} to {b}" for a, b in signal.selected_by)
        parts.append(f"while {signal.selector} is {ranges}")
    if signal.values:
        parts.append("; ".join(f"{raw} {text}" for raw, text in sorted(signal.values.items())))
    unit = f" [{signal.unit}]" if signal.unit else ""
    return f"{signal.name}{unit}: {', '.join(parts)}"
