"""Faults on order: which, of what, from when on, for how long."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from vdsim_can.car import CarFile, SignalName


class Kind(str, Enum):
    """A fault of the car's end of the bus."""

    LOST = "lost"
    """Frames of the message do not arrive."""
    STUCK = "stuck"
    """Its counter stands."""
    CHECKSUM = "checksum"
    """Its checksum is wrong."""
    SILENT = "silent"
    """The ECU that sends it sends nothing."""
    RESET = "reset"
    """That ECU starts again: silent at first, its counters from the beginning, not enabled."""
    BUS_OFF = "bus_off"
    """The car's controller is off the bus: nothing goes out or comes in."""
    FOREIGN = "foreign"
    """Somebody else sends a message that the interface sends."""
    FAULT = "fault"
    """The car reports the fault of a row of its file, by the name of its signal."""
    UNFIT = "unfit"
    """A signal of `only_while` or `send_while` has a value with which the car may not be driven.

    It is the first such raw value. With `=RAW` it is that one, of any signal that the car sends.
    """
    OVERRIDE = "override"
    """A person uses the control of a row of its file, by the name of its signal."""


class OrderError(ValueError):
    """An order that this car cannot carry out, in one line."""


@dataclass(frozen=True)
class Order:
    """`what`: a message, a bus for BUS_OFF, MESSAGE.SIGNAL for FAULT, UNFIT and OVERRIDE.

    UNFIT may say which raw value: MESSAGE.SIGNAL=RAW.
    """

    kind: Kind
    what: str
    at_s: float = 0.0
    for_s: float = math.inf

    def holds(self, now: float) -> bool:
        """Whether it is in effect."""
        return self.at_s <= now < self.at_s + self.for_s


def parsed(text: str) -> Order:
    """Read KIND:WHAT, KIND:WHAT@AT or KIND:WHAT@AT+FOR, times in s since the start."""
    head, _, when = text.partition("@")
    kind, _, what = head.partition(":")
    at_text, _, for_text = when.partition("+")
    try:
        order = Order(
            Kind(kind), what, float(at_text or 0.0), float(for_text) if for_text else math.inf
        )
    except ValueError:
        kinds = ", ".join(each.value for each in Kind)
        raise OrderError(f"--fault {text}: must be KIND:WHAT@AT+FOR, KIND of {kinds}") from None
    if not (math.isfinite(order.at_s) and order.at_s >= 0.0 and order.for_s > 0.0):
        raise OrderError(f"--fault {text}: times must be 0 or more, and it must last")
    return order


def check(order: Order, car: CarFile) -> None:
    """Raise OrderError when the car file has nothing that the order is about."""
    rows = car.send if order.kind is Kind.FOREIGN else car.receive
    names: set[str] = set(rows)
    if order.kind is Kind.BUS_OFF:
        names = set(car.buses)
    elif order.kind is Kind.FAULT:
        names = {str(row.signal) for row in car.faults}
    elif order.kind is Kind.UNFIT:
        names = {str(name) for name, _ in car.limits.flags}
    elif order.kind is Kind.OVERRIDE:
        names = {str(row.signal) for row in car.overrides}
    elif order.kind is Kind.STUCK:
        names = {name for name, row in rows.items() if row.counter is not None}
    elif order.kind is Kind.CHECKSUM:
        names = {name for name, row in rows.items() if row.checksum is not None}
    if order.kind is Kind.UNFIT and "=" in order.what:
        _check_raw(order, car)
    elif order.what not in names:
        some = ", ".join(sorted(names)) or "nothing: the car file has none"
        raise OrderError(f"fault {order.kind.value}:{order.what}: must be one of {some}")


def _check_raw(order: Order, car: CarFile) -> None:
    """Raise OrderError when an order UNFIT names no raw value of a signal that the car sends."""
    name, raw = _named(order)
    signals = car.message(name.message).signals if name.message in car.receive else ()
    ranges = [each.raw_range() for each in signals if each.name == name.signal]
    if not ranges:
        raise OrderError(f"fault unfit:{order.what}: the car sends no {name}")
    [(low, high)] = ranges
    if not raw.isdecimal() or not low <= int(raw) <= high:
        raise OrderError(f"fault unfit:{order.what}: must be a raw value of {low} to {high}")


def unfit(order: Order, car: CarFile) -> tuple[SignalName, int]:
    """Return the signal of an order UNFIT, and its raw value."""
    name, raw = _named(order)
    if raw:
        return name, int(raw)
    allowed = next(raws for flag, raws in car.limits.flags if flag == name)
    low, high = car.signal(name).raw_range()
    return name, next((each for each in range(low, high + 1) if each not in allowed), allowed[0])


def _named(order: Order) -> tuple[SignalName, str]:
    """Return the signal of an order UNFIT, and the text of its raw value; empty for none."""
    what, _, raw = order.what.partition("=")
    message, _, signal = what.partition(".")
    return SignalName(message, signal), raw
