"""The guard keeps the car safe whatever its shell does, and serves one that works."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vdsim_interface.extras.explain.gate_record import recomputed
from vdsim_interface.extras.fake.platform import FakeParameters
from vdsim_interface.guard import frames
from vdsim_interface.guard.session import SHELL_GONE, SHELL_SILENT, ShellSession
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    Authority,
    CabinState,
    HighLevelCommand,
    Mode,
    RawCommand,
    Session,
    VehicleCommand,
    notice_kinds,
)
from vdsim_interface_kit.guarding import GO, PERIOD_S, GuardedCar, setup

TIMEOUT_S = 0.5


# ---- a shell that works --------------------------------------------------------------------------


def test_the_commands_of_the_shell_drive_the_car() -> None:
    car = GuardedCar().driving()
    assert car.accel_mps2 == pytest.approx(1.0)
    output = car.last(frames.Output)
    assert output.safe.received == output.safe.controlled == GO._replace(stamp_s=car.now)
    assert output.link_fresh


def test_the_shell_receives_every_report_and_the_status() -> None:
    car = GuardedCar().driving()
    assert len(car.all_of(frames.Report)) == len(car.all_of(frames.Output)) == 200
    assert car.last(frames.Report).report.velocity_mps == car.speed_mps
    assert car.last(frames.Status).status.mode is Mode.AUTONOMOUS
    assert car.last(frames.Status).blocked == ""


def test_health_comes_when_it_is_asked_for() -> None:
    car = GuardedCar().driving()
    assert not car.all_of(frames.Health)
    car.send(frames.AskHealth())
    car.run(PERIOD_S)
    assert car.last(frames.Health).shell == {
        "shell_lost": 0.0,
        "shell_stale": 0.0,
        "shell_rejected": 0.0,
    }


def test_a_command_of_another_level_is_counted_and_not_used() -> None:
    car = GuardedCar()
    car.send(frames.CommandReceived(HighLevelCommand(0.0, 5.0)))
    car.run(0.1)
    assert "wrong_level" in dict(car.last(frames.Status).status.counts)


def test_a_raw_command_passes_at_raw_level() -> None:
    car = GuardedCar()
    car.setup = setup(control_command="raw", safety=SafetyParameters(auto_engage=True))
    car.start_shell()
    for _ in range(100):
        raw = RawCommand(car.now + PERIOD_S, throttle=300)
        car.now += PERIOD_S
        car.send(frames.Front(raw, None, None, raw))
        car.now -= PERIOD_S
        car.run(PERIOD_S)
    assert car.last(frames.Output).safe.command.raw is not None


def test_changed_limits_hold_from_the_next_period() -> None:
    car = GuardedCar(auto_engage=False)
    assert car.ask(frames.Configure({"safety.accel_max_mps2": 0.5})).success
    car.run(0.1, GO)
    assert car.ask(frames.ChangeMode(engage=True)).success
    car.driving()
    assert car.accel_mps2 == pytest.approx(0.5)
    refused = car.ask(frames.Configure({"safety.accel_max_mps2": 1.0}))
    assert "disengage first" in refused.text


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"safety.accel_max_mps2": -1.0}, "safety.accel_max_mps2=-1.0: must be"),
        ({"safety.accel_max_mps2": "fast"}, "must be a number"),
        ({"rate_hz": 50.0}, "cannot change while the node is active"),
        ({"colour": "red"}, "is not a parameter"),
    ],
)
def test_a_wrong_value_is_refused_with_its_reason(
    values: dict[str, frames.Value], why: str
) -> None:
    car = GuardedCar().driving()
    answer = car.ask(frames.Configure(values))
    assert not answer.success
    assert why in answer.text
    assert car.mode is Mode.AUTONOMOUS


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (setup()._replace(platform="submarine"), "platform=submarine: must be one of"),
        (setup()._replace(interface={"rate_hz": 1.0}), "rate_hz=1.0: must be"),
        (setup()._replace(platform_values={"fake.colour": 1}), "fake.colour=1: is not"),
        (setup()._replace(platform_path="/does/not/exist"), "is not a folder"),
    ],
)
def test_a_wrong_setup_is_refused_and_the_guard_goes_on(wrong: frames.Activate, why: str) -> None:
    car = GuardedCar().driving()
    answer = car.ask(wrong)
    assert not answer.success
    assert why in answer.text
    car.run(0.1, GO)
    assert car.mode is Mode.AUTONOMOUS


def test_a_socket_that_cannot_be_opened_is_the_answer() -> None:
    car = GuardedCar()
    car.link.refusal = "vds1: UDP 127.0.0.1:7002 is taken by another process"
    answer = car.ask(setup(FakeParameters(drive_lag_s=0.2)))
    assert not answer.success
    assert answer.text == car.link.refusal


# ---- a shell that does not -----------------------------------------------------------------------


def test_the_end_of_the_shell_stops_the_car_at_once_and_holds_it() -> None:
    car = GuardedCar().driving()
    car.guard.disconnect()
    car.run(PERIOD_S)
    assert car.mode is Mode.DISENGAGED
    assert car.accel_mps2 < 0.0
    car.run(5.0)
    assert car.speed_mps == 0.0
    sides = car.guard.sides
    assert sides is not None
    assert sides.safety.status(car.now).last_disengage_reason == SHELL_GONE
    # It brakes as long as it runs.
    assert sides.vehicle.sent is not None
    assert sides.vehicle.sent.command.authority is Authority.IDLE
    assert car.accel_mps2 < 0.0


def test_a_frozen_shell_is_a_stale_command() -> None:
    car = GuardedCar().driving()
    car.run(TIMEOUT_S - PERIOD_S)
    assert car.mode is Mode.AUTONOMOUS
    assert car.accel_mps2 == pytest.approx(1.0)
    car.run(3 * PERIOD_S)
    assert car.mode is Mode.DISENGAGED
    car.run(5.0)
    assert car.speed_mps == 0.0
    status = car.last(frames.Status).status
    assert status.last_disengage_reason == SHELL_SILENT


def test_the_steering_is_held_while_the_guard_stops_the_car() -> None:
    car = GuardedCar().driving()
    car.guard.disconnect()
    sides = car.guard.sides
    assert sides is not None
    assert sides.vehicle.sent is not None
    before_rad = sides.vehicle.sent.command.vehicle.front_wheel_angle_rad
    car.run(1.0)
    after_rad = sides.vehicle.sent.command.vehicle.front_wheel_angle_rad
    assert after_rad == pytest.approx(before_rad, abs=0.01)


def test_a_shell_that_comes_back_needs_an_engage() -> None:
    car = GuardedCar(auto_engage=False)
    car.run(0.2, GO)
    assert car.ask(frames.ChangeMode(True)).success
    car.driving()
    car.guard.disconnect()
    car.run(1.0)
    car.start_shell()
    assert car.answer.success
    car.run(1.0, GO)
    assert car.mode is Mode.DISENGAGED
    assert car.ask(frames.ChangeMode(True)).success
    car.run(0.2, GO)
    assert car.mode is Mode.AUTONOMOUS


def test_a_new_shell_finds_the_vehicle_as_it_is() -> None:
    car = GuardedCar().driving()
    sides, opened = car.guard.sides, car.link.opened
    car.guard.disconnect()
    car.start_shell()
    assert car.answer.success
    assert car.guard.sides is sides
    assert car.link.opened == opened


def test_a_new_shell_with_other_parameters_begins_again() -> None:
    car = GuardedCar().driving()
    sides = car.guard.sides
    car.guard.disconnect()
    car.setup = setup(rate_hz=50.0, safety=SafetyParameters(auto_engage=True))
    car.start_shell()
    assert car.guard.sides is not sides
    assert car.guard.period_s == pytest.approx(0.02)
    assert car.link.closed == 2  # before each activation


def test_who_drove_survives_the_end_of_the_shell() -> None:
    car = GuardedCar().driving()
    car.send(frames.OverrideReceived(True))
    car.run(0.1, GO)
    assert car.last(frames.Output).safe.command.authority is Authority.SILENT
    car.guard.disconnect()
    car.setup = setup(rate_hz=50.0)
    car.start_shell()
    car.run(0.1)
    assert car.last(frames.Output).safe.command.authority is Authority.SILENT


@pytest.mark.parametrize(
    ("driver", "authority"), [("person", "SILENT"), ("autonomy", "IDLE"), ("unknown", "SILENT")]
)
def test_a_new_guard_learns_from_the_shell_who_drove(driver: str, authority: str) -> None:
    car = GuardedCar()
    car.guard = type(car.guard)(car.link)
    car.setup = car.setup._replace(session=Session(driver, {"rate": 3}))
    car.start_shell()
    car.run(0.1)
    assert car.last(frames.Output).safe.command.authority is Authority[authority]
    assert dict(car.last(frames.Status).status.counts)["rate"] == 3


def test_queued_commands_do_not_count_after_a_stall() -> None:
    car = GuardedCar().driving()
    sent_s = car.now
    car.now += 2.0  # neither process ran
    for n in range(10):
        fresh = GO._replace(stamp_s=sent_s + n * PERIOD_S)
        car.send(frames.Front(fresh, fresh, fresh, None), sent_s=sent_s + n * PERIOD_S)
    car.run(0.1)
    assert car.mode is Mode.DISENGAGED
    car.send(frames.AskHealth())
    car.run(PERIOD_S)
    assert car.last(frames.Health).shell["shell_stale"] == 10.0


def test_an_old_request_ends_autonomy_but_does_not_begin_it() -> None:
    car = GuardedCar(auto_engage=False)
    car.run(0.2, GO)
    counter = car.send(frames.ChangeMode(True), sent_s=car.now - 3.0)
    car.run(0.5, GO)
    assert not [a for a in car.all_of(frames.Answer) if a.request == counter]
    assert car.mode is Mode.MANUAL
    assert car.ask(frames.ChangeMode(True)).success
    car.run(0.5, GO)
    assert car.mode is Mode.AUTONOMOUS
    assert car.ask(frames.ChangeMode(False), sent_s=car.now - 3.0).success
    assert car.mode is Mode.MANUAL


def test_an_old_open_door_still_counts() -> None:
    car = GuardedCar().driving()
    car.send(frames.CabinReceived(CabinState(doors_closed=False)), sent_s=car.now - 3.0)
    car.run(0.5, GO)
    assert car.accel_mps2 < 0.0


def test_garbage_is_no_sign_of_life() -> None:
    car = GuardedCar().driving()
    for n in range(100):
        car.guard.on_frame(bytes([n]) * n, car.now)
        car.run(PERIOD_S)
    assert car.mode is Mode.DISENGAGED
    status = car.last(frames.Status).status
    assert status.last_disengage_reason == SHELL_SILENT
    assert any(
        "frame of the ROS shell dropped" in n.text
        for o in car.all_of(frames.Output)
        for n in o.notices
    )


def test_a_command_from_the_future_ages_as_one_of_now() -> None:
    car = GuardedCar().driving()
    late = GO._replace(stamp_s=car.now + 1000.0)
    car.send(frames.Front(late, late, late, None))
    for _ in range(100):
        car.send(frames.AskHealth())  # the shell lives, its stack does not
        car.run(PERIOD_S)
    assert car.accel_mps2 < 0.0


def test_a_command_without_a_time_is_never_fresh() -> None:
    car = GuardedCar().driving()
    timeless = GO._replace(stamp_s=math.nan)
    for _ in range(20):
        car.send(frames.Front(timeless, timeless, timeless, None))
        car.run(PERIOD_S)
    assert car.accel_mps2 < 0.0


ANY_FRONT = st.builds(
    VehicleCommand,
    st.floats(),
    st.floats(),
    st.floats(),
    st.floats(),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(ANY_FRONT, st.binary(max_size=60)), max_size=30))
def test_no_numbers_and_no_bytes_bring_a_wrong_command_to_the_car(
    inputs: list[VehicleCommand | bytes],
) -> None:
    car = GuardedCar().driving()
    for each in inputs:
        if isinstance(each, bytes):
            car.guard.on_frame(each, car.now)
        else:
            car.send(frames.Front(each, each, each, None))
        car.run(PERIOD_S)
        limits = SafetyParameters()
        assert -limits.decel_max_mps2 <= car.accel_mps2 <= limits.accel_max_mps2
        assert math.isfinite(car.speed_mps)


# ---- the end of the guard ------------------------------------------------------------------------


def test_deactivating_sends_the_safe_command_and_closes_the_sockets() -> None:
    car = GuardedCar().driving()
    closed = car.link.closed
    assert car.ask(frames.Deactivate()).success
    assert car.mode is Mode.MANUAL
    assert car.accel_mps2 == pytest.approx(-SafetyParameters().stop_decel_mps2)
    assert car.link.closed == closed + 1
    assert not car.guard.is_active
    assert not car.ask(frames.ChangeMode(True)).success


def test_the_last_command_of_the_guard_is_the_safe_one() -> None:
    car = GuardedCar().driving()
    car.now += PERIOD_S
    car.guard.stop(car.now)
    assert car.mode is Mode.MANUAL
    assert car.accel_mps2 == pytest.approx(-SafetyParameters().stop_decel_mps2)


def test_before_the_first_setup_nothing_is_sent() -> None:
    car = GuardedCar()
    guard = type(car.guard)(car.link)
    guard.connect()
    assert guard.decide(1.0) == ()
    assert guard.stop(1.0) == ()
    guard.disconnect()
    assert guard.take_frames(1.0) == []


def test_a_guard_that_catches_up_ends_each_period_once() -> None:
    """As a tick for each: what follows a period runs once, and before the next one."""
    car = GuardedCar().driving()
    sides = car.guard.sides
    assert sides is not None
    events: list[str] = []
    step, after_step = sides.safety.step, sides.safety.after_step

    def noted_step(*arguments: object) -> object:
        events.append("step")
        return step(*arguments)  # type: ignore[arg-type]

    def noted_after() -> None:
        events.append("after")
        after_step()

    sides.safety.step = noted_step  # type: ignore[method-assign, assignment]
    sides.safety.after_step = noted_after  # type: ignore[method-assign]
    for late_periods in (1, 2, 3):
        events.clear()
        car.now += late_periods * PERIOD_S
        car.guard.decide(car.now)
        car.guard.after_send(car.now)
        assert events == ["step", "after"] * late_periods


def test_a_guard_that_did_not_run_ends_autonomy_and_says_so() -> None:
    """The loop begins each round with the time; between two rounds nothing else shows a stall."""
    car = GuardedCar().driving()
    car.guard.begin_round(car.now)
    car.guard.begin_round(car.now + 0.04)
    assert car.mode is Mode.AUTONOMOUS
    car.guard.begin_round(car.now + 1.0)
    assert car.mode is not Mode.AUTONOMOUS
    car.now += 1.0
    car.run(PERIOD_S)
    kinds = [notice.kind for output in car.all_of(frames.Output) for notice in output.notices]
    assert notice_kinds.TICK_OVERRUN in kinds


def test_without_a_shell_no_frame_leads_the_ticks() -> None:
    car = GuardedCar().driving()
    front = frames.Front(GO, GO, GO, None)
    car.guard.disconnect()
    assert not car.guard.on_frame(frames.FrameWriter().write(front, car.now)[1], car.now)
    car.guard.connect()
    assert not car.guard.on_frame(b"garbage", car.now)


def test_a_frame_is_fresh_up_to_the_time_out_itself() -> None:
    session = ShellSession(TIMEOUT_S)
    session.on_frame(frames.FrameWriter().write(frames.AskHealth(), 1.0)[1], 1.0)
    assert not session.is_silent(1.0 + TIMEOUT_S)
    assert session.is_silent(1.0 + TIMEOUT_S + 1e-6)


def test_what_the_gate_judged_is_sent_while_it_is_traced() -> None:
    car = GuardedCar().driving()
    assert car.last(frames.Output).judged is None, "nobody reads it, and it takes time"
    car.send(frames.Front(GO, GO, GO, None, traced=True))
    car.run(PERIOD_S)
    judged = car.last(frames.Output).judged
    assert judged is not None
    assert recomputed(judged)[0] == judged.sent
    car.run(PERIOD_S, GO)
    assert car.last(frames.Output).judged is None
