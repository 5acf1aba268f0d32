"""A car file and its networks -> CarFile; whatever is wrong is one sentence with file and line."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from vdsim_protocol.checked_file import FileError

from vdsim_can.car.car_file import Bus, CarFile
from vdsim_can.car.checks import problems_of
from vdsim_can.car.checksum_rows import checksum_rule_of, counter_of, signal_in
from vdsim_can.car.field_rows import command_row, fault_row, limits_of, override_row, report_row
from vdsim_can.car.fields import COMMAND_FIELDS, REPORT_FIELDS, Field
from vdsim_can.car.handshake import Comparison, Condition, HandshakeStep, Setting
from vdsim_can.car.rows import FieldRow, MessageRow, SignalName
from vdsim_can.car.section import Row, word_of
from vdsim_can.car.yaml_lines import read_yaml_lines
from vdsim_can.dbc.network import Message, Signal
from vdsim_can.dbc.reading import read_dbc

_CONDITION = re.compile(
    r"(==|!=|<=|>=|<|>)?\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,2})?)"
)
_EXTRA = "extra."


def load_car(path: Path) -> CarFile:
    """Read a car file, and refuse it with its first problem."""
    car = read_car(path)
    problems = problems_of(car)
    if problems:
        first, *others = problems
        more = f" (and {len(others)} more: vdsim_can check)" if others else ""
        raise FileError(car.source, f"line {first.line}", f"{first.text}{more}")
    return car


def read_car(path: Path) -> CarFile:
    """Read a car file whose rows fit its networks; `problems_of` says what else is wrong."""
    value, lines = read_yaml_lines(path)
    top = Row(str(path), lines, (), value)
    return _Reader(top, path.parent).car()


class _Reader:
    """Reads the sections in the order in which they depend on each other."""

    def __init__(self, top: Row, folder: Path) -> None:
        self._top, self._folder = top, folder
        self._buses = self._read_buses()
        self._counters = {row.name: row.group_of_all() for row in top.rows("counters")}
        self._checksums = {row.name: row.group_of_all() for row in top.rows("checksums")}
        self._send = self._messages("send", is_sent=True)
        self._receive = self._messages("receive", is_sent=False)
        for name in self._send.keys() & self._receive.keys():
            top.refuse(f"{name} stands under send and under receive")

    def car(self) -> CarFile:
        """Return the whole car."""
        top = self._top
        commands = self._fields("commands", COMMAND_FIELDS, is_command=True)
        names = {row.field for row in commands}
        limits = top.sub("limits")
        car = CarFile(
            name=top.text("car"),
            source=top.source,
            buses=MappingProxyType(self._buses),
            send=MappingProxyType(self._send),
            receive=MappingProxyType(self._receive),
            commands=commands,
            reports=self._fields("reports", REPORT_FIELDS, is_command=False),
            handshake=tuple(self._step(row) for row in top.listed("handshake")),
            overrides=tuple(override_row(row, self._received) for row in top.listed("overrides")),
            faults=tuple(fault_row(row, self._received) for row in top.listed("faults")),
            limits=limits_of(limits, self._received, self._steer_cycle_ms(commands)),
            steers_by_torque="steering_torque_nm" in names and "front_wheel_angle_rad" not in names,
            rows=top.rows_n(),
        )
        top.finish()
        return car

    def _steer_cycle_ms(self, commands: tuple[FieldRow, ...]) -> float:
        """Return the cycle of the message that carries the angle of the wheels; inf without one."""
        messages = [row.signal.message for row in commands if row.field == "front_wheel_angle_rad"]
        return min((self._send[name].cycle_ms for name in messages), default=math.inf)

    def _read_buses(self) -> dict[str, Bus]:
        buses = {}
        for row in self._top.rows("buses"):
            file = self._folder / row.text("dbc")
            buses[row.name] = Bus(
                name=row.name,
                network=read_dbc(file).network,
                fd=row.flag("fd"),
                line=row.line,
            )
            row.finish()
        if not buses:
            self._top.refuse("buses is missing: a row as main: {dbc: car.dbc}")
        return buses

    # ---- messages --------------------------------------------------------------------------------

    def _messages(self, key: str, *, is_sent: bool) -> dict[str, MessageRow]:
        return {row.name: self._message(row, is_sent=is_sent) for row in self._top.rows(key)}

    def _message(self, row: Row, *, is_sent: bool) -> MessageRow:
        bus = row.text("bus", next(iter(self._buses)))
        if bus not in self._buses:
            row.refuse(f"bus={bus}: must be one of {', '.join(self._buses)}")
        message = self._buses[bus].network.messages.get(row.name)
        if message is None:
            row.refuse(f"{self._buses[bus].network.source} has no message {row.name}")
        cycle_ms = row.number("cycle_ms", message.cycle_ms, low=0.1)
        counter = counter_of(row, message, self._counters)
        checksum = checksum_rule_of(row, message, self._checksums, counter)
        silent = row.get("when_silent")
        found = MessageRow(
            message=row.name,
            bus=bus,
            cycle_ms=cycle_ms,
            phase_ms=row.number("phase_ms", 0.0, low=0.0) if is_sent else 0.0,
            jitter_ms=row.number("jitter_ms", cycle_ms / 2.0, low=0.0),
            stale_ms=0.0 if is_sent else row.number("stale_ms", 5.0 * cycle_ms, low=0.1),
            max_rejects=0 if is_sent else row.integer("max_rejects", 0, low=0, high=100),
            counter=counter,
            checksum=checksum,
            fixed=self._raw_values(row, "fixed", message) if is_sent else (),
            when_silent=None
            if not is_sent or silent in (None, "stop")
            else self._raw_values(row, "when_silent", message),
            line=row.line,
        )
        row.finish()
        return found

    def _raw_values(self, row: Row, key: str, message: Message) -> tuple[tuple[str, int], ...]:
        return tuple(
            (name, _raw(row, signal_in(row, message, name), raw))
            for name, raw in row.group(key).items()
        )

    def _sent(self, row: Row, name: str) -> tuple[SignalName, Signal]:
        return self._signal(row, name, self._send, "send")

    def _received(self, row: Row, name: str) -> tuple[SignalName, Signal]:
        return self._signal(row, name, self._receive, "receive")

    def _signal(
        self, row: Row, name: str, messages: Mapping[str, MessageRow], section: str
    ) -> tuple[SignalName, Signal]:
        message_name, _, signal_name = name.partition(".")
        if not signal_name:
            row.refuse(f"signal={name}: must be MESSAGE.SIGNAL")
        if message_name not in messages:
            row.refuse(f"{name}: {message_name} is no message under {section}")
        network = self._buses[messages[message_name].bus].network
        signal = signal_in(row, network.messages[message_name], signal_name)
        return SignalName(message_name, signal_name), signal

    # ---- fields and handshake --------------------------------------------------------------------

    def _fields(
        self, key: str, table: Mapping[str, Field], *, is_command: bool
    ) -> tuple[FieldRow, ...]:
        rows = []
        for name, row in self._top.row_lists(key):
            field = table.get(name)
            if field is None and name.startswith(_EXTRA) and not is_command:
                field = Field(name, "", "a value of this car")
            if field is None:
                row.refuse(f"{name} is no field of {key}; there are: {', '.join(table)}")
            find = self._sent if is_command else self._received
            rows.append((command_row if is_command else report_row)(name, field, row, find))
        return tuple(rows)

    def _step(self, row: Row) -> HandshakeStep:
        step = HandshakeStep(
            state=row.text("state"),
            send=tuple(self._setting(row, *item) for item in row.group("send").items()),
            wait_for=tuple(self._condition(row, *item) for item in row.group("wait_for").items()),
            within_ms=row.number("within_ms", 0.0, low=0.0),
            otherwise=row.text("else", ""),
            drives=row.flag("drives"),
            line=row.line,
        )
        row.finish()
        return step

    def _setting(self, row: Row, name: str, raw: Any) -> Setting:
        signal_name, signal = self._sent(row, name)
        return Setting(signal_name, _raw(row, signal, raw))

    def _condition(self, row: Row, name: str, value: Any) -> Condition:
        signal_name, _ = self._received(row, name)
        text = str(int(value) if isinstance(value, bool) else value)
        match = _CONDITION.fullmatch(text)
        if match is None:
            row.refuse(f"{name}: {text!r}: must be a number, or as '>= 2'")
        return Condition(signal_name, Comparison(match[1] or "=="), float(match[2]))


def _raw(row: Row, signal: Signal, raw: Any) -> int:
    low, high = signal.raw_range()
    return row.whole(word_of(signal.name), raw, low=low, high=high)
