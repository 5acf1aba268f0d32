"""A car file in words: what each field becomes, what is not mapped, what limits what."""

from __future__ import annotations

from collections.abc import Iterator

from vdsim_can.car.car_file import CarFile
from vdsim_can.car.handshake import HandshakeStep
from vdsim_can.car.limits import Limits, SpeedTable
from vdsim_can.car.raw_range import raw_range_of
from vdsim_can.car.rows import FieldRow, MessageRow
from vdsim_can.car.uses import uses_of
from vdsim_can.dbc.network import Signal


def describe_car(car: CarFile) -> Iterator[str]:
    """Return the lines of `vdsim_can check`."""
    counts = f"{len(car.send)} messages sent, {len(car.receive)} received"
    yield f"{car.name}: {car.rows} rows, {counts}, {len(car.handshake)} states"
    if car.steers_by_torque:
        yield "steers by torque: encoded, and refused for driving; there is no torque loop here"
    for title, messages in (("sent", car.send), ("received", car.receive)):
        for row in messages.values():
            yield f"{title} {_message(car, row)}"
    for title, rows in (("command", car.commands), ("report", car.reports)):
        for field in rows:
            yield f"{title} {_field(car, field)}"
    yield from map(_step, car.handshake)
    yield from (f"limit {line}" for line in _limits(car.limits))
    yield from _unmapped(car)


def _message(car: CarFile, row: MessageRow) -> str:
    message = car.message(row.message)
    can_id = f"0x{message.can_id:0{8 if message.extended else 3}X}"
    parts = [f"{can_id} on {row.bus}", f"every {row.cycle_ms:g} ms"]
    if row.stale_ms:
        parts.append(f"stale after {row.stale_ms:g} ms")
    if row.max_rejects:
        parts.append(f"lets the car go after {row.max_rejects} rejected")
    if row.counter is not None:
        parts.append(f"counter {row.counter.first} to {row.counter.last}")
    if row.checksum is not None:
        parts.append(f"checksum {type(row.checksum.algorithm).__name__.lower()}")
    if not row.stale_ms:
        parts.append("stops" if row.when_silent is None else "goes on with other values")
        parts[-1] += " when the stack is silent"
    return f"{row.message}: {', '.join(parts)}"


def _field(car: CarFile, row: FieldRow) -> str:
    signal = car.signal(row.signal)
    if row.enum:
        return f"{row.field} = {row.signal}: " + ", ".join(f"{m} {raw}" for m, raw in row.enum)
    low, high = sorted(_reach(signal, row, is_sent=row in car.commands))
    step = abs(signal.scale * row.scale)
    text = f"{row.field} = {row.signal}: {low:.4g} to {high:.4g}"
    return text if signal.is_float else f"{text} in steps of {step:.3g}"


def _reach(signal: Signal, row: FieldRow, *, is_sent: bool) -> tuple[float, float]:
    """What can be sent, which the DBC may limit, or what can be received."""
    if signal.is_float:
        return float("-inf"), float("inf")
    raws = raw_range_of(signal, row) if is_sent else signal.raw_range()
    low, high = (row.offset + row.scale * signal.physical(raw) for raw in raws)
    return low, high


def _step(step: HandshakeStep) -> str:
    waits = " and ".join(map(str, step.wait_for)) or "nothing"
    within = f" within {step.within_ms:g} ms" if step.within_ms else ""
    reason = f", else: {step.otherwise}" if step.otherwise else ""
    return f"state {step.state}: waits for {waits}{within}{reason}"


def _limits(limits: Limits) -> Iterator[str]:
    for group in (limits.angle, limits.torque):
        if group is not None:
            for name in type(group).__dataclass_fields__:
                value = getattr(group, name)
                if isinstance(value, SpeedTable):
                    points = zip(value.speeds_mps, value.values, strict=True)
                    shown = ", ".join(f"{limit:g} at {speed:g} m/s" for speed, limit in points)
                    yield f"{name}: {shown}"
                elif value is not None:
                    yield f"{name}: {value:g}"
    for name in ("accel_min_mps2", "accel_max_mps2"):
        if getattr(limits, name) is not None:
            yield f"{name}: {getattr(limits, name):g}"
    for key, flags in (("only_while", limits.only_while), ("send_while", limits.send_while)):
        for signal, raws in flags:
            yield f"{key}: {signal} is {' or '.join(map(str, raws))}"
    for each in limits.agree:
        yield f"agree: {each.signal} and {each.other} within {each.within:g}"


def _unmapped(car: CarFile) -> Iterator[str]:
    """Signals of used messages, and whole messages, that no row names."""
    used = {use.signal for use in uses_of(car)}
    for name in (*car.send, *car.receive):
        left = [
            signal.name
            for signal in car.message(name).signals
            if not any(use.message == name and use.signal == signal.name for use in used)
        ]
        if left:
            sent = ", sent as 0" if name in car.send else ""
            yield f"not mapped of {name}{sent}: {', '.join(left)}"
    for bus in car.buses.values():
        rows = [*car.send.values(), *car.receive.values()]
        known = {row.message for row in rows if row.bus == bus.name}
        others = [name for name in bus.network.messages if name not in known]
        if others:
            yield f"not mapped on {bus.name}: {', '.join(others)}"
