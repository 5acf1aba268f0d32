"""Requests of a mode by topic: new ones act, repeated ones are answered again, old ones do not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from vdsim_interface.arbitration.mode_twin import (
    CLIENTS_MAX,
    ModeTwin,
    TwinAnswer,
    TwinRequest,
    Verdict,
)

DISENGAGE, ENGAGE = 0, 1
DONE = TwinAnswer(success=True, mode=2, reason="engaged")
UNCHECKED = "check=0: must be 7"


def made() -> ModeTwin:
    return ModeTwin(frozenset({DISENGAGE}))


def ask(sequence: int, request: int = ENGAGE, client: int = 5, why: str = "") -> TwinRequest:
    return TwinRequest(client, sequence, request, why)


def test_a_repeated_request_waits_for_its_answer_and_is_answered_again() -> None:
    twin = made()
    assert twin.on_request(ask(1)) == (Verdict.ACT, "")
    assert twin.on_request(ask(1)) == (Verdict.WAIT, "")
    twin.on_answer(ask(1), DONE)
    assert twin.on_request(ask(1)) == (Verdict.ANSWER, "")
    assert twin.answer(ask(1)) == DONE
    assert twin.on_request(ask(2)) == (Verdict.ACT, "")
    assert twin.answer(ask(2)) is None


def test_a_delayed_request_does_not_act() -> None:
    twin = made()
    twin.on_request(ask(7))
    assert twin.on_request(ask(6)) == (Verdict.ANSWER, "sequence=6: must be ahead of 7")
    twin.on_answer(ask(6), DONE)
    assert twin.answer(ask(7)) is None, "the answer belongs to another request"


def test_the_numbers_wrap() -> None:
    twin = made()
    twin.on_request(ask(2**32 - 1))
    assert twin.on_request(ask(0)) == (Verdict.ACT, "")
    assert twin.on_request(ask(2**32 - 1))[0] is Verdict.ANSWER


def test_clients_do_not_disturb_each_other() -> None:
    twin = made()
    assert twin.on_request(ask(9))[0] is Verdict.ACT
    assert twin.on_request(ask(1, client=6))[0] is Verdict.ACT


def test_without_its_check_a_request_to_engage_is_refused() -> None:
    twin = made()
    assert twin.on_request(ask(1, why=UNCHECKED)) == (Verdict.ANSWER, UNCHECKED)
    assert twin.on_request(ask(1)) == (Verdict.ACT, ""), "the refused one was not remembered"


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.booleans())
def test_ending_autonomy_acts_whatever_it_holds(first: int, second: int, checked: bool) -> None:
    twin = made()
    twin.on_request(ask(first))
    request = ask(second, DISENGAGE, why="" if checked else UNCHECKED)
    assert twin.on_request(request) == (Verdict.ACT, "")
    assert twin.on_request(request) == (Verdict.ACT, "")


@given(st.integers(0, 2**32 - 1), st.integers(1, 2**31 - 1))
def test_a_delayed_request_that_ends_autonomy_lets_no_old_one_act(latest: int, ago: int) -> None:
    twin = made()
    twin.on_request(ask(latest))
    before = (latest - ago) % 2**32
    assert twin.on_request(ask(before, DISENGAGE)) == (Verdict.ACT, "")
    twin.on_answer(ask(before, DISENGAGE), DONE)
    assert twin.on_request(ask(before))[0] is Verdict.ANSWER
    assert twin.on_request(ask(latest)) == (Verdict.WAIT, ""), "it does not act twice"


def test_only_so_many_clients_are_remembered() -> None:
    twin = made()
    for client in range(CLIENTS_MAX + 1):
        twin.on_request(ask(4, client=client))
    assert twin.on_request(ask(4, client=CLIENTS_MAX))[0] is Verdict.WAIT
    assert twin.on_request(ask(4, client=0))[0] is Verdict.ACT, "forgotten, so it is a new client"
