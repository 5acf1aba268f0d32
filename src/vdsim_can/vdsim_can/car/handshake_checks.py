"""Has a handshake a dead end? Every reachable state is explored, whatever the car reports.

A state of the exploration is a row of the table. The car may report any value that its signals can
carry, other than those that a fault or `unavailable` takes; time may pass. From every row there
must be a way to the row that drives, and a way back to the first one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vdsim_can.car.car_file import CarFile
from vdsim_can.car.handshake import Condition, HandshakeStep
from vdsim_can.car.problems import Problem
from vdsim_can.car.rows import SignalName
from vdsim_can.dbc.network import Signal

_MOST_RAW_BITS = 16


def handshake_problems(car: CarFile) -> Iterator[Problem]:
    """Return every problem of the table."""
    table = car.handshake
    if not table:
        return
    yield from _form(table)
    yield from _times(car)
    yield from _settings(table)
    for step in table:
        for name in sorted({condition.signal for condition in step.wait_for}):
            conditions = [c for c in step.wait_for if c.signal == name]
            if not _can_hold(car, name, conditions):
                wanted = " and ".join(map(str, conditions))
                yield Problem(
                    step.line,
                    f"handshake {step.state}: dead end: no value of {name} that is neither a fault "
                    f"nor unavailable satisfies {wanted}",
                )
    yield from _ways(car)


def _form(table: tuple[HandshakeStep, ...]) -> Iterator[Problem]:
    if len(table) < 2:
        yield Problem(table[0].line, "handshake: needs a first row, and a last one that drives")
    seen: set[str] = set()
    for index, step in enumerate(table):
        where = f"handshake {step.state}"
        is_last = index == len(table) - 1
        if step.state in seen:
            yield Problem(step.line, f"{where}: there are two states of this name")
        seen.add(step.state)
        if step.drives != is_last:
            rule = "the last row, and no other, has drives: true"
            yield Problem(step.line, f"{where}: {rule}")
        if index and not is_last and not step.within_ms:
            yield Problem(
                step.line, f"{where}: dead end: within_ms is missing, it may wait for ever"
            )
        if (index or step.wait_for) and not step.otherwise:
            yield Problem(step.line, f"{where}: else is missing: the reason that people read")
        if index and not step.wait_for:
            yield Problem(step.line, f"{where}: wait_for is missing: what the car answers")


def _times(car: CarFile) -> Iterator[Problem]:
    for step in car.handshake[1:]:
        cycles = [car.receive[c.signal.message].cycle_ms for c in step.wait_for]
        longest = max(cycles, default=0.0)
        if 0.0 < step.within_ms <= longest:
            yield Problem(
                step.line,
                f"handshake {step.state}: within_ms={step.within_ms:g}: must be > the cycle of "
                f"{longest:g} ms of what it waits for",
            )


def _settings(table: tuple[HandshakeStep, ...]) -> Iterator[Problem]:
    """Where a row does not name a signal, it has the value of the first row."""
    first = {setting.signal for setting in table[0].send}
    for step in table[1:]:
        for setting in step.send:
            if setting.signal not in first:
                yield Problem(
                    step.line,
                    f"handshake {step.state}: {setting.signal} has no value in the first row, "
                    "to which every way back leads",
                )


def _can_hold(car: CarFile, name: SignalName, conditions: list[Condition]) -> bool:
    signal = car.signal(name)
    refused = _refused(car, name)
    if signal.is_float:
        return True
    if signal.length <= _MOST_RAW_BITS:
        low, high = signal.raw_range()
        values: Iterator[int] = iter(range(low, high + 1))
    else:
        values = iter(_near(signal, conditions))
    return any(
        raw not in refused and all(c.holds(signal.physical(raw)) for c in conditions)
        for raw in values
    )


def _refused(car: CarFile, name: SignalName) -> set[int]:
    refused: set[int] = set()
    for fault in car.faults:
        if fault.signal == name:
            refused |= fault.when
    for report in car.reports:
        if report.signal == name:
            refused |= report.unavailable
    return refused


def _near(signal: Signal, conditions: list[Condition]) -> set[int]:
    """The raw values at which a condition can change its mind, and the ends of the range."""
    low, high = signal.raw_range()
    found = {low, high}
    for condition in conditions:
        raw = round((condition.value - signal.offset) / signal.scale)
        found |= {value for value in range(raw - 2, raw + 3) if low <= value <= high}
    return found


def _ways(car: CarFile) -> Iterator[Problem]:
    """Explore: is each row reached, and is there a way from it to the last row and to the first?"""
    table = car.handshake
    edges = successors(car)
    reached = _closure(edges, 0)
    for index, step in enumerate(table):
        if index not in reached:
            yield Problem(step.line, f"handshake {step.state}: no way leads to this state")
            continue
        after = _closure(edges, index)
        if len(table) - 1 not in after:
            yield Problem(
                step.line, f"handshake {step.state}: dead end: no way leads on to driving"
            )
        if 0 not in after:
            yield Problem(step.line, f"handshake {step.state}: dead end: no way leads back")


def successors(car: CarFile) -> Mapping[int, frozenset[int]]:
    """Return which rows can follow each row."""
    table = car.handshake
    last = len(table) - 1
    edges = {}
    for index, step in enumerate(table):
        names = {condition.signal for condition in step.wait_for}
        passes = all(
            _can_hold(car, name, [c for c in step.wait_for if c.signal == name]) for name in names
        )
        after = {min(index + 1, last)} if passes else {index}
        if index in (0, last) or step.within_ms:
            after.add(0)
        edges[index] = frozenset(after)
    return edges


def _closure(edges: Mapping[int, frozenset[int]], start: int) -> set[int]:
    found, waiting = {start}, [start]
    while waiting:
        for index in edges[waiting.pop()]:
            if index not in found:
                found.add(index)
                waiting.append(index)
    return found
