"""Do the rows of a car file agree with each other and with the networks? All that does not.

Each check is a function of the whole car; `CHECKS` is the list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vdsim_can.car.car_file import CarFile
from vdsim_can.car.fields import COMMAND_FIELDS, REPORT_FIELDS
from vdsim_can.car.handshake_checks import handshake_problems
from vdsim_can.car.problems import Problem
from vdsim_can.car.rows import MEASURED, FieldRow, MessageRow, SignalName
from vdsim_can.dbc.network import Signal

_ALL_RAW_BITS = 4
"""An enumeration in a signal this short must name every raw value, unless the DBC names them."""
NEEDED_REPORTS = ("velocity_mps", "front_wheel_angle_rad")
_LONGITUDINAL = ({"long_accel_mps2"}, {"throttle", "brake"})
_LATERAL = ({"front_wheel_angle_rad"}, {"steering_torque_nm"})


def problems_of(car: CarFile) -> list[Problem]:
    """Return every problem, in the order of the file's lines."""
    return sorted(problem for check in CHECKS for problem in check(car))


def what_drives_is_complete(car: CarFile) -> Iterator[Problem]:
    """The interface needs speed and wheel angle, and something to drive and to steer with."""
    reported = {row.field for row in car.reports}
    for field in NEEDED_REPORTS:
        if field not in reported:
            yield Problem(1, f"reports: {field} is missing; the interface needs it")
    sent = {row.field for row in car.commands}
    for what, ways in (("drive", _LONGITUDINAL), ("steer", _LATERAL)):
        if not any(way <= sent for way in ways):
            names = " or ".join(" and ".join(sorted(way)) for way in ways)
            yield Problem(1, f"commands: nothing to {what} with: {names}")


def a_field_is_reported_once(car: CarFile) -> Iterator[Problem]:
    """Two signals of one field would contradict each other."""
    seen: dict[str, FieldRow] = {}
    for row in car.reports:
        if row.field in seen:
            yield Problem(row.line, f"{row.signal}: {row.field} is also {seen[row.field].signal}")
        seen.setdefault(row.field, row)


def named_values_are_total(car: CarFile) -> Iterator[Problem]:
    """Each member that is sent has a raw value, each raw value that is received a member."""
    for row in car.commands:
        members = COMMAND_FIELDS[row.field].members
        missing = [m for m in members if m not in {member for member, _ in row.enum}]
        if missing:
            yield Problem(row.line, f"{row.signal}: enum has no raw value for {', '.join(missing)}")
    for row in car.reports:
        if row.enum:
            yield from _received_enum(car, row)


def _received_enum(car: CarFile, row: FieldRow) -> Iterator[Problem]:
    signal = car.signal(row.signal)
    raw = [value for _, value in row.enum]
    for value in sorted({value for value in raw if raw.count(value) > 1}):
        yield Problem(row.line, f"{row.signal}: enum gives {value} two meanings")
    low, high = signal.raw_range()
    known = {value for value in signal.values if low <= value <= high}
    if not known and signal.length <= _ALL_RAW_BITS:
        known = set(range(low, high + 1))
    left = sorted(known - set(raw) - row.unavailable)
    if left:
        shown = ", ".join(_shown(signal, value) for value in left)
        yield Problem(row.line, f"{row.signal}: neither enum nor unavailable names {shown}")


def _shown(signal: Signal, value: int) -> str:
    meaning = signal.values.get(value)
    return f"{value} ({meaning})" if meaning else str(value)


def raw_values_fit(car: CarFile) -> Iterator[Problem]:
    """Every raw value of a row can be in its signal, and means one thing."""
    for row in (*car.commands, *car.reports):
        signal = car.signal(row.signal)
        low, high = signal.raw_range()
        for value in (*(raw for _, raw in row.enum), *sorted(row.unavailable)):
            if not low <= value <= high:
                text = f"{row.signal}: {value} does not fit in {signal.length} bits"
                yield Problem(row.line, f"{text}: {low} to {high}")
        both = row.unavailable & {raw for _, raw in row.enum}
        if both:
            yield Problem(row.line, f"{row.signal}: {min(both)} is unavailable and has a meaning")
        if signal.is_float and (row.enum or row.unavailable):
            yield Problem(row.line, f"{row.signal} is a float: it has no raw values to name")
    for fault in car.faults:
        low, high = car.signal(fault.signal).raw_range()
        for value in sorted(fault.when):
            if not low <= value <= high:
                yield Problem(fault.line, f"{fault.signal}: {value} is none of {low} to {high}")


def neutral_values_can_be_sent(car: CarFile) -> Iterator[Problem]:
    """What is sent while nobody drives fits the signal, and is reported where it is measured."""
    reported = {row.field for row in car.reports}
    for row in car.commands:
        if row.neutral == MEASURED:
            if row.field not in reported:
                yield Problem(
                    row.line, f"{row.signal}: neutral=measured, but {row.field} is not reported"
                )
        elif isinstance(row.neutral, float) and not row.enum:
            signal = car.signal(row.signal)
            physical = (row.neutral - row.offset) / row.scale
            if not signal.is_float:
                raw = round((physical - signal.offset) / signal.scale)
                low, high = signal.raw_range()
                if not low <= raw <= high:
                    text = f"{row.signal}: neutral={row.neutral:g} is raw {raw}"
                    yield Problem(row.line, f"{text}, which is none of {low} to {high}")


def each_bit_has_one_writer(car: CarFile) -> Iterator[Problem]:
    """No two rows write the same bits of a frame."""
    for message in car.send.values():
        owner: dict[int, str] = {}
        for name, line, what in _writers(car, message):
            signal = car.signal(SignalName(message.message, name))
            for bit in signal.bits():
                other = owner.setdefault(bit, what)
                if other != what:
                    place = f"{message.message}.{name}"
                    yield Problem(line, f"{place}: {what} and {other} both write bit {bit}")
                    break


