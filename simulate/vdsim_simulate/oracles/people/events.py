"""The event log: whole, one record for each transition, and never behind what is sent."""

from __future__ import annotations

import json
from collections.abc import Iterator

from vdsim_interface.extras.events.chain import check
from vdsim_interface.extras.events.occurrences import (
    BEGIN,
    CONTROL,
    EMERGENCY,
    MANOEUVRE,
    OF_THE_MODE,
    START,
)

from vdsim_simulate.oracles.table import Violation, oracle
from vdsim_simulate.record import Explained, Record


class Told:
    """What somebody knows who has read the log up to a line."""

    def __init__(self) -> None:
        self.transitions_n = 0
        self.mode = ""
        self.emergencies: set[str] = set()
        self.stops: set[str] = set()

    def read(self, line: str) -> None:
        """Read the next line."""
        record = json.loads(line)
        kind, cause = record["kind"], record["cause"]
        self.transitions_n += kind in OF_THE_MODE
        self.mode = record["mode"]
        if kind == START:
            self.emergencies, self.stops = set(), set()
        for lasting, standing in ((EMERGENCY, self.emergencies), (MANOEUVRE, self.stops)):
            if kind == lasting and record["phase"] == BEGIN:
                standing.add(cause)
            elif kind == lasting:
                standing.discard(cause)


def _at_each_packet(record: Record) -> Iterator[tuple[Explained, Told]]:
    """Each packet, and what the log told until it left."""
    told, read_n = Told(), 0
    for packet in record.explained:
        for line in record.events[read_n : packet.lines_n]:
            told.read(line)
        read_n = packet.lines_n
        yield packet, told


@oracle
def each_transition_is_one_record(record: Record) -> Iterator[Violation]:
    """The event log has one record for each transition of the mode, when a packet leaves."""
    for packet, told in _at_each_packet(record):
        if told.transitions_n != packet.transitions_n:
            text = f"{packet.transitions_n} transitions of the mode, {told.transitions_n} records"
            yield Violation(packet.time_s, text)


@oracle
def no_packet_is_ahead_of_the_event_log(record: Record) -> Iterator[Violation]:
    """Mode, stops and emergency stop of a packet are in the event log before it leaves."""
    for packet, told in _at_each_packet(record):
        logged = told.mode, bool(told.emergencies)
        if logged != (packet.mode, packet.is_emergency):
            text = f"mode {packet.mode}, emergency stop {packet.is_emergency}; the log has {logged}"
            yield Violation(packet.time_s, text)
        elif not packet.is_emergency and told.stops != packet.stops:
            sent, known = (", ".join(sorted(each)) or "none" for each in (packet.stops, told.stops))
            yield Violation(packet.time_s, f"stops that stand: {sent}; the log has {known}")


@oracle
def the_event_log_is_one_chain(record: Record) -> Iterator[Violation]:
    """The event log and its part about who commands are a chain each, over ends of processes."""
    for line, text in (*check(record.events).problems, *check(record.control).problems):
        yield Violation(record.scene.ends_s, f"line {line} {text}")


@oracle
def who_commands_is_in_the_event_log(record: Record) -> Iterator[Violation]:
    """Before a command is given on, the event log names its source; each change is one record."""
    for lines in (record.events, record.control):
        yield from _repeated(record, lines)
    told, read_n = {True: "", False: ""}, {True: 0, False: 0}
    for command in record.commanded:
        apart, lines = command.is_apart, record.control if command.is_apart else record.events
        for line in lines[read_n[apart] : command.lines_n]:
            each = json.loads(line)
            told[apart] = each["cause"] if each["kind"] == CONTROL else told[apart]
        read_n[apart] = command.lines_n
        if told[apart] != command.who:
            text = f"{command.who} commands; the log has {told[apart] or 'nobody'}"
            yield Violation(command.time_s, text)


def _repeated(record: Record, lines: list[str]) -> Iterator[Violation]:
    """A change that has two records."""
    before = ""
    for number, line in enumerate(lines, start=1):
        each = json.loads(line)
        if each["kind"] == START:
            before = ""
        elif each["kind"] == CONTROL:
            if each["cause"] == before:
                yield Violation(record.scene.ends_s, f"line {number} tells {before} again")
            before = each["cause"]
