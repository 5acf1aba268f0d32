"""Engaging: the handshake step by step, what refuses it, and engaging by itself."""

from dataclasses import replace
from typing import Any

import pytest
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.safety import Safety, SafetyParameters
from vdsim_interface.values import (
    NO_DRIVER,
    Authority,
    CabinState,
    DriverActivity,
    Headlight,
    Mode,
    Odometry,
    VehicleCommand,
)
from vdsim_interface.values.state_message import StateMessage
from vdsim_interface_kit.safety_stage import GO, Bench


def test_a_driverless_rig_starts_in_manual_and_holds() -> None:
    bench = Bench(rig="driverless")
    out = bench.step(GO)
    assert out.command.mode is Mode.MANUAL
    assert out.command.authority is Authority.IDLE
    assert out.command.vehicle.long_accel_mps2 == -2.0
    status = bench.safety.status(bench.now)
    assert status.mode_reason == "start"
    assert status.last_disengage_reason == ""


def test_the_handshake_step_by_step() -> None:
    bench = Bench(rig="driverless")
    bench.step()
    result, notices = bench.safety.on_change_mode(True, bench.now)
    assert (result.success, result.reason, result.mode) == (True, "engaging", Mode.NOT_READY)
    assert [r.text for r in notices] == ["MANUAL -> NOT_READY: asked to engage"]
    out = bench.step()
    assert out.command.mode is Mode.NOT_READY, "no command yet"
    assert out.command.authority is Authority.IDLE
    bench.reports_come = False
    assert bench.step(GO).command.mode is Mode.AUTONOMOUS
    assert bench.last("mode_changed") == (
        "NOT_READY -> AUTONOMOUS: "
        "handshake complete: the vehicle answers and a valid command is there"
    )
    result, notices = bench.safety.on_change_mode(True, bench.now)
    assert (result.success, result.reason, notices) == (True, "already engaged", ())


def test_the_vehicle_must_answer_after_the_request() -> None:
    bench = Bench()
    bench.step(GO)
    bench.reports_come = False
    bench.now += 0.01
    result, _ = bench.safety.on_change_mode(True, bench.now)
    assert result.success
    assert bench.step(GO).command.mode is Mode.NOT_READY
    bench.reports_come = True
    assert bench.step(GO).command.mode is Mode.AUTONOMOUS


def test_what_oscillated_during_the_handshake_does_not_count() -> None:
    bench = Bench(report_timeout_s=0.5)
    bench.step(GO)
    assert bench.safety.on_change_mode(True, bench.now)[0].success
    bench.reports_come = False
    for n in range(40):
        bench.step(VehicleCommand(0.0, 1.0 if n % 2 else -1.0, 0.0, 0.0))
    assert bench.safety.mode is Mode.NOT_READY, "the vehicle has not answered"
    bench.reports_come = True
    bench.step(GO, 5)
    assert bench.safety.mode is Mode.AUTONOMOUS
    assert "high_frequency" not in bench.kinds()


def test_a_report_of_the_moment_of_the_request_is_no_answer() -> None:
    bench = Bench()
    bench.step(GO)
    bench.safety.on_change_mode(True, bench.now)
    bench.safety.on_odometry(Odometry(bench.now, 0.0))
    assert bench.safety.run_period(GO, bench.now).command.mode is Mode.NOT_READY


def test_the_handshake_expires_without_a_command() -> None:
    bench = Bench(engage_timeout_s=1.0)
    bench.step()
    bench.safety.on_change_mode(True, bench.now)
    bench.step(None, 99)
    assert bench.safety.mode is Mode.NOT_READY
    bench.step(None, 2)
    assert bench.safety.mode is Mode.MANUAL
    assert bench.last("mode_changed") == "NOT_READY -> MANUAL: no valid command within 1 s"
    assert bench.last("engage_refused") == "engage refused: no valid command within 1 s"
    assert bench.safety.status(bench.now).last_disengage_reason == ""


