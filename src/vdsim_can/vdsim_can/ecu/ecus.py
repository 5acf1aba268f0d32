"""The ECUs of a car: what they send of its motion, what they take of commands, what breaks.

Pure: frames, the car's true motion and the time come in; frames and the command in effect go out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import cycle

from vdsim_can.car import CarFile, MessageRow, SignalName
from vdsim_can.ecu.enabling import Enabling
from vdsim_can.ecu.orders import Kind, Order, check, unfit
from vdsim_can.fields.decoding import FieldDecoder
from vdsim_can.fields.encoding import FieldEncoder, Value
from vdsim_can.frame import Frame
from vdsim_can.traffic.receiver import Receiver
from vdsim_can.traffic.reception import Fate
from vdsim_can.traffic.transmitter import Sending, Transmitter

WATCHDOG_CYCLES, WATCHDOG_MS = 5.0, 100.0
"""After so many cycles, and at least so long, without a good frame a command counts as gone."""
RESET_S = 0.3
"""So long is an ECU silent that starts again [s]."""
Frames = list[tuple[str, Frame]]


class Ecus:
    """All ECUs of one car. `driver`: physical values of the controls that a person uses."""

    def __init__(self, car: CarFile, period_s: float, orders: tuple[Order, ...] = ()) -> None:
        self.car = car
        self._orders: list[Order] = []
        self._held_s, self._held_orders = math.nan, list[Order]()
        for order in orders:
            self.order(order)
        watched = {name: _watched(row) for name, row in car.send.items()}
        self.receiver = Receiver(car, watched, car.receive)
        self._transmitter = Transmitter(car, car.receive, period_s)
        self._stranger = Transmitter(car, car.send, period_s)
        self._enabling = Enabling(car)
        self._decoders = [FieldDecoder(car, row) for row in car.commands]
        self._encoders: dict[str, list[FieldEncoder]] = {name: [] for name in car.receive}
        for row in car.reports:
            self._encoders[row.signal.message].append(FieldEncoder(car, row))
        self._pages = {name: found for name in car.receive if (found := _pages(car, name))}
        self._reset_done: set[Order] = set()
        self.driver: dict[SignalName, float] = {}

    def order(self, order: Order) -> None:
        """Let something break; OrderError where the car has nothing that it is about."""
        check(order, self.car)
        self._orders.append(order)
        self._held_s = math.nan

    # ---- commands --------------------------------------------------------------------------------

    def receive(self, bus: str, frame: Frame, now: float) -> Fate:
        """Use a frame of the bus."""
        if self._holds(Kind.BUS_OFF, bus, now):
            return Fate.OTHER
        return self.receiver.receive(bus, frame, now).fate

    def is_commanded(self, now: float) -> bool:
        """Whether somebody drives through the bus."""
        return self._enabling.is_enabled and not self.receiver.stale(now)

    def command(self, now: float) -> Mapping[str, Value] | None:
        """Return the command in effect, by field; None: nobody drives through the bus."""
        if not self.is_commanded(now):
            return None
        values: dict[str, Value] = {}
        for decoder in self._decoders:
            value = decoder.value(self.receiver.raw(decoder.row.signal, now))
            if value is not None:
                values[decoder.row.field] = value
        return values

    # ---- reports ---------------------------------------------------------------------------------

    def step(self, truth: Mapping[str, Value], now: float, *, every: bool = False) -> Frames:
        """Return the frames of this period; `every`: of all messages, due or not."""
        stale = bool(self.receiver.stale(now))
        broken = self._is_ordered(Kind.FAULT, now) or self._person_acts(now)
        self._enabling.update(
            lambda name: self.receiver.raw(name, now), now, may=not stale and not broken
        )
        self._restart_ecus(now)
        messages = self._transmitter.messages.values()
        sendings = list(messages) if every else self._transmitter.due(now)
        raws = self._raws([sending.wire.name for sending in sendings], truth, now)
        frames: Frames = []
        for sending in sendings:
            frame = self._sent(sending, raws[sending.wire.name], now)
            if frame is not None:
                frames.append((sending.wire.row.bus, frame))
        return frames + self._strange(now)

    def _sent(self, sending: Sending, raws: Mapping[str, float], now: float) -> Frame | None:
        name, bus = sending.wire.name, sending.wire.row.bus
        frame = sending.frame(raws)
        if not self._holds(Kind.STUCK, name, now):
            sending.on_sent()
        if self._holds(Kind.CHECKSUM, name, now):
            frame = _with_wrong_checksum(sending, frame)
        silent = self._holds(Kind.LOST, name, now) or self._holds(Kind.BUS_OFF, bus, now)
        return None if silent or self._ecu_is_silent(name, now) else frame

    def _raws(
        self, messages: list[str], truth: Mapping[str, Value], now: float
    ) -> dict[str, dict[str, float]]:
        """Return the raw values of some messages."""
        raws = {name: dict[str, float](self.car.receive[name].fixed) for name in messages}
        for name, allowed in self.car.limits.flags:
            if name.message in raws:
                raws[name.message][name.signal] = allowed[0]
        for message in messages:
            if message in self._pages:
                selector, values = self._pages[message]
                raws[message].setdefault(selector, next(values))
        for message in messages:
            for encoder in self._encoders[message]:
                row = encoder.row
                value = truth.get(row.field)
                raw: float = min(row.unavailable, default=0)
                if value is not None:
                    raw, _ = encoder.raw(value)
                raws[message][row.signal.signal] = raw
        for name, raw in self._enabling.raws().items():
            if name.message in raws:
                raws[name.message][name.signal] = raw
        for override in self.car.overrides:
            if override.signal.message not in raws:
                continue
            pushed = self._holds(Kind.OVERRIDE, str(override.signal), now)
            value = 1.2 * override.threshold if pushed else self.driver.get(override.signal)
            if value is not None:
                signal = self.car.signal(override.signal)
                low, high = signal.raw_range()
                raw = min(max(round((value - signal.offset) / signal.scale), low), high)
                raws[override.signal.message][override.signal.signal] = raw
        for fault in self.car.faults:
            if fault.signal.message in raws and self._holds(Kind.FAULT, str(fault.signal), now):
                raws[fault.signal.message][fault.signal.signal] = min(fault.when)
        for order in self._held(now):
            if order.kind is Kind.UNFIT:
                name, raw = unfit(order, self.car)
                if name.message in raws:
                    raws[name.message][name.signal] = raw
        return raws

    # ---- what breaks -----------------------------------------------------------------------------

    def _holds(self, kind: Kind, what: str, now: float) -> bool:
        held = self._held(now)
        return bool(held) and any(order.kind is kind and order.what == what for order in held)

    def _is_ordered(self, kind: Kind, now: float) -> bool:
        held = self._held(now)
        return bool(held) and any(order.kind is kind for order in held)

    def _held(self, now: float) -> list[Order]:
        """Return the orders that are in effect."""
        if now != self._held_s:
            self._held_s = now
            self._held_orders = [order for order in self._orders if order.holds(now)]
        return self._held_orders

    def _person_acts(self, now: float) -> bool:
        if self._is_ordered(Kind.OVERRIDE, now):
            return True
        return any(
            abs(self.driver.get(row.signal, 0.0)) > row.threshold for row in self.car.overrides
        )

    def _ecu_is_silent(self, name: str, now: float) -> bool:
        """Whether the ECU that sends a message sends nothing: an order for any of its messages."""
        return any(
            (
                (order.kind is Kind.SILENT and order.holds(now))
                or (order.kind is Kind.RESET and order.at_s <= now < order.at_s + RESET_S)
            )
            and self._sender(order.what) == self._sender(name)
            for order in self._orders
            if order.kind in (Kind.SILENT, Kind.RESET)
        )

    def _sender(self, name: str) -> str:
        """The ECU of a message; where the DBC names none, the message is alone."""
        return self.car.message(name).sender or name

    def _restart_ecus(self, now: float) -> None:
        for order in self._orders:
            if order.kind is Kind.RESET and order.at_s <= now and order not in self._reset_done:
                self._reset_done.add(order)
                self._enabling.level = 0
                for name, sending in self._transmitter.messages.items():
                    if self._sender(name) == self._sender(order.what):
                        sending.begin()

    def _strange(self, now: float) -> Frames:
        """Frames of somebody else with an id that the interface sends."""
        wanted = {order.what for order in self._held(now) if order.kind is Kind.FOREIGN}
        if not wanted:
            return []
        return self._stranger.send(now, lambda name: {} if name in wanted else None)


def _pages(car: CarFile, message: str) -> tuple[str, Iterator[int]] | None:
    """Return the selector of a multiplexed message, and its values, one a frame, for ever."""
    signals = [signal for signal in car.message(message).signals if signal.selector]
    if len({signal.selector for signal in signals}) != 1:
        return None
    values = sorted({low for signal in signals for low, _ in signal.selected_by})
    return signals[0].selector, cycle(values)


def _watched(row: MessageRow) -> MessageRow:
    """The row with the time after which the car takes the command for gone."""
    watchdog_ms = max(WATCHDOG_CYCLES * row.cycle_ms, WATCHDOG_MS)
    return replace(row, stale_ms=row.stale_ms or watchdog_ms)


def _with_wrong_checksum(sending: Sending, frame: Frame) -> Frame:
    """Flip one bit that the checksum protects, or of the checksum itself."""
    data = bytearray(frame.data)
    for place in range(8 * len(data)):
        data[place // 8] ^= 1 << place % 8
        if not sending.wire.checksum_fits(bytes(data)):
            return frame._replace(data=bytes(data))
        data[place // 8] ^= 1 << place % 8
    return frame