def _writers(car: CarFile, row: MessageRow) -> Iterator[tuple[str, int, str]]:
    """(signal, line, what writes it) of a message."""
    for command in car.commands:
        if command.signal.message == row.message:
            yield command.signal.signal, command.line, f"{command.field} ({command.signal.signal})"
    if row.counter is not None:
        yield row.counter.signal, row.line, "counter"
    if row.checksum is not None:
        yield row.checksum.signal, row.line, "checksum"
    for name, _ in row.fixed:
        yield name, row.line, f"fixed {name}"
    for name in {s.signal.signal for step in car.handshake for s in step.send
                 if s.signal.message == row.message}:  # fmt: skip
        line = next(
            step.line
            for step in car.handshake
            for s in step.send
            if s.signal == SignalName(row.message, name)
        )
        yield name, line, f"handshake {name}"


def multiplexed_signals_are_chosen(car: CarFile) -> Iterator[Problem]:
    """A multiplexed signal that is sent needs a fixed selector that chooses it."""
    for command in car.commands:
        signal = car.signal(command.signal)
        if not signal.selector:
            continue
        fixed = dict(car.send[command.signal.message].fixed).get(signal.selector)
        if fixed is None or not any(low <= fixed <= high for low, high in signal.selected_by):
            ranges = ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in signal.selected_by)
            yield Problem(
                command.line,
                f"{command.signal} is there while {signal.selector} is {ranges}: fix it in the row "
                f"of {command.signal.message}",
            )


def each_message_has_one_side(car: CarFile) -> Iterator[Problem]:
    """Whoever sends our messages by the DBC sends none of the car's.

    Where most of what the car sends has our sender, the DBC names a bus, and no node.
    """
    senders: dict[str, str] = {}
    for name in car.send:
        sender = car.message(name).sender
        if sender:
            senders.setdefault(sender, name)
    shared = sum(car.message(name).sender in senders for name in car.receive)
    if 2 * shared > len(car.receive):
        return
    for name, row in car.receive.items():
        sender = car.message(name).sender
        if sender in senders:
            yield Problem(
                row.line,
                f"{name} is sent by {sender} in the DBC, which also sends {senders[sender]}: "
                "one of them stands on the wrong side",
            )


def times_agree(car: CarFile) -> Iterator[Problem]:
    """A time-out is longer than the cycle that it watches."""
    for row in (*car.send.values(), *car.receive.values()):
        if row.phase_ms >= row.cycle_ms:
            text = f"phase_ms={row.phase_ms:g}: must be < cycle_ms={row.cycle_ms:g}"
            yield Problem(row.line, f"{row.message}: {text}")
        if row.jitter_ms >= row.cycle_ms:
            text = f"jitter_ms={row.jitter_ms:g}: must be < cycle_ms={row.cycle_ms:g}"
            yield Problem(row.line, f"{row.message}: {text}")
    for row in car.receive.values():
        if row.stale_ms <= row.cycle_ms:
            text = f"stale_ms={row.stale_ms:g}: must be > cycle_ms={row.cycle_ms:g}"
            yield Problem(row.line, f"{row.message}: {text}")
    for override in car.overrides:
        cycle_ms = car.receive[override.signal.message].cycle_ms
        if 0.0 < override.for_ms < cycle_ms:
            text = f"for_ms={override.for_ms:g}: must be 0, or >= the cycle of {cycle_ms:g} ms"
            yield Problem(override.line, f"{override.signal}: {text}")


def frames_fit_their_bus(car: CarFile) -> Iterator[Problem]:
    """A frame of CAN FD needs a bus that carries it."""
    for row in (*car.send.values(), *car.receive.values()):
        bus = car.buses[row.bus]
        if car.message(row.message).fd and not bus.fd:
            yield Problem(row.line, f"{row.message} is CAN FD: the bus {bus.name} needs fd: true")


def every_message_is_used(car: CarFile) -> Iterator[Problem]:
    """A message that carries nothing of the car is a mistake in its name, or not needed."""
    used = {row.signal.message for row in (*car.commands, *car.reports)}
    used |= {override.signal.message for override in car.overrides}
    used |= {fault.signal.message for fault in car.faults}
    used |= {name.message for name, _ in car.limits.flags}
    used |= {name.message for each in car.limits.agree for name in (each.signal, each.other)}
    used |= {s.signal.message for step in car.handshake for s in step.send}
    used |= {c.signal.message for step in car.handshake for c in step.wait_for}
    for name, row in {**car.send, **car.receive}.items():
        if name not in used and not row.fixed:
            yield Problem(row.line, f"{name} carries no field, state, override or fault")


def known_fields(car: CarFile) -> Iterator[Problem]:
    """A field of one's own has another name than those of the interface."""
    for row in car.reports:
        if row.field.removeprefix("extra.") in REPORT_FIELDS and row.field not in REPORT_FIELDS:
            yield Problem(row.line, f"{row.field}: the interface has this field without extra.")


CHECKS: tuple[Callable[[CarFile], Iterator[Problem]], ...] = (
    what_drives_is_complete,
    a_field_is_reported_once,
    named_values_are_total,
    raw_values_fit,
    neutral_values_can_be_sent,
    each_bit_has_one_writer,
    multiplexed_signals_are_chosen,
    each_message_has_one_side,
    times_agree,
    frames_fit_their_bus,
    every_message_is_used,
    known_fields,
    handshake_problems,
)
