"""A car under faults, and beside it a foreign judge that sees every frame of its bus.

Before the interface sends a frame, frames that break a rule are offered to its limiter and to the
judge in its place. They leave no trace in either.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from vdsim_can.car import CarFile, SignalName
from vdsim_can.ecu.driven_car import DrivenCar
from vdsim_can.ecu.orders import Kind as Fault
from vdsim_can.ecu.orders import Order
from vdsim_can.fields.encoding import EncodedFields, Value
from vdsim_can.frame import Frame
from vdsim_can.platform.limiter import Limiter, Situation
from vdsim_can.traffic.transmitter import Transmitter
from vdsim_can.traffic.wire_message import WireMessage
from vdsim_interface.values import Mode

from vdsim_can_kit.opendbc_safety import STOCK, Hook, Kind
from vdsim_can_kit.world import PERIOD_S, World

TORQUE = "steering_torque_nm"
HAND_RAD = 0.01
"""So far a hand turns the wheel in a period [rad]."""
STALL_CHANCE = 0.001
"""Of a period in which the process of the interface comes to a standstill."""
MANY = 15
"""So many values of a flag, above its least one, are used at most."""
Judge = Callable[[Limiter, str, Frame, Situation, int], int]
"""How often a frame passes before it is refused; the limiter must not keep what it is asked."""


class Offer(NamedTuple):
    """A frame that was offered: its number in the judge's batch, and how often it passes with us.

    `broken`: the same for each limiter with a mistake.
    """

    number: int
    text: str
    repeat: int
    passed: int
    broken: Mapping[str, int]


def clone(limiter: Limiter) -> Limiter:
    """Return a limiter in the same state, which changes nothing in the first one."""
    other = copy.copy(limiter)
    other._torques = copy.copy(limiter._torques)
    other._steered_s = copy.copy(limiter._steered_s)
    other.refused = Counter()
    return other


class Hand:
    """Turns the steering wheel now and then, while nobody drives through the interface.

    `rad`: by how much, of the front wheels.
    """

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._wanted_rad = self.rad = 0.0

    def step(self, *, is_free: bool) -> None:
        """One period; `is_free`: somebody else drives."""
        if is_free:
            self._wanted_rad = 0.0
        elif self._chance.random() < 0.02:
            turns = self._chance.random() < 0.5
            self._wanted_rad = self._chance.uniform(-0.7, 0.7) if turns else 0.0
        self.rad += min(max(self._wanted_rad - self.rad, -HAND_RAD), HAND_RAD)


class Stalls:
    """The process of the interface stands still now and then, for some periods."""

    def __init__(self, chance: random.Random) -> None:
        self._chance, self._left_n = chance, 0

    def step(self) -> bool:
        """One period; return whether it stands."""
        if self._left_n:
            self._left_n -= 1
        elif self._chance.random() < STALL_CHANCE:
            self._left_n = self._chance.choice((2, 5, 10, 20, 80))
        return bool(self._left_n)


class JudgedWorld(World):
    """`offers_n`: so many frames that break a rule are offered for each one that is sent."""

    def __init__(
        self,
        car: CarFile,
        hook: Hook,
        chance: random.Random,
        *orders: Order,
        offers_n: int = 0,
        breaks: Mapping[str, Judge] | None = None,
    ) -> None:
        self._torque = torque = car.steers_by_torque
        # No car here sends more often than once a period.
        super().__init__(*orders, car=replace(car, steers_by_torque=False), tick_s=PERIOD_S)
        self._hook, self._chance, self._offers_n = hook, chance, offers_n
        self._breaks = {} if breaks is None else breaks
        self._orders = orders
        self._wires = [WireMessage(self.car, row) for row in self.car.send.values()]
        self._hand = Hand(random.Random(repr(orders)))
        self._stalls = Stalls(random.Random(repr(orders)))
        self.driven.truth = self._truth  # type: ignore[method-assign]
        self._last: dict[str, tuple[str, Frame]] = {}
        self._driving: dict[str, Frame] = {}
        self._second = self._asked_s = 0.0
        stock = {name: self.car.send[name] for name in hook.safety.stock}
        self._stock = Transmitter(self.car, stock, PERIOD_S)
        self._limiter = self.platform.limiter
        self._refusal = self._limiter.refusal
        self._limiter.refusal = self._judged  # type: ignore[method-assign]
        if torque:
            self.platform._encoder = TorqueEncoder(self.platform._encoder, chance)  # type: ignore[assignment]
        self.offers: list[Offer] = []
        self.sent_numbers: list[int] = []

    def drive(self, seconds: float) -> None:
        """Drive at random, with a driver who now and then uses the controls."""
        chance = self._chance
        until = self.now + seconds
        while self.now < until:
            self.speed_mps = chance.uniform(0.0, 30.0)
            most = 0.0 if self._torque else min(0.15, 4.0 / (1.0 + self.speed_mps**2))
            self.curvature_1pm = chance.uniform(-most, most)
            self.stack_lives = chance.random() < 0.97
            for row in self.car.overrides:
                share = chance.uniform(-0.9, 0.9)
                if self.car.signal(row.signal).length > 2 and chance.random() < 0.3:
                    self.ecus.driver[row.signal] = share * row.threshold
            self.run(chance.uniform(0.5, 3.0))

    def period(self) -> None:
        """One period, in which a request to engage follows a loss of autonomy after a while."""
        for _, frame in self._stock.send(self.now, lambda name: {}):
            self._hook.add(Kind.RECEIVED, self.now, STOCK, frame)
        self.stands = self._stalls.step()
        if not self._torque:
            self._hand.step(is_free=self.mode is Mode.AUTONOMOUS)
        super().period()
        if self.now - self._second >= 1.0:
            self._second = self.now
            self._hook.add(Kind.SECOND, self.now)
        if self.stands:
            return
        if self.mode is not Mode.AUTONOMOUS and self.now - self._asked_s > 0.7:
            self._asked_s = self.now
            self.engage()
        if not self.sent and self._offers_n and self._chance.random() < 0.2:
            for _ in range(self._offers_n):
                self._offer(self.platform.situation)

    def _truth(self, now: float) -> dict[str, Value]:
        """What the ECUs measure, with a wheel that a person may have turned."""
        truth = DrivenCar.truth(self.driven, now)
        truth["front_wheel_angle_rad"] = float(truth["front_wheel_angle_rad"]) + self._hand.rad
        return truth

    def _arrive(self, bus: str, frame: Frame) -> None:
        self._hook.add(Kind.RECEIVED, self.now, bus, frame)
        if any(wire.key == (bus, frame.can_id, frame.extended) for wire in self._wires):
            # A stranger's frame closes the judge for good. It starts again, and has a second, in
            # which the interface is silent, to see what the car says.
            self._hook.add(Kind.STARTED, self.now)
        super()._arrive(bus, frame)

    def _judged(self, bus: str, frame: Frame, at: Situation) -> str:
        """In place of the limiter's own: the judge sees what is offered, then what is sent."""
        wire = next(w for w in self._wires if w.key == (bus, frame.can_id, frame.extended))
        self._last[wire.name] = (bus, frame)
        if at.drives:
            self._driving[wire.name] = frame
        for _ in range(self._offers_n):
            self._offer(at)
        why = self._refusal(bus, frame, at)
        if not why:
            self.sent_numbers.append(self._hook.add(Kind.SENT, at.now, bus, frame))
        return why

    # ---- frames that break a rule ----------------------------------------------------------------

    def _offer(self, at: Situation) -> None:
        if not self._last:
            return
        chance = self._chance
        wire = chance.choice([w for w in self._wires if w.name in self._last])
        bus, frame = self._last[wire.name]
        if chance.random() < 0.3:
            frame = self._driving.get(wire.name, frame)
        kind = chance.choice(CHANGES)
        bus, frame = kind(self, wire, bus, frame)
        repeat = chance.choice((1, 1, 1, 1, 24))
        number = self._hook.add(Kind.OFFERED, at.now, bus, frame, repeat)
        text = f"{self.now:.3f} s: {wire.name} {kind.__name__} {frame} at {at}"
        passed = passes(clone(self._limiter), bus, frame, at, repeat)
        broken = {
            name: judge(self._limiter, bus, frame, at, repeat)
            for name, judge in self._breaks.items()
        }
        self.offers.append(Offer(number, text, repeat, passed, broken))

    def packed(self, wire: WireMessage, frame: Frame, **raws: float) -> Frame:
        """Return the frame with other raw values, cut to what fits, and its right checksum."""
        values = dict(wire.unpack(frame.data))
        for signal in wire.message.signals:
            if signal.name in raws:
                low, high = signal.raw_range()
                values[signal.name] = min(max(round(raws[signal.name]), low), high)
        counter = wire.row.counter
        return wire.frame(values, int(values[counter.signal]) if counter is not None else 0)

    def fields(self, wire: WireMessage) -> list[str]:
        """Return the signals of a message that carry a field."""
        return [r.signal.signal for r in self.car.commands if r.signal.message == wire.name]