def test_the_handshake_ends_when_a_precondition_is_lost() -> None:
    """[VI-3.3]"""
    bench = Bench()
    bench.step()
    bench.safety.on_change_mode(True, bench.now)
    bench.safety.inputs.on_cabin(CabinState(doors_closed=False), bench.now)
    assert bench.step(GO).command.mode is Mode.MANUAL
    assert bench.last("mode_changed") == "NOT_READY -> MANUAL: a door is open"
    assert bench.last("engage_refused") == "engage refused: a door is open"


def test_a_refusal_says_why_and_changes_nothing() -> None:
    """[VI-3.3]"""
    bench = Bench()
    bench.safety.inputs.on_cabin(CabinState(belts_fastened=False), bench.now)
    result, notices = bench.safety.on_change_mode(True, bench.now)
    assert not result.success
    assert result.reason == "the vehicle does not report; a belt is not fastened"
    assert result.mode is Mode.MANUAL
    assert [r.kind for r in notices] == ["engage_refused"]
    assert notices[0].text == f"engage refused: {result.reason}"
    assert bench.count("engage_refused") == 1


@pytest.mark.parametrize("field", [{"autonomous": True}, {"mode": Mode.AUTONOMOUS}])
def test_engaging_by_state_command(field: dict[str, Any]) -> None:
    bench = Bench()
    bench.step(GO)
    bench.request(**field)
    assert bench.safety.mode is Mode.NOT_READY
    bench.step(GO)
    assert bench.safety.mode is Mode.AUTONOMOUS


@pytest.mark.parametrize(
    "field",
    [{"autonomous": False}, {"mode": Mode.MANUAL}, {"autonomous": True, "mode": Mode.MANUAL}],
)
def test_disengaging_by_state_command(field: dict[str, Any]) -> None:
    bench = Bench().engage()
    bench.request(**field)
    result, _ = bench.safety.on_change_mode(False, bench.now)
    assert (result.success, result.reason) == (True, "disengaged")
    assert bench.safety.mode is Mode.MANUAL
    assert bench.last("mode_changed") == "AUTONOMOUS -> MANUAL: asked to disengage"
    assert bench.safety.status(bench.now).last_disengage_reason == "asked to disengage"


@pytest.mark.parametrize("mode", [Mode.NOT_READY, Mode.DISENGAGED])
def test_other_modes_cannot_be_requested(mode: Mode) -> None:
    bench = Bench().engage()
    notices = bench.request(mode=mode)
    assert [r.kind for r in notices] == ["undefined_value"]
    assert mode.name in notices[0].text
    assert bench.safety.mode is Mode.AUTONOMOUS
    assert bench.count("undefined_value") == 1


def test_auto_engage_waits_for_vehicle_command_and_cabin() -> None:
    bench = Bench(auto_engage=True)
    bench.step(None, 10)
    assert bench.safety.mode is Mode.MANUAL
    bench.safety.inputs.on_cabin(CabinState(load_secured=False), bench.now)
    bench.step(GO, 10)
    assert bench.safety.mode is Mode.MANUAL
    assert "engage_refused" not in bench.kinds(), "no request, so no refusal"
    bench.safety.inputs.on_cabin(CabinState(), bench.now)
    bench.step(GO)
    assert bench.safety.mode is Mode.NOT_READY
    assert bench.last("mode_changed").endswith("(safety.auto_engage)")
    bench.step(GO)
    assert bench.safety.mode is Mode.AUTONOMOUS


def test_without_auto_engage_nothing_happens_by_itself() -> None:
    bench = Bench()
    bench.step(GO, 50)
    assert bench.safety.mode is Mode.MANUAL


@pytest.mark.parametrize("how", ["override", "request"])
def test_auto_engage_never_after_a_person_has_taken_over(how: str) -> None:
    bench = Bench(auto_engage=True)
    bench.step(GO, 3)
    assert bench.safety.mode is Mode.AUTONOMOUS
    if how == "override":
        bench.safety.on_driver(DriverActivity(wheel=True))
        bench.safety.on_driver(NO_DRIVER)
    else:
        bench.safety.on_change_mode(False, bench.now)
    bench.step(GO, 100)
    assert bench.safety.mode is not Mode.AUTONOMOUS
    assert bench.safety.on_change_mode(True, bench.now)[0].success
    bench.step(GO, 2)
    assert bench.safety.mode is Mode.AUTONOMOUS


