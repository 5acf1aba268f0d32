"""The emergency stop of an interface beside a command_mux in a process of its own."""

from vdsim_interface.arbitration.give_back import AGAIN_S, GiveBack, Latches
from vdsim_interface.arbitration.mux import EMERGENCY_LOCK
from vdsim_interface.arbitration.other_arbiter import OtherArbiter


def stopped() -> OtherArbiter:
    other = OtherArbiter()
    other.on_report((), 3, 0.0)
    other.stop("a person", 1.0)
    return other


def test_a_request_is_latched_without_any_report_of_the_mux() -> None:
    other = OtherArbiter()
    assert not other.emergency
    other.stop("a person", 1.0)
    assert other.latches == Latches("a person", "")


def test_a_stop_that_only_the_mux_knows_is_latched_once() -> None:
    other = OtherArbiter()
    for number in range(30):
        other.on_report((EMERGENCY_LOCK,), 0, 0.1 * number)
    assert other.emergency == "command_mux"
    assert other.emergency_requests_n == 1


def test_only_another_give_back_releases_it() -> None:
    other = stopped()
    other.on_report((), 3, 1.1)  # it has not received the request yet
    assert other.emergency
    other.on_report((EMERGENCY_LOCK,), 3, 1.2)
    other.on_report((EMERGENCY_LOCK, "hold_autonomy"), 4, 1.3)
    assert other.emergency, "the mux itself still holds it"
    other.on_report((), 5, 1.4)
    assert not other.emergency


def test_a_mux_that_has_started_again_releases_nothing() -> None:
    other = stopped()
    other.on_report((EMERGENCY_LOCK,), 3, 1.2)
    other.on_report((), 0, 2.0)
    assert other.emergency
    other.on_report((), 1, 3.0)
    assert not other.emergency, "give_back was called there since"


def test_the_first_report_releases_nothing() -> None:
    other = OtherArbiter()
    other.restore(Latches("a person", ""))
    other.on_report((), 7, 0.0)
    assert other.emergency == "a person"


def test_a_button_that_is_held_is_one_request_and_the_next_press_another() -> None:
    latch = GiveBack({})
    now = 0.0
    for _ in range(300):
        now += 0.01
        latch.stop("pad", now)
    assert latch.emergency_requests_n == 1
    latch.stop("pad", now + AGAIN_S)
    assert latch.emergency_requests_n == 2
