"""Which signals a car file uses, and for what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from vdsim_can.car.car_file import CarFile
from vdsim_can.car.rows import SignalName


class Use(NamedTuple):
    """A signal, what it is used for, and the line of the file that says so."""

    signal: SignalName
    what: str
    line: int


def uses_of(car: CarFile) -> Iterator[Use]:
    """Return every use of a signal; a signal may have several."""
    for row in car.commands:
        yield Use(row.signal, f"command {row.field}", row.line)
    for row in car.reports:
        yield Use(row.signal, f"report {row.field}", row.line)
    for name, message in {**car.send, **car.receive}.items():
        if message.counter is not None:
            yield Use(SignalName(name, message.counter.signal), "counter", message.line)
        if message.checksum is not None:
            yield Use(SignalName(name, message.checksum.signal), "checksum", message.line)
        for signal, raw in message.fixed:
            yield Use(SignalName(name, signal), f"always {raw}", message.line)
    for step in car.handshake:
        for setting in step.send:
            yield Use(setting.signal, f"handshake: {setting.raw} in {step.state}", step.line)
        for condition in step.wait_for:
            text = f"handshake: {step.state} waits for {condition.comparison.value} "
            yield Use(condition.signal, f"{text}{condition.value:g}", step.line)
    for override in car.overrides:
        text = f"override by {override.control.value} above {override.threshold:g}"
        yield Use(override.signal, text, override.line)
    for fault in car.faults:
        yield Use(fault.signal, f"fault: {fault.text}", fault.line)
    for does, flags in (("drives", car.limits.only_while), ("is sent", car.limits.send_while)):
        for watched, raws in flags:
            yield Use(watched, f"{does} only while {' or '.join(map(str, raws))}", 0)
    for each in car.limits.agree:
        for one, other in ((each.signal, each.other), (each.other, each.signal)):
            yield Use(one, f"agrees with {other} within {each.within:g}", each.line)
