"""When frames are sent: cycles, phases, counters; and that nothing makes up for a pause."""

import pytest
from vdsim_can.traffic.transmitter import Transmitter
from vdsim_can_kit.dbw_car import dbw_car

CAR = dbw_car()
PERIOD_S = 0.01


def sent(transmitter: Transmitter, times: list[float]) -> list[list[str]]:
    return [[each.wire.name for each in transmitter.due(now)] for now in times]


def test_each_message_has_its_cycle_and_its_phase() -> None:
    transmitter = Transmitter(CAR, CAR.send, PERIOD_S)
    periods = sent(transmitter, [1.0 + PERIOD_S * n for n in range(12)])
    assert [n for n, names in enumerate(periods) if "STEER_CMD" in names] == list(range(12))
    assert [n for n, names in enumerate(periods) if "PEDAL_CMD" in names] == [1, 3, 5, 7, 9, 11]
    assert [n for n, names in enumerate(periods) if "BODY_CMD" in names] == [0, 10]


@pytest.mark.parametrize("jitter_s", [0.002, -0.002, 0.0049])
def test_a_period_that_comes_early_or_late_leaves_no_message_out(jitter_s: float) -> None:
    transmitter = Transmitter(CAR, CAR.send, PERIOD_S)
    times = [1.0 + PERIOD_S * n + (jitter_s if n % 3 == 1 else 0.0) for n in range(40)]
    periods = sent(transmitter, times)
    assert sum("PEDAL_CMD" in names for names in periods) == 20
    assert sum("STEER_CMD" in names for names in periods) == 40


def test_after_a_pause_each_message_is_sent_once_and_in_its_cycle_again() -> None:
    transmitter = Transmitter(CAR, CAR.send, PERIOD_S)
    sent(transmitter, [1.0, 1.01])
    periods = sent(transmitter, [5.0 + PERIOD_S * n for n in range(12)])
    assert sum("PEDAL_CMD" in names for names in periods) == 6
    assert sum("BODY_CMD" in names for names in periods) == 2


def test_a_burst_of_periods_in_no_time_sends_nothing_more() -> None:
    transmitter = Transmitter(CAR, CAR.send, PERIOD_S)
    periods = sent(transmitter, [1.0] * 50)
    assert sum("STEER_CMD" in names for names in periods) == 1


def test_time_that_jumps_back_begins_the_cycles_again() -> None:
    transmitter = Transmitter(CAR, CAR.send, PERIOD_S)
    sent(transmitter, [1000.0])
    assert "STEER_CMD" in sent(transmitter, [1.0])[0]


def test_counters_run_through_their_range_and_checksums_follow() -> None:
    transmitter = Transmitter(CAR, CAR.send, PERIOD_S)
    steer = transmitter.messages["STEER_CMD"]
    counts = []
    for _ in range(33):
        frame = steer.frame({"ANGLE": -5})
        assert steer.wire.checksum_fits(frame.data)
        counts.append(steer.wire.unpack(frame.data)["COUNT"])
        steer.on_sent()
    assert counts == [n % 16 for n in range(33)]


def test_a_frame_that_is_not_sent_uses_up_no_counter() -> None:
    steer = Transmitter(CAR, CAR.send, PERIOD_S).messages["STEER_CMD"]
    assert steer.frame({"ANGLE": -5}) == steer.frame({"ANGLE": -5})


def test_a_message_without_values_is_left_out_and_its_counter_waits() -> None:
    transmitter = Transmitter(CAR, CAR.send, PERIOD_S)
    assert transmitter.send(1.0, lambda name: None) == []
    assert transmitter.messages["STEER_CMD"].count == 0