def passes(limiter: Limiter, bus: str, frame: Frame, at: Situation, repeat: int) -> int:
    """Return how often a frame passes before it is refused."""
    for count in range(repeat):
        if Limiter.refusal(limiter, bus, frame, at):
            return count
    return repeat


Change = Callable[[JudgedWorld, WireMessage, str, Frame], tuple[str, Frame]]


def as_it_is(world: JudgedWorld, wire: WireMessage, bus: str, frame: Frame) -> tuple[str, Frame]:
    """A frame of another moment."""
    return bus, frame


def steps(world: JudgedWorld, wire: WireMessage, bus: str, frame: Frame) -> tuple[str, Frame]:
    """A value some steps away."""
    chance = world._chance
    names = world.fields(wire)
    if not names:
        return bus, frame
    name = chance.choice(names)
    step = chance.choice((1, 2, 3, 5, 10, 30, 100, 1000)) * chance.choice((-1, 1))
    raw = wire.unpack(frame.data)[name]
    return bus, world.packed(wire, frame, **{name: raw + step})


def any_value(world: JudgedWorld, wire: WireMessage, bus: str, frame: Frame) -> tuple[str, Frame]:
    """Any value of its fields."""
    chance = world._chance
    raws = {}
    for name in world.fields(wire):
        signal = world.car.signal(SignalName(wire.name, name))
        raws[name] = chance.randint(*signal.raw_range())
    return bus, world.packed(wire, frame, **raws)


