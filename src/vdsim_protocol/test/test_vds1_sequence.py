"""What is next, late, a copy, or a new session; with wrap, and against a naive model."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_protocol.vds1.sequence import (
    HALF,
    LARGEST_JUMP,
    MODULUS,
    WINDOW,
    Order,
    Place,
    SequenceTracker,
)

SILENCE_S = 0.1


def offer(tracker: SequenceTracker, seq: int, stamp_s: float, now: float) -> Place:
    """Place a packet and take it when it is fresh, as a receiver does."""
    place = tracker.place(seq, stamp_s, now)
    if place.is_fresh:
        tracker.accept(place, seq, stamp_s, now)
    return place


def started(seq: int = 1000, stamp_s: float = 5.0) -> SequenceTracker:
    """A tracker whose session was opened by one packet at time 0."""
    tracker = SequenceTracker(SILENCE_S)
    assert offer(tracker, seq, stamp_s, 0.0) == Place(Order.NEW_SESSION)
    return tracker


@pytest.mark.parametrize(
    ("ahead", "order", "skipped"),
    [
        (1, Order.NEXT, 0),
        (2, Order.NEXT, 1),
        (WINDOW, Order.NEXT, WINDOW - 1),
        (LARGEST_JUMP, Order.NEXT, LARGEST_JUMP - 1),
        (LARGEST_JUMP + 1, Order.JUMP, 0),
        (HALF - 1, Order.JUMP, 0),
        (HALF, Order.STALE, 0),
        (HALF + 1, Order.STALE, 0),
        (0, Order.DUPLICATE, 0),
        (-1, Order.STALE, 0),
    ],
)
@pytest.mark.parametrize("last", [1, 70, HALF, MODULUS - 1, MODULUS - 70])
def test_distance_decides(last: int, ahead: int, order: Order, skipped: int) -> None:
    # [VS-0.3.3]
    tracker = started(last)
    seq = (last + ahead) % MODULUS
    if seq:  # a 0 has rules of its own
        assert tracker.place(seq, 5.001, 0.01) == Place(order, skipped)


def test_a_late_number_is_no_copy() -> None:
    tracker = started(10)
    assert offer(tracker, 14, 5.04, 0.04).skipped == 3
    assert offer(tracker, 12, 5.02, 0.05).order is Order.REORDERED
    assert offer(tracker, 12, 5.02, 0.05).order is Order.DUPLICATE
    assert offer(tracker, 14, 5.04, 0.05).order is Order.DUPLICATE
    assert offer(tracker, 10, 5.00, 0.05).order is Order.DUPLICATE
    assert offer(tracker, 9, 4.99, 0.05).order is Order.STALE  # before the session
    assert offer(tracker, 11, 5.01, 0.05).order is Order.REORDERED


def test_the_window_is_64_numbers() -> None:
    tracker = started(10)
    assert offer(tracker, 10 + 2 * WINDOW, 5.5, 0.05).is_fresh
    last = 10 + 2 * WINDOW
    assert tracker.place(last - WINDOW + 1, 5.2, 0.06).order is Order.REORDERED
    assert tracker.place(last - WINDOW, 5.2, 0.06).order is Order.STALE


def test_the_window_moves_with_the_stream() -> None:
    tracker = started(10)
    for step in range(1, WINDOW):
        assert offer(tracker, 10 + step, 5.0 + step / 100, step / 100).order is Order.NEXT
    assert tracker.place(10, 5.0, 0.63).order is Order.DUPLICATE
    assert offer(tracker, 10 + WINDOW, 6.0, 0.64).order is Order.NEXT
    assert tracker.place(10, 5.0, 0.64).order is Order.STALE
    assert tracker.place(11, 5.01, 0.64).order is Order.DUPLICATE


def test_numbers_wrap() -> None:
    tracker = started(MODULUS - 2)
    assert offer(tracker, MODULUS - 1, 5.01, 0.01) == Place(Order.NEXT)
    assert offer(tracker, 0, 5.02, 0.02) == Place(Order.NEXT)
    assert offer(tracker, 1, 5.03, 0.03) == Place(Order.NEXT)
    assert offer(tracker, MODULUS - 1, 5.01, 0.03).order is Order.DUPLICATE


def test_a_gap_over_the_wrap_is_no_new_session() -> None:
    tracker = started(MODULUS - WINDOW)
    assert tracker.place(0, 5.6, 0.05) == Place(Order.NEXT, WINDOW - 1)
    assert started(MODULUS - WINDOW - 1).place(0, 5.6, 0.05).order is Order.NEW_SESSION


@pytest.mark.parametrize("last", [1, 1000, HALF + 5, MODULUS - 1000])
def test_a_restarted_sender_is_accepted_at_once(last: int) -> None:
    tracker = started(last)
    assert offer(tracker, 0, 5.5, 0.01) == Place(Order.NEW_SESSION)
    assert offer(tracker, 1, 5.51, 0.02) == Place(Order.NEXT)


def test_a_restart_at_another_number_is_accepted_after_silence() -> None:
    tracker = started(1000)
    assert offer(tracker, 1, 9.0, 0.0999).order is Order.STALE
    assert offer(tracker, 2, 9.0, 0.1) == Place(Order.NEW_SESSION)
    assert offer(tracker, 3, 9.01, 0.11) == Place(Order.NEXT)


def test_what_is_dropped_does_not_end_a_silence() -> None:
    tracker = started(1000)
    for now in (0.03, 0.06, 0.09):
        assert not offer(tracker, 5, 9.0, now).is_fresh
    assert offer(tracker, 6, 9.0, 0.1).order is Order.NEW_SESSION


def test_a_gap_after_a_silence_is_still_the_same_session() -> None:
    assert started(1000).place(1100, 6.0, 1.0) == Place(Order.NEXT, 99)


def test_a_copied_zero_opens_no_session() -> None:
    tracker = started(0, 5.0)
    assert offer(tracker, 0, 5.0, 0.001).order is Order.DUPLICATE
    assert offer(tracker, 1, 5.01, 0.01).order is Order.NEXT
    assert offer(tracker, 0, 5.0, 0.02).order is Order.DUPLICATE


def test_a_zero_that_was_overtaken_opens_no_session() -> None:
    tracker = started(1, 5.01)
    assert offer(tracker, 0, 5.0, 0.005).order is Order.STALE
    assert offer(tracker, 2, 5.02, 0.01).order is Order.NEXT


@pytest.mark.parametrize(
    ("stamp_s", "order"),
    [
        (4.89, Order.NEW_SESSION),
        (4.9, Order.STALE),
        (5.0, Order.STALE),
        (5.2, Order.STALE),
        (5.21, Order.NEW_SESSION),
    ],
)
def test_the_stamp_tells_a_late_zero_from_a_restart(stamp_s: float, order: Order) -> None:
    tracker = started(100, 5.0)
    offer(tracker, 300, 5.2, 0.05)
    assert tracker.place(0, stamp_s, 0.06).order is order


def test_a_zero_with_an_old_stamp_is_accepted_after_silence() -> None:
    """A plant that restarts its simulated time resembles a late packet until then."""
    tracker = started(0, 0.0)
    offer(tracker, 1, 0.005, 0.005)
    assert tracker.place(0, 0.0, 0.1).order is Order.DUPLICATE
    assert tracker.place(0, 0.0, 0.106).order is Order.NEW_SESSION


def test_a_copy_of_the_last_packet_stays_a_copy_after_a_silence() -> None:
    tracker = started(1000, 5.0)
    assert tracker.place(1000, 5.0, 9.0).order is Order.DUPLICATE
    assert tracker.place(1000, 5.1, 0.05).order is Order.DUPLICATE
    assert tracker.place(1000, 5.1, 9.0).order is Order.NEW_SESSION


def test_a_new_session_forgets_the_old_one() -> None:
    tracker = started(500)
    offer(tracker, 501, 5.01, 0.01)
    assert offer(tracker, 0, 9.0, 0.02).order is Order.NEW_SESSION
    assert tracker.place(501, 5.01, 0.03) == Place(Order.NEXT, 500)
    offer(tracker, 2, 9.02, 0.03)
    assert tracker.place(1, 9.01, 0.04).order is Order.REORDERED
    assert tracker.place(MODULUS - 1, 9.01, 0.04).order is Order.STALE


@given(st.integers(1, MODULUS - 1), st.lists(st.integers(-80, 80), max_size=120))
def test_agrees_with_a_set_of_accepted_numbers(first: int, steps: list[int]) -> None:
    """Within one session and the window, the bit mask agrees with a plain set."""
    tracker = started(first)
    accepted, last = {0}, 0
    late: set[int] = set()
    for step in steps:
        number = last + step
        seq = (first + number) % MODULUS
        if seq == 0:
            continue
        place = offer(tracker, seq, 6.0 + number, 0.05)
        if number > last:
            assert place == Place(Order.NEXT, number - last - 1)
            accepted.add(number)
            last = number
        elif number < 0 or last - number >= WINDOW:
            expected = Order.DUPLICATE if number == last else Order.STALE
            assert place.order is expected
        elif number in accepted | late:
            assert place.order is Order.DUPLICATE
        else:
            assert place.order is Order.REORDERED
            late.add(number)


def test_numbers_that_went_to_other_vehicles_are_not_lost() -> None:
    tracker = started(100)
    for other in (101, 102, 104):
        tracker.on_other_vehicle(other)
    assert offer(tracker, 103, 5.03, 0.03) == Place(Order.NEXT, 0)
    assert offer(tracker, 106, 5.06, 0.06) == Place(Order.NEXT, 1), "104 came before 103 already"
    tracker.on_other_vehicle(107)
    assert offer(tracker, 109, 5.09, 0.07) == Place(Order.NEXT, 1)


def test_vehicles_that_are_numbered_one_by_one_hide_no_loss() -> None:
    tracker = started(100)
    tracker.on_other_vehicle(100)
    for other in (101, 102):
        tracker.on_other_vehicle(other)
    assert offer(tracker, 103, 5.03, 0.03) == Place(Order.NEXT, 2)


def test_a_number_that_was_accepted_before_shows_that_each_vehicle_has_its_own() -> None:
    tracker = started(100)
    for seq in range(101, 111):
        offer(tracker, seq, 5.0 + (seq - 100) / 100, (seq - 100) / 100)
    for other in (108, 111):
        tracker.on_other_vehicle(other)
    assert offer(tracker, 112, 5.12, 0.12) == Place(Order.NEXT, 1)


def test_a_number_as_far_ahead_as_one_behind_that_was_accepted_is_of_a_common_count() -> None:
    tracker = started(100)
    for seq in range(101, 111):
        offer(tracker, seq, 5.0 + (seq - 100) / 100, (seq - 100) / 100)
    for other in (111, 112):
        tracker.on_other_vehicle(other)
    assert offer(tracker, 113, 5.13, 0.13) == Place(Order.NEXT, 0)


@pytest.mark.parametrize("vehicles", [2, 3, 7])
def test_a_server_with_common_numbers_shows_no_loss(vehicles: int) -> None:
    tracker = SequenceTracker(SILENCE_S)
    for seq in range(MODULUS - 50, MODULUS + 50):
        number = seq % MODULUS
        if seq % vehicles == 0:
            assert offer(tracker, number, 5.0 + (seq - MODULUS) / 1000, 0.0).skipped == 0
        else:
            tracker.on_other_vehicle(number)


def test_nothing_was_accepted_for_ever_before_the_first_packet() -> None:
    assert SequenceTracker(SILENCE_S).silent_s(7.0) == math.inf
    assert started().silent_s(7.0) == 7.0


@pytest.mark.parametrize(("seq", "order"), [(0, Order.STALE), (1, Order.JUMP)])
def test_a_far_jump_over_the_wrap_is_a_jump_unless_it_is_a_late_zero(
    seq: int, order: Order
) -> None:
    tracker = started((seq - LARGEST_JUMP - 10) % MODULUS)
    assert tracker.place(seq, 5.0, 0.01).order is order


def test_a_number_that_two_vehicles_carry_counts_once() -> None:
    tracker = started(100)
    tracker.on_other_vehicle(102)
    assert offer(tracker, 102, 5.02, 0.02) == Place(Order.NEXT, 1), "101 is lost"
    assert offer(tracker, 104, 5.04, 0.03) == Place(Order.NEXT, 1), "102 is behind"


@pytest.mark.parametrize("begin", [MODULUS - 2, (1 << 30) + 5])
def test_others_ahead_are_kept_over_the_wrap_and_at_every_number(begin: int) -> None:
    tracker = started(begin)
    tracker.on_other_vehicle((begin + 2) % MODULUS)
    assert offer(tracker, begin + 1, 5.01, 0.01) == Place(Order.NEXT, 0)
    assert offer(tracker, (begin + 3) % MODULUS, 5.03, 0.02) == Place(Order.NEXT, 0)


def test_one_number_of_ours_shows_that_vehicles_are_numbered_one_by_one() -> None:
    tracker = started(5)
    for seq in (6, 7):
        offer(tracker, seq, 5.0 + seq, 0.01)
    tracker.on_other_vehicle(6)
    tracker.on_other_vehicle(9)
    assert offer(tracker, 10, 6.0, 0.02) == Place(Order.NEXT, 2)


def test_a_number_that_we_missed_may_be_the_other_vehicles() -> None:
    tracker = started(5)
    offer(tracker, 7, 5.1, 0.01)
    tracker.on_other_vehicle(6)
    tracker.on_other_vehicle(8)
    assert offer(tracker, 9, 5.2, 0.02) == Place(Order.NEXT, 0)


def test_the_other_vehicle_may_be_ahead_by_the_largest_jump() -> None:
    tracker = started(100)
    tracker.on_other_vehicle(100 + LARGEST_JUMP)
    offer(tracker, 101, 5.01, 0.01)
    skipped = LARGEST_JUMP - 2  # all but the one that went to the other vehicle
    assert offer(tracker, 101 + LARGEST_JUMP, 6.0, 0.02) == Place(Order.NEXT, skipped)
