"""A session belongs to the address that opened it; the table of `ownership` row by row."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_protocol.link import LinkStatistics
from vdsim_protocol.vds1 import Accepted, Reason, Receiver, Reject, Source
from vdsim_protocol.vds1.sequence import LARGEST_JUMP
from vdsim_protocol_kit.vds1 import COMMAND, encode

from vdsim_protocol import vds1

OWNER: Source = ("127.0.0.1", 5000)
OTHER: Source = ("127.0.0.1", 5001)
THIRD: Source = ("10.0.0.7", 5000)
SILENCE_S, RELEASE_S = 0.1, 2.0


def reason_of(outcome: Accepted[Any] | Reject) -> Reason | None:
    return outcome.reason if isinstance(outcome, Reject) else None


def owned_by(
    source: Source, *, moving: bool = False, allowed: Any = None
) -> Receiver[vds1.Command]:
    """A receiver with one accepted packet of `source`, number 100 at time 0."""
    receiver = Receiver(
        vds1.Command,
        allowed_sources=allowed,
        silence_s=SILENCE_S,
        release_s=RELEASE_S,
        is_moving=lambda vehicle_id: moving,
    )
    assert reason_of(receiver.receive(encode(COMMAND, 100, 1.0), source, 0.0)) is None
    assert receiver.owner() == source
    return receiver


@pytest.mark.parametrize("seq", [0, 1, 101, 5000, 1 << 30])
@pytest.mark.parametrize(
    ("silent_s", "moving", "reason"),
    [
        (0.01, False, Reason.OTHER_SOURCE),
        (0.5, False, Reason.OTHER_SOURCE),
        (1.999, False, Reason.OTHER_SOURCE),
        (2.0, False, None),
        (2.0, True, Reason.OTHER_SOURCE),
        (3600.0, True, Reason.OTHER_SOURCE),
    ],
)
def test_another_address_waits_for_the_owner_and_for_the_car(
    seq: int, silent_s: float, moving: bool, reason: Reason | None
) -> None:
    receiver = owned_by(OWNER, moving=moving)
    outcome = receiver.receive(encode(COMMAND, seq, 9.0), OTHER, silent_s)
    assert reason_of(outcome) is reason
    assert receiver.owner() == (OWNER if reason else OTHER)


@pytest.mark.parametrize(
    ("owner", "source", "silent_s", "is_taken"),
    [
        (THIRD, OWNER, 0.0, True),  # a named address takes the wheel from one that is not
        (OWNER, THIRD, 1.9, False),
        (OWNER, THIRD, 2.0, True),
        (OTHER, OWNER, 0.05, False),  # both are named: after the silence
        (OTHER, OWNER, 0.1, True),
    ],
)
@pytest.mark.parametrize("moving", [False, True])
def test_an_address_that_is_named_with_its_port_comes_first(
    owner: Source, source: Source, silent_s: float, is_taken: bool, moving: bool
) -> None:
    receiver = owned_by(owner, moving=moving, allowed=[OWNER, OTHER, "10.0.0.7"])
    outcome = receiver.receive(encode(COMMAND, 0, 9.0), source, silent_s)
    expected = is_taken and not (moving and source == THIRD)
    assert reason_of(outcome) is (None if expected else Reason.OTHER_SOURCE)


def test_the_owner_restarts_at_once_though_the_car_moves() -> None:
    receiver = owned_by(OWNER, moving=True)
    outcome = receiver.receive(encode(COMMAND, 0, 9.0), OWNER, 0.01)
    assert isinstance(outcome, Accepted)
    assert outcome.new_session


def test_both_addresses_are_in_the_detail() -> None:
    outcome = owned_by(OWNER).receive(encode(COMMAND, 101, 1.01), OTHER, 0.01)
    assert isinstance(outcome, Reject)
    assert outcome.detail == "from 127.0.0.1:5001, it is 127.0.0.1:5000's"


def test_vehicles_have_owners_of_their_own() -> None:
    receiver = Receiver(vds1.Command, vehicle_ids=(1, 2), release_s=RELEASE_S)
    for vehicle, source in ((1, OWNER), (2, OTHER)):
        datagram = encode(COMMAND, 0, 0.0, 4, vehicle)
        assert reason_of(receiver.receive(datagram, source, 0.0)) is None
    assert (receiver.owner(1), receiver.owner(2)) == (OWNER, OTHER)


def test_two_names_of_one_vehicle_have_one_owner() -> None:
    receiver = Receiver(vds1.Command, vehicle_ids=(0, 5), one_vehicle=True, release_s=RELEASE_S)
    assert reason_of(receiver.receive(encode(COMMAND, 0), OWNER, 0.0)) is None
    other = receiver.receive(encode(COMMAND, 0, 9.0, 4, 5), OTHER, 0.01)
    assert reason_of(other) is Reason.OTHER_SOURCE
    same = receiver.receive(encode(COMMAND, 1, 0.01, 4, 5), OWNER, 0.01)
    assert isinstance(same, Accepted)
    assert not same.new_session
    later = receiver.receive(encode(COMMAND, 1 << 30, 9.0, 4, 5), OWNER, 0.01 + SILENCE_S)
    assert isinstance(later, Accepted)
    assert later.new_session


@given(
    st.lists(
        st.tuples(
            st.sampled_from([OWNER, OTHER, THIRD]),
            st.integers(0, 2**32 - 1),
            st.sampled_from([0.0, 0.005, 0.05, 0.15, 2.5]),
        ),
        max_size=40,
    )
)
def test_while_the_owner_is_fresh_nobody_else_is_accepted(
    packets: list[tuple[Source, int, float]],
) -> None:
    receiver = Receiver(vds1.Command, silence_s=SILENCE_S, release_s=RELEASE_S)
    now, accepted_s = 0.0, float("-inf")
    for source, seq, later_s in packets:
        now += later_s
        owner = receiver.owner()
        outcome = receiver.receive(encode(COMMAND, seq, now), source, now)
        if isinstance(outcome, Accepted):
            assert owner in (None, source) or now - accepted_s >= RELEASE_S
            assert receiver.owner() == source
            accepted_s = now
        else:
            assert receiver.owner() == owner


def test_a_number_far_ahead_neither_drives_nor_makes_the_rest_stale() -> None:
    receiver, link = owned_by(OWNER), LinkStatistics()
    for seq, reason in ((101 + LARGEST_JUMP, Reason.JUMP), (1 << 30, Reason.JUMP), (101, None)):
        outcome = receiver.receive(encode(COMMAND, seq, 1.01), OWNER, 0.01)
        link.observe(outcome, 0.01)
        assert reason_of(outcome) is reason
    assert link.snapshot(0.01).lost == 0


def test_a_number_far_ahead_after_a_silence_is_a_new_session() -> None:
    outcome = owned_by(OWNER).receive(encode(COMMAND, 1 << 30, 1.1), OWNER, SILENCE_S)
    assert isinstance(outcome, Accepted)
    assert (outcome.new_session, outcome.skipped) == (True, 0)


def test_the_release_is_not_shorter_than_the_silence() -> None:
    with pytest.raises(ValueError, match=r"release_s=0.05: must be >= silence_s \(0.1\)"):
        Receiver(vds1.Command, release_s=0.05)


def test_without_knowledge_of_motion_the_silence_decides() -> None:
    receiver = Receiver(vds1.Command, silence_s=SILENCE_S, release_s=SILENCE_S)
    receiver.receive(encode(COMMAND, 100, 1.0), OWNER, 0.0)
    early = receiver.receive(encode(COMMAND, 1, 1.0), OTHER, 0.5 * SILENCE_S)
    assert reason_of(early) is Reason.OTHER_SOURCE
    assert reason_of(receiver.receive(encode(COMMAND, 2, 1.0), OTHER, SILENCE_S)) is None


def test_the_motion_asked_for_is_that_of_the_vehicle() -> None:
    asked: list[int] = []

    def is_moving(vehicle_id: int) -> bool:
        asked.append(vehicle_id)
        return False

    receiver = Receiver(vds1.Command, vehicle_ids=(0, 3), release_s=RELEASE_S, is_moving=is_moving)
    for source, now in ((OWNER, 0.0), (OTHER, 5.0)):
        receiver.receive(encode(COMMAND, 1, 1.0, 4, 3), source, now)
    assert asked == [3]
