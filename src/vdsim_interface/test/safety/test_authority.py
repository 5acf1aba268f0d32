"""What is sent while autonomy is off: every row of the table of authority, in the safety stage."""

from collections.abc import Callable

import pytest
from vdsim_interface.safety.authority import (
    AUTHORITY_TABLE,
    RESTART,
    Entry,
    LastDriver,
    Off,
    Rig,
)
from vdsim_interface.values import NO_DRIVER, Authority, Blinker, CabinState, DriverActivity, Mode
from vdsim_interface_kit.safety_stage import GO, Bench


def started(bench: Bench) -> None:
    bench.step()


def resumed(last_driver: LastDriver) -> Callable[[Bench], None]:
    def resume(bench: Bench) -> None:
        bench.safety.go_on(last_driver)
        bench.step()

    return resume


def disengaged(bench: Bench) -> None:
    bench.engage().safety.on_change_mode(False, bench.now)


def overridden(bench: Bench) -> None:
    bench.engage().safety.on_driver(DriverActivity(wheel=True))
    bench.safety.on_driver(NO_DRIVER)


def uncommanded(bench: Bench) -> None:
    bench.engage().step(None, 260)
    assert bench.safety.mode is Mode.DISENGAGED


def unsecured(bench: Bench) -> None:
    bench.engage().safety.inputs.on_cabin(CabinState(doors_closed=False), bench.now)
    bench.step(GO)
    assert bench.safety.mode is Mode.DISENGAGED
    bench.safety.inputs.on_cabin(CabinState(), bench.now)


def unreported(bench: Bench) -> None:
    bench.engage()
    bench.reports_come = False
    bench.step(GO, 110)
    bench.reports_come = True


def left(bench: Bench) -> None:
    bench.engage().safety.on_vehicle_ready(False)
    bench.safety.on_vehicle_ready(True)


def not_followed(bench: Bench) -> None:
    bench.engage().safety.on_tracking("the vehicle does not brake")


def stopped(bench: Bench) -> None:
    bench.engage().safety.stop()


WAYS: dict[Entry, Callable[[Bench], None]] = {
    Entry.START: started,
    Entry.RESTART_AUTONOMOUS: resumed(LastDriver.AUTONOMY),
    Entry.RESTART_PERSON: resumed(LastDriver.PERSON),
    Entry.DISENGAGE: disengaged,
    Entry.OVERRIDE: overridden,
    Entry.COMMAND_LOST: uncommanded,
    Entry.SECURED_LOST: unsecured,
    Entry.LINK_LOST: unreported,
    Entry.NOT_FOLLOWING: not_followed,
    Entry.VEHICLE_LEFT: left,
    Entry.STOP: stopped,
}
ROWS = [(entry, rig) for entry in Entry for rig in Rig]


@pytest.mark.parametrize(("entry", "rig"), ROWS)
def test_a_row_of_the_table(entry: Entry, rig: Rig) -> None:
    bench = Bench(rig=rig.value)
    WAYS[entry](bench)
    expected = AUTHORITY_TABLE[entry, rig]
    command = bench.step(GO, 50).command
    assert command.mode in (Mode.MANUAL, Mode.DISENGAGED)
    if expected is Off.SILENT:
        assert command.authority is Authority.SILENT
        return
    assert command.authority is Authority.IDLE
    assert command.vehicle.long_accel_mps2 < 0.0
    # A person at the pedals of a car that waits for one gets it; nobody sits in a driverless one.
    bench.safety.on_driver(DriverActivity(pedal=True))
    bench.safety.on_driver(NO_DRIVER)
    silent = bench.step(GO).command.authority is Authority.SILENT
    assert silent is (expected is Off.HOLD_UNTIL_PERSON)


def test_the_tables_are_total() -> None:
    assert set(AUTHORITY_TABLE) == {(entry, rig) for entry in Entry for rig in Rig}
    assert set(WAYS) == set(Entry)
    assert set(RESTART) == set(LastDriver)
    waits = {row for row, off in AUTHORITY_TABLE.items() if off is Off.HOLD_UNTIL_PERSON}
    assert all(rig is Rig.DRIVER for _, rig in waits)
    assert all(AUTHORITY_TABLE[entry, Rig.DRIVERLESS] is Off.HOLD for entry in Entry)


