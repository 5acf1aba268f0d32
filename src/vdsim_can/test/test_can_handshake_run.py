"""The handshake as it runs: the order of its frames, its refusals, and how it ends."""

import math

import pytest
from vdsim_can.car import Comparison, Condition, HandshakeStep, SignalName
from vdsim_can.platform.handshake_run import HandshakeRun
from vdsim_can_kit.dbw_car import HANDSHAKE, named

READY, CLEARED = named("BODY_STATUS.READY"), named("STEER_STATUS.OVERRIDDEN")
ENABLED = (named("STEER_STATUS.ENABLED"), named("PEDAL_STATUS.ENABLED"))
BOTH = ("STEER_CMD", "PEDAL_CMD")


class Bench:
    def __init__(self) -> None:
        self.run = HandshakeRun(HANDSHAKE)
        self.values: dict[SignalName, float] = {READY: 1.0, CLEARED: 1.0}
        self.values |= dict.fromkeys(ENABLED, 0.0)
        self.now = 1.0

    def step(self, *, wanted: bool = True, sent: tuple[str, ...] = BOTH) -> str:
        self.now += 0.01
        self.run.update(self.now, lambda name: self.values.get(name, math.nan), wanted=wanted)
        assert self.run.step is not None
        state = self.run.step.state
        self.run.on_sent(sent)
        return state

    def enabled(self) -> "Bench":
        self.step()
        self.values[CLEARED] = 0.0
        self.step()
        self.values |= dict.fromkeys(ENABLED, 1.0)
        assert self.step() == "drive"
        return self


def test_nothing_begins_until_somebody_asks() -> None:
    bench = Bench()
    assert {bench.step(wanted=False) for _ in range(50)} == {"off"}
    assert bench.run.is_idle


def test_the_rows_follow_each_other_as_the_car_answers() -> None:
    bench = Bench()
    assert [bench.step() for _ in range(3)] == ["clear"] * 3
    bench.values[CLEARED] = 0.0
    assert [bench.step() for _ in range(3)] == ["enable"] * 3
    bench.values[ENABLED[0]] = 1.0
    assert bench.step() == "enable"
    bench.values[ENABLED[1]] = 1.0
    assert bench.step() == "drive"
    assert bench.run.is_enabled


def test_clear_and_enable_are_two_frames_even_where_the_car_answers_before_the_first() -> None:
    bench = Bench()
    bench.values[CLEARED] = 0.0
    bench.values |= dict.fromkeys(ENABLED, 1.0)
    assert bench.step(sent=()) == "clear"
    assert bench.step(sent=("STEER_CMD",)) == "clear"
    assert bench.step(sent=("PEDAL_CMD",)) == "clear"
    assert bench.step() == "enable"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {READY: 0.0},
            "drive-by-wire is not ready (BODY_STATUS.READY is 0, and must be == 1)",
        ),
        ({READY: math.nan}, "drive-by-wire is not ready (BODY_STATUS.READY is not received)"),
    ],
)
def test_a_refusal_is_the_makers_word_and_the_signal(
    change: dict[SignalName, float], sentence: str
) -> None:
    bench = Bench()
    bench.values |= change
    assert bench.step() == "off"
    assert bench.run.why == sentence


def test_a_row_that_the_car_does_not_answer_ends_after_its_time_with_its_reason() -> None:
    bench = Bench()
    began_s = bench.now
    while bench.step() != "off":
        assert bench.now < began_s + 1.0
    assert bench.now - began_s == pytest.approx(0.2, abs=0.03)
    assert bench.run.why == (
        "the override is not cleared (STEER_STATUS.OVERRIDDEN is 1, and must be == 0)"
    )


def test_a_car_that_falls_back_in_a_row_ends_it_at_once() -> None:
    """Two rows wait for the cruise control: it is engaged in the first, and left in the second."""
    cruise, steering = named("DI.CRUISE"), named("EPS.STATE")
    engaged = Condition(cruise, Comparison.EQUAL, 2.0)
    active = Condition(steering, Comparison.EQUAL, 2.0)
    late = {"within_ms": 500.0, "otherwise": "not active"}
    run = HandshakeRun(
        (
            HandshakeStep(state="off", send=()),
            HandshakeStep(state="request", send=(), wait_for=(engaged,), **late),
            HandshakeStep(state="enable", send=(), wait_for=(engaged, active), **late),
            HandshakeStep(state="drive", send=(), wait_for=(engaged, active), drives=True),
        )
    )
    states = []
    for period, says in enumerate((1.0, 2.0, 2.0, math.nan, 1.0)):
        known = {cruise: says, steering: 1.0}
        run.update(1.0 + 0.01 * period, lambda name, known=known: known[name], wanted=True)
        assert run.step is not None
        states.append(run.step.state)
    assert states == ["request", "enable", "enable", "enable", "off"]
    assert "DI.CRUISE is 1, and must be == 2" in run.why


def test_after_a_refusal_it_begins_again_with_the_next_request_only() -> None:
    bench = Bench()
    bench.values[READY] = 0.0
    assert bench.step() == "off"
    bench.values[READY] = 1.0
    assert {bench.step() for _ in range(300)} == {"off"}
    assert bench.run.why.startswith("drive-by-wire is not ready")
    assert bench.step(wanted=False) == "off"
    assert bench.run.why == ""
    assert bench.step() == "clear"


def test_before_a_request_it_is_known_whether_it_would_be_refused() -> None:
    bench = Bench()
    known = bench.run.refusal(lambda name: bench.values.get(name, math.nan))
    assert known == ""
    bench.values[READY] = 0.0
    known = bench.run.refusal(lambda name: bench.values.get(name, math.nan))
    assert known == "drive-by-wire is not ready (BODY_STATUS.READY is 0, and must be == 1)"


def test_a_car_that_leaves_ends_autonomy_with_its_reason_and_a_blink_does_not() -> None:
    bench = Bench().enabled()
    bench.values[ENABLED[0]] = 0.0
    assert bench.step() == "drive"
    bench.values[ENABLED[0]] = 1.0
    assert [bench.step() for _ in range(10)] == ["drive"] * 10
    bench.values[ENABLED[0]] = 0.0
    states = [bench.step() for _ in range(7)]
    assert states[-1] == "off"
    assert bench.run.why == (
        "the car left drive-by-wire (STEER_STATUS.ENABLED is 0, and must be == 1)"
    )


def test_a_signal_that_is_not_received_any_more_is_no_sign_that_the_car_left() -> None:
    bench = Bench().enabled()
    bench.values |= dict.fromkeys(ENABLED, math.nan)
    assert {bench.step() for _ in range(50)} == {"drive"}


def test_a_car_that_left_unheard_is_refused_before_the_last_row_ends() -> None:
    bench = Bench().enabled()
    bench.values |= dict.fromkeys(ENABLED, math.nan)
    bench.step()
    bench.values[ENABLED[0]] = 0.0
    assert bench.step() == "drive"
    assert bench.run.refusal(lambda name: bench.values.get(name, math.nan)).startswith(
        "the car left drive-by-wire (STEER_STATUS.ENABLED is 0, and must be == 1"
    )


def test_a_person_who_drives_ends_it_at_once_and_it_can_begin_at_once() -> None:
    bench = Bench().enabled()
    bench.run.leave()
    assert bench.run.is_idle
    bench.values[CLEARED] = 1.0
    assert bench.step() == "clear"


def test_a_car_without_a_handshake_is_enabled() -> None:
    run = HandshakeRun(())
    run.update(1.0, lambda name: math.nan, wanted=True)
    assert run.is_enabled
    assert run.step is None