def same_value(world: JudgedWorld, wire: WireMessage, bus: str, frame: Frame) -> tuple[str, Frame]:
    """One value in the fields of an acceleration."""
    rows = [r for r in world.car.commands if r.field == "long_accel_mps2"]
    accel = world._chance.uniform(-4.5, 3.0)
    raws = {}
    for row in rows:
        signal = world.car.signal(row.signal)
        if row.signal.message == wire.name:
            raws[row.signal.signal] = (accel - signal.offset) / signal.scale
    return bus, world.packed(wire, frame, **raws)


def one_signal(world: JudgedWorld, wire: WireMessage, bus: str, frame: Frame) -> tuple[str, Frame]:
    """Any value of one signal, whatever it is for."""
    signal = world._chance.choice(wire.message.signals)
    low, high = signal.raw_range()
    raw = world._chance.randint(low, min(high, low + (1 << 20)))
    return bus, world.packed(wire, frame, **{signal.name: raw})


def one_bit(world: JudgedWorld, wire: WireMessage, bus: str, frame: Frame) -> tuple[str, Frame]:
    """Another bit."""
    data = bytearray(frame.data)
    bit = world._chance.randrange(8 * len(data))
    data[bit // 8] ^= 1 << bit % 8
    return bus, frame._replace(data=bytes(data))


def any_bytes(world: JudgedWorld, wire: WireMessage, bus: str, frame: Frame) -> tuple[str, Frame]:
    """Anything."""
    return bus, frame._replace(data=world._chance.randbytes(len(frame.data)))


def other_id(world: JudgedWorld, wire: WireMessage, bus: str, frame: Frame) -> tuple[str, Frame]:
    """Another id, or the same one extended, or on another bus."""
    chance = world._chance
    near = frame.can_id + chance.choice((-1, 1))
    known = chance.choice([w.message.can_id for w in world._wires])
    can_id = chance.choice((near, known, chance.randrange(1 << 11), 0x750, 0x7D0, 0x730, 0x283))
    return chance.choice((bus, bus, "none")), frame._replace(can_id=can_id % (1 << 11))


def other_length(
    world: JudgedWorld, wire: WireMessage, bus: str, frame: Frame
) -> tuple[str, Frame]:
    """More or fewer bytes."""
    length = world._chance.choice((0, 1, 3, 4, 5, 7, 8, 12, 16, 24, 32))
    return bus, frame._replace(data=frame.data.ljust(length, b"\0")[:length])


CHANGES: tuple[Change, ...] = (
    as_it_is, steps, steps, steps, any_value, same_value, one_signal, one_signal, one_bit,
    any_bytes, other_id, other_length,
)  # fmt: skip


class TorqueEncoder:
    """Encodes a torque that nobody's loop asks for: a walk by the steps that the file allows."""

    def __init__(self, encoder: object, chance: random.Random) -> None:
        self._encoder, self._chance = encoder, chance
        self._torque, self._target = 0.0, 0.0

    def raws(
        self, values: Mapping[str, Value], measured: Mapping[str, Value], messages: Iterable[str]
    ) -> EncodedFields:
        """Return the raw values of some messages."""
        if "front_wheel_angle_rad" not in values:
            self._torque = 0.0
        else:
            if self._chance.random() < 0.01:
                self._target = self._chance.uniform(-250.0, 250.0)
            self._torque += min(max(self._target - self._torque, -1.0), 1.0)
        found: EncodedFields = self._encoder.raws(  # type: ignore[attr-defined]
            {**values, TORQUE: self._torque}, measured, messages
        )
        return found


def unfit_of(car: CarFile) -> Iterator[str]:
    """Return each value with which a car may not be driven, and each of the handshake's signals.

    Of those with many values the first ones.
    """
    waited = [each.signal for step in car.handshake for each in step.wait_for]
    flags = {**dict.fromkeys(waited, ()), **dict(car.limits.flags)}
    for name, allowed in flags.items():
        low, high = car.signal(name).raw_range()
        for raw in range(low, min(high, low + MANY) + 1):
            if raw not in allowed:
                yield f"{name}={raw}"


def orders_of(car: CarFile, chance: random.Random, seconds: float, count: int) -> Iterator[Order]:
    """Return faults at random times, of every kind that the car file knows."""
    names = {
        Fault.LOST: list(car.receive),
        Fault.SILENT: list(car.receive),
        Fault.RESET: list(car.receive),
        Fault.STUCK: [name for name, row in car.receive.items() if row.counter is not None],
        Fault.CHECKSUM: [name for name, row in car.receive.items() if row.checksum is not None],
        Fault.BUS_OFF: list(car.buses),
        Fault.FOREIGN: list(car.send),
        Fault.FAULT: [str(row.signal) for row in car.faults],
        Fault.UNFIT: list(unfit_of(car)),
        Fault.OVERRIDE: [str(row.signal) for row in car.overrides],
    }
    kinds = [kind for kind, some in names.items() if some]
    for _ in range(count):
        kind = chance.choice(kinds)
        yield Order(
            kind,
            chance.choice(names[kind]),
            chance.uniform(3.0, seconds),
            chance.choice((0.011, 0.03, 0.1, 0.3, 1.0)),
        )
