"""What a receiver accepts: length, checksum, counter; and what a stranger cannot do to it."""

import math

import pytest
from vdsim_can.car import SignalName
from vdsim_can.frame import Frame
from vdsim_can.traffic.receiver import Receiver
from vdsim_can.traffic.reception import Fate
from vdsim_can.traffic.transmitter import Sending
from vdsim_can.traffic.wire_message import WireMessage
from vdsim_can_kit.dbw_car import dbw_car

CAR = dbw_car()
ANGLE = SignalName("STEER_STATUS", "ANGLE")
CYCLE_S = 0.01


class Bench:
    """A receiver, and the ECU whose message it gets."""

    def __init__(self) -> None:
        self.receiver = Receiver(CAR, CAR.receive, CAR.send)
        self.ecu = Sending(WireMessage(CAR, CAR.receive["STEER_STATUS"]))
        self.now = 1.0

    def frame(self, count: int | None = None, angle: int = 100) -> Frame:
        if count is not None:
            self.ecu.count = count
        frame = self.ecu.frame({"ANGLE": angle})
        self.ecu.on_sent()
        return frame

    def fate(self, frame: Frame) -> Fate:
        self.now += CYCLE_S
        return self.receiver.receive("chassis", frame, self.now).fate

    @property
    def angle(self) -> float:
        return self.receiver.physical(ANGLE, self.now)

    @property
    def why(self) -> str:
        return self.receiver.messages["STEER_STATUS"].why


@pytest.fixture
def bench() -> Bench:
    made = Bench()
    assert [made.fate(made.frame()) for _ in range(3)] == [Fate.ACCEPTED] * 3
    return made


def test_signals_are_known_while_their_message_is_fresh_and_unknown_afterwards(
    bench: Bench,
) -> None:
    assert bench.angle == pytest.approx(0.01)
    bench.now += 0.1001
    assert math.isnan(bench.angle)
    assert "STEER_STATUS" in bench.receiver.stale(bench.now)


def test_a_rejected_counter_does_not_move_what_is_counted_from(bench: Bench) -> None:
    """Replayed frames make neither themselves right nor the next ones of the ECU wrong."""
    for count in (9, 10, 11, 12):
        assert bench.fate(bench.frame(count, angle=5000)) is Fate.COUNTER
    assert bench.fate(bench.frame(3)) is Fate.ACCEPTED
    assert bench.angle == pytest.approx(0.01)


def test_a_few_lost_frames_are_counted_and_more_of_them_are_a_jump(bench: Bench) -> None:
    assert bench.fate(bench.frame(5)) is Fate.ACCEPTED  # 3 and 4 are lost
    assert bench.receiver.messages["STEER_STATUS"].lost_n == 2
    assert bench.fate(bench.frame(11)) is Fate.COUNTER
    assert bench.why == "STEER_STATUS (0x200): counter 11 after 5"


def test_a_counter_that_stands_makes_the_message_stale_and_never_fresh_again(bench: Bench) -> None:
    fates = [bench.fate(bench.frame(2)) for _ in range(100)]
    assert set(fates) == {Fate.COUNTER}
    assert math.isnan(bench.angle)
    assert "stands at 2" in bench.why


def test_a_stale_message_begins_again_with_two_frames_in_a_row(bench: Bench) -> None:
    bench.now += 1.0
    assert bench.fate(bench.frame(11)) is Fate.COUNTER
    assert "begins again at 11" in bench.why
    assert bench.fate(bench.frame(4)) is Fate.COUNTER, "another one is no second one"
    assert bench.fate(bench.frame(5)) is Fate.ACCEPTED
    assert bench.angle == pytest.approx(0.01)


def test_each_wrong_bit_is_a_wrong_checksum(bench: Bench) -> None:
    good = bench.frame(3)
    for bit in range(64):
        data = bytearray(good.data)
        data[bit // 8] ^= 1 << bit % 8
        assert bench.fate(good._replace(data=bytes(data))) is Fate.CHECKSUM, bit
    bench.now -= 64 * CYCLE_S
    assert bench.fate(good) is Fate.ACCEPTED


@pytest.mark.parametrize("size", [0, 4, 7])
def test_another_length_is_rejected_and_named(bench: Bench, size: int) -> None:
    assert bench.fate(Frame(0x200, bytes(size))) is Fate.LENGTH
    assert bench.why == f"STEER_STATUS (0x200): {size} bytes; the file says 8"


def test_a_frame_of_can_fd_is_not_the_classic_message(bench: Bench) -> None:
    assert bench.fate(bench.frame()._replace(fd=True)) is Fate.LENGTH


def test_an_extended_id_of_the_same_number_is_another_message(bench: Bench) -> None:
    assert bench.fate(bench.frame()._replace(extended=True)) is Fate.OTHER


def test_a_message_that_only_we_send_is_foreign_from_anybody_else(bench: Bench) -> None:
    ours = Sending(WireMessage(CAR, CAR.send["STEER_CMD"])).frame({})
    outcome = bench.receiver.receive("chassis", ours, bench.now)
    assert outcome.fate is Fate.FOREIGN
    assert outcome.text == "somebody else sends STEER_CMD (0x100) on chassis"


def test_after_a_jump_of_time_everything_is_unknown_and_begins_anew(bench: Bench) -> None:
    bench.receiver.restart()
    bench.now = 0.1
    assert math.isnan(bench.angle)
    assert bench.fate(bench.frame(13)) is Fate.ACCEPTED
