"""While commands are blocked the stage gives the reason, and what is missing."""

import math

import pytest
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.safety_side import SafetySide
from vdsim_interface.values import (
    CabinState,
    DriverActivity,
    Mode,
    NoticeKind,
    RawCommand,
)
from vdsim_interface_kit.safety_stage import GO, Bench

NOT_ASKED = "engage was not asked for (safety.auto_engage is off)"
NONE_CAME = "no command of level vehicle has come"


def reasons(bench: Bench) -> str:
    return bench.safety.blocked(bench.now)


def test_before_any_request() -> None:
    bench = Bench()
    bench.step()
    assert reasons(bench) == f"{NONE_CAME}; {NOT_ASKED}"
    bench.step(GO)
    assert reasons(bench) == NOT_ASKED
    bench.step(n=60)
    assert reasons(bench) == f"commands of level vehicle do not come any more; {NOT_ASKED}"


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        ("wrong_level", "commands of another level come"),
        ("non_finite_command", "those that come are not finite"),
    ],
)
def test_what_comes_instead_is_a_hint_for_as_long_as_it_comes(kind: NoticeKind, hint: str) -> None:
    bench = Bench()
    bench.step()
    assert bench.safety.reject(kind, "dropped", bench.now).kind == kind
    assert bench.count(kind) == 1
    assert reasons(bench) == f"{NONE_CAME} ({hint}); {NOT_ASKED}"
    bench.step(n=49)
    assert f"({hint})" in reasons(bench)
    bench.step(n=2)
    assert reasons(bench) == f"{NONE_CAME}; {NOT_ASKED}"
    bench.step(GO)
    bench.step(n=60)
    bench.step(GO._replace(long_accel_mps2=math.nan))
    stopped = "commands of level vehicle do not come any more (those that come are not finite)"
    assert reasons(bench) == f"{stopped}; {NOT_ASKED}"


def test_a_request_that_was_refused_is_remembered() -> None:
    bench = Bench(auto_engage=True)
    bench.step()
    bench.safety.inputs.on_cabin(CabinState(doors_closed=False), bench.now)
    result, _ = bench.safety.on_change_mode(True, bench.now)
    assert not result.success
    assert "the last request to engage was refused: " in reasons(bench)


def test_what_is_missing_now_comes_before_what_was_said_then() -> None:
    """Who reads it must not take a door of then for one of now."""
    bench = Bench(auto_engage=False).engage()
    bench.safety.inputs.on_cabin(CabinState(doors_closed=False), bench.now)
    bench.step(GO, 2)
    then = "the mode has changed: a door is open; nothing shows a motion"
    since = "engage was not asked for (safety.auto_engage is off)"
    assert reasons(bench) == f"a door is open; {then}; {since}"
    bench.safety.inputs.on_cabin(CabinState(), bench.now)
    bench.step(GO)
    assert reasons(bench) == f"{then}; {since}"


def test_the_handshake_and_autonomy() -> None:
    bench = Bench()
    bench.step()
    assert bench.safety.on_change_mode(True, bench.now)[0].success
    assert reasons(bench) == f"{NONE_CAME}; engaging waits: no valid command"
    bench.step(GO, 2)
    assert bench.safety.mode is Mode.AUTONOMOUS
    assert reasons(bench) == ""


def test_after_a_person_took_over_and_after_the_end() -> None:
    bench = Bench().engage()
    bench.safety.on_driver(DriverActivity(pedal=True))
    bench.safety.on_driver(DriverActivity())
    bench.step(GO)
    assert reasons(bench).endswith("a person has taken over, and engage was not asked for since")
    bench.safety.stop()
    assert reasons(bench).endswith("the interface is not active")


def test_come_means_within_the_time_out() -> None:
    safety = Bench().safety
    safety.reject("wrong_level", "dropped", 1.0)
    assert [bool(safety.rejected(now)) for now in (0.5, 1.0, 1.5, 1.75)] == [
        False,
        True,
        True,
        False,
    ]
    safety.run_period(GO._replace(stamp_s=2.0), 2.0)
    stopped = "do not come any more"
    reported_at = [stopped in safety.blocked(now) for now in (2.5, 2.75)]
    assert reported_at == [False, True]


def test_what_is_dropped_is_put_into_words_and_counted() -> None:
    bench = Bench()
    bench.step()
    side = SafetySide(InterfaceParameters(control_command="vehicle"), rear_steering=False)
    [notice] = side.on_command(RawCommand(bench.now), bench.now)
    assert notice.kind == "wrong_level"
    assert notice.text == "raw_command ignored: control_command is vehicle"
    [notice] = side.on_command(GO._replace(long_accel_mps2=math.nan), bench.now)
    assert notice.kind == "non_finite_command"
    assert notice.text == "VehicleCommand dropped: it is not finite"
    assert side.status(bench.now).counts == (("non_finite_command", 1), ("wrong_level", 1))
    bench.safety.reject(notice.kind, notice.text, bench.now)
    assert "those that come are not finite" in reasons(bench)