def test_while_a_person_drives_nothing_is_sent_until_autonomy_starts() -> None:
    """A request that cannot be fulfilled must not brake the person's car."""
    bench = Bench(auto_engage=True).engage()
    bench.safety.on_driver(DriverActivity(pedal=True))
    bench.safety.on_driver(NO_DRIVER)
    bench.step(n=60)  # the commands have ended
    assert bench.safety.on_change_mode(True, bench.now)[0].success
    authorities = {bench.step().command.authority for _ in range(290)}
    assert bench.safety.mode is Mode.NOT_READY
    authorities |= {bench.step().command.authority for _ in range(30)}
    assert bench.safety.mode is Mode.MANUAL, "no command within 3 s"
    authorities |= {bench.step(GO).command.authority for _ in range(30)}
    assert bench.safety.mode is Mode.MANUAL, "a request that failed does not make it automatic"
    assert authorities == {Authority.SILENT}
    assert bench.safety.on_change_mode(True, bench.now)[0].success
    assert bench.step(GO, 2).command.authority is Authority.COMMAND


def test_it_does_not_engage_again_by_itself_after_the_end() -> None:
    bench = Bench(auto_engage=True)
    bench.step(GO, 3)
    bench.safety.stop()
    bench.step(GO, 3)
    assert bench.safety.mode is Mode.MANUAL


@pytest.mark.parametrize("why", ["switch", "door", "nothing"])
def test_another_stage_goes_on_from_what_this_one_knew(why: str) -> None:
    before, after = (Bench(auto_engage=True, rig="driverless") for _ in range(2))
    before.engage()
    if why == "switch":
        before.safety.on_driver(DriverActivity(switch=True))
        before.safety.on_driver(NO_DRIVER)
    elif why == "door":
        before.safety.inputs.on_cabin(CabinState(doors_closed=False), before.now)
    before.safety.stop()
    after.safety.copy_requests(before.safety)
    authority = after.step(GO, 5).command.authority
    expected = {
        "switch": (Mode.MANUAL, Authority.IDLE),
        "door": (Mode.MANUAL, Authority.IDLE),
        "nothing": (Mode.AUTONOMOUS, Authority.COMMAND),
    }
    assert (after.safety.mode, authority) == expected[why]


def test_a_repeated_request_does_not_engage_another_stage() -> None:
    before, after = Bench(), Bench()
    please = StateMessage(autonomous=True, headlight=Headlight.ON)
    before.step(GO, 2)
    before.message(please)
    before.step(GO, 3)
    assert before.safety.mode is Mode.AUTONOMOUS
    before.safety.on_driver(DriverActivity(switch=True))
    before.safety.on_driver(NO_DRIVER)
    before.safety.stop()
    after.safety.copy_requests(before.safety)
    after.step(GO, 2)
    after.message(please)
    after.step(GO, 3)
    assert after.safety.mode is Mode.MANUAL
    after.message(replace(please, autonomous=False))
    after.message(please)
    output = after.step(GO, 3)
    assert after.safety.mode is Mode.AUTONOMOUS
    assert output.command.body.headlight is Headlight.ON, "and it is kept"


def test_auto_engage_comes_back_after_a_lost_link() -> None:
    bench = Bench(auto_engage=True)
    bench.step(GO, 3)
    bench.reports_come = False
    bench.step(GO, 120)
    assert bench.safety.mode is Mode.DISENGAGED
    bench.reports_come = True
    bench.step(GO, 3)
    assert bench.safety.mode is Mode.AUTONOMOUS


@pytest.mark.parametrize(("age", "engages"), [(0.5, True), (0.501, False)])
def test_a_command_engages_by_itself_while_it_is_fresh(age: float, engages: bool) -> None:
    safety = Safety(
        SafetyParameters(auto_engage=True), VehicleGeometry(), 0.01, 0.5, rear_steering=True
    )
    safety.run_period(VehicleCommand(0.0), 0.0)
    safety.on_odometry(Odometry(age, 0.0))
    safety.run_period(None, age)
    assert (safety.mode is Mode.NOT_READY) is engages
