"""The function that takes a message's usual frame notes what the receiver would, bit for bit."""

import itertools
import random
from pathlib import Path

import pytest
import vdsim_can_kit
from vdsim_can.car import CarFile
from vdsim_can.car.reading import load_car
from vdsim_can.data import EXAMPLES, car_path
from vdsim_can.dbc.codec import codec_of
from vdsim_can.ecu.orders import Kind, Order
from vdsim_can.frame import Frame, packed, unpacked
from vdsim_can.integrity import count_after
from vdsim_can.platform.limiter import Judged
from vdsim_can.traffic.receiver import Receiver
from vdsim_can.traffic.reception import Reception
from vdsim_can.traffic.wire_message import WireMessage
from vdsim_can_kit.world import World

KIT = Path(vdsim_can_kit.__file__).parent
CARS = {
    **{name: car_path(name) for name in EXAMPLES},
    "paged_car": KIT / "paged_car.yaml",
    "van": KIT / "van.yaml",
}
FRAMES_N = 400


@pytest.fixture(params=CARS, scope="module")
def car(request: pytest.FixtureRequest) -> CarFile:
    return load_car(CARS[request.param])


def random_raws(draws: random.Random, wire: WireMessage) -> dict[str, float]:
    return {
        signal.name: draws.uniform(-9.0, 9.0) if signal.is_float
        else draws.randint(*signal.raw_range())
        for signal in wire.message.signals
    }  # fmt: skip


def damaged(draws: random.Random, data: bytes) -> bytes:
    """A frame with a bit turned, of another length, cut, or of another kind."""
    kind = draws.randrange(4)
    if kind == 0:
        bit = draws.randrange(8 * len(data))
        return bytes(byte ^ (bit // 8 == n) << bit % 8 for n, byte in enumerate(data))
    if kind == 1:
        return data[:4] + bytes([draws.randrange(9)]) + data[5:]
    if kind == 2:
        return data[: draws.randrange(len(data))]
    return data[:3] + bytes([data[3] ^ 1 << draws.choice((5, 6, 7))]) + data[4:]


def traffic(seed: int, car: CarFile) -> list[tuple[str, bytes, float]]:
    """Frames of the car's messages: most as they must be, the others with what goes wrong."""
    draws = random.Random(seed)
    wires = [WireMessage(car, row) for row in car.receive.values()]
    counts = {wire.name: 0 for wire in wires}
    now, sent = 1.0, []
    for _ in range(FRAMES_N):
        now += draws.choice((0.0, 0.002, 0.01, 0.01, 0.01))
        if draws.random() < 0.01:
            now += draws.choice((1.0, -0.5))
        wire = draws.choice(wires)
        rule = wire.row.counter
        for _ in range(draws.choice((0, 1, 1, 1, 1, 1, 1, 2, 6)) if rule is not None else 0):
            counts[wire.name] = count_after(rule, counts[wire.name])
        data = packed(wire.frame(random_raws(draws, wire), counts[wire.name]))
        sent.append((wire.row.bus, damaged(draws, data) if draws.random() < 0.1 else data, now))
    return sent


def noted(reception: Reception) -> object:
    seen = reception.arrivals
    return (
        dict(reception.raws), reception.accepted_s, reception.count, reception.lost_n,
        reception.accepted_n, dict(reception.fates), reception.why, reception.candidate is None,
        seen.total_n, seen.outside_n, seen.rate_hz, seen.worst_s, seen.jitter_s,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_a_frame_is_taken_as_the_receiver_would(car: CarFile, seed: int) -> None:
    quick, plain = (Receiver(car, car.receive, car.send) for _ in range(2))
    taken_n = 0
    before = 0.0
    for bus, data, now in traffic(seed, car):
        if now < before:
            quick.restart()
            plain.restart()
        before = now
        taken = quick.take(bus, data, now)
        taken_n += taken is not None
        frame = unpacked(data)
        if isinstance(frame, Frame) and not frame.error:
            outcome = plain.receive(bus, frame, now)
            found = quick.receive(bus, frame, now) if taken is None else taken.accepted
            assert found == outcome
        else:
            assert taken is None
        for name, reception in plain.messages.items():
            assert noted(quick.messages[name]) == noted(reception)
            assert quick.messages[name].is_fresh(now) == reception.is_fresh(now)
    assert taken_n > FRAMES_N // 8, "most of the usual frames are taken"


def orders_of(car: CarFile, seed: int) -> list[Order]:
    """What goes wrong in a drive, one after the other."""
    draws = random.Random(seed)
    kinds = {
        Kind.LOST: list(car.receive), Kind.RESET: list(car.receive),
        Kind.STUCK: [name for name, row in car.receive.items() if row.counter],
        Kind.CHECKSUM: [name for name, row in car.receive.items() if row.checksum],
        Kind.BUS_OFF: list(car.buses), Kind.FOREIGN: list(car.send),
        Kind.OVERRIDE: [str(row.signal) for row in car.overrides],
        Kind.FAULT: [str(row.signal) for row in car.faults],
    }  # fmt: skip
    choices = [(kind, what) for kind, of in kinds.items() for what in of]
    return [
        Order(*draws.choice(choices), 1.0 + 0.7 * n, draws.choice((0.05, 0.2, 0.5)))
        for n in range(5)
    ]


@pytest.mark.parametrize("seed", range(2))
def test_a_drive_with_faults_has_the_same_bits(car: CarFile, seed: int) -> None:
    worlds = [World(*orders_of(car, seed), car=car) for _ in range(2)]
    worlds[1].platform._receiver.straight.clear()
    sent_n = 0
    for period_n in range(480):
        for world in worlds:
            world.curvature_1pm = 0.03 * (period_n // 100 % 2)
            world.period()
            if period_n % 60 == 59:
                world.engage()
        quick, plain = worlds
        assert quick.sent == plain.sent
        sent_n += len(quick.sent)
        # nan is not equal to itself, its text is
        assert repr(quick.pipeline.vehicle) == repr(plain.pipeline.vehicle)
    assert quick.notices == plain.notices
    assert sent_n > 100, "it drove for a while"


def test_the_limiter_reads_the_values_of_the_whole_frame(car: CarFile) -> None:
    draws = random.Random(1)
    wires = [WireMessage(car, row) for row in car.send.values()]
    for wire, _ in itertools.product(wires, range(50)):
        judged = Judged(car, wire)
        data = draws.randbytes(wire.message.length)
        whole = codec_of(wire.message).unpack(data)
        assert whole is not None
        read = judged.raws(data)
        names = {row.signal.signal for row, _, _ in judged.rows}
        assert repr({name: read.get(name) for name in names}) == repr(
            {name: whole.get(name) for name in names}
        )