@pytest.mark.parametrize("rig", Rig)
@pytest.mark.parametrize("entry", sorted(set(Entry) - {Entry.STOP}))
def test_a_handshake_that_expires_changes_nothing(entry: Entry, rig: Rig) -> None:
    bench = Bench(rig=rig.value, engage_timeout_s=0.2)
    WAYS[entry](bench)
    bench.step(None, 60)
    before = bench.step().command.authority
    result, _ = bench.safety.on_change_mode(True, bench.now)
    assert result.success, result.reason
    during = {bench.step().command.authority for _ in range(30)}
    assert bench.safety.mode is Mode.MANUAL
    assert "no valid command within 0.2 s" in bench.last("mode_changed")
    assert during == {before}
    assert bench.step().command.authority is before


@pytest.mark.parametrize(
    ("entry", "rig", "engages"),
    [
        (Entry.START, Rig.DRIVER, True),
        (Entry.START, Rig.DRIVERLESS, True),
        (Entry.RESTART_AUTONOMOUS, Rig.DRIVER, False),
        (Entry.RESTART_AUTONOMOUS, Rig.DRIVERLESS, True),
        (Entry.RESTART_PERSON, Rig.DRIVER, False),
        (Entry.RESTART_PERSON, Rig.DRIVERLESS, False),
        (Entry.DISENGAGE, Rig.DRIVER, False),
        (Entry.DISENGAGE, Rig.DRIVERLESS, False),
        (Entry.OVERRIDE, Rig.DRIVER, False),
        (Entry.OVERRIDE, Rig.DRIVERLESS, False),
        (Entry.COMMAND_LOST, Rig.DRIVER, False),
        (Entry.COMMAND_LOST, Rig.DRIVERLESS, True),
        (Entry.LINK_LOST, Rig.DRIVER, True),
        (Entry.LINK_LOST, Rig.DRIVERLESS, True),
        (Entry.NOT_FOLLOWING, Rig.DRIVER, False),
        (Entry.NOT_FOLLOWING, Rig.DRIVERLESS, False),
        (Entry.VEHICLE_LEFT, Rig.DRIVER, True),
        (Entry.VEHICLE_LEFT, Rig.DRIVERLESS, True),
        (Entry.STOP, Rig.DRIVER, False),
        (Entry.STOP, Rig.DRIVERLESS, False),
    ],
)
def test_whether_a_command_that_reappears_drives(entry: Entry, rig: Rig, engages: bool) -> None:
    bench = Bench(rig=rig.value, auto_engage=True)
    WAYS[entry](bench)
    bench.step(GO, 20)
    assert (bench.safety.mode is Mode.AUTONOMOUS) is engages


@pytest.mark.parametrize("rig", Rig)
def test_silence_ends_autonomy_of_a_standing_car_only(rig: Rig) -> None:
    bench = Bench(rig=rig.value).engage()
    bench.speed = 3.0
    bench.step(None, 500)
    assert bench.safety.mode is Mode.AUTONOMOUS
    bench.speed = 0.0
    assert bench.step(None, 199).command.mode is Mode.AUTONOMOUS
    assert bench.step(None, 3).command.mode is Mode.DISENGAGED
    text = bench.last("mode_changed")
    assert text.startswith("AUTONOMOUS -> DISENGAGED: no command for 7.0")
    assert text.endswith(" s, and the car stands")


def test_a_stream_within_the_time_goes_on() -> None:
    bench = Bench().engage()
    bench.step(None, 195)
    assert bench.step(GO).command.mode is Mode.AUTONOMOUS


def test_who_drove_outlives_the_process() -> None:
    bench = Bench()
    assert bench.safety.last_driver is LastDriver.UNKNOWN
    bench.engage()
    assert bench.safety.last_driver is LastDriver.AUTONOMY
    bench.safety.on_driver(DriverActivity(switch=True))
    assert bench.safety.last_driver is LastDriver.PERSON


def test_the_next_autonomy_ends_the_hazard_lamps_of_a_stop() -> None:
    bench = Bench()
    bench.body = bench.body.__class__(gear=bench.body.gear, blinker=Blinker.LEFT)
    bench.engage()
    bench.step(None, 100)
    assert bench.output is not None
    assert bench.output.command.body.blinker is Blinker.HAZARD
    bench.body = bench.body.__class__(gear=bench.body.gear, blinker=Blinker.HAZARD)
    bench.step(None, 200)
    assert bench.safety.mode is Mode.DISENGAGED
    bench.safety.on_change_mode(True, bench.now)
    assert bench.step(GO, 3).command.body.blinker is Blinker.LEFT
