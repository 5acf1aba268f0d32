"""PARK after a stop of ours: when it is set, when it ends, and what counts as standing."""

import pytest
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import Blinker, Gear, Mode, Parked, VehicleCommand
from vdsim_interface.values.state_message import StateMessage
from vdsim_interface_kit.safety_stage import GO, Bench

PERIOD_S = 0.01
REST = VehicleCommand(0.0, 0.0)


def gears(bench: Bench, periods_n: int, command: VehicleCommand | None = None) -> list[Gear]:
    return [bench.step(command).command.body.gear for _ in range(periods_n)]


def stopped(**limits: object) -> Bench:
    """Autonomy that drove off, stands, and gets its last command."""
    bench = Bench(**limits).engage()
    bench.step(GO, 100)
    return bench


def test_park_is_set_a_second_after_the_car_stands() -> None:
    bench = stopped()
    seen = gears(bench, 190)
    assert seen[0] is Gear.DRIVE
    parked = seen.index(Gear.PARK)
    assert parked * PERIOD_S == pytest.approx(0.5 + 1.0, abs=0.03), "time-out, then a second"
    assert set(seen[parked:]) == {Gear.PARK}


def test_a_shift_just_before_delays_park() -> None:
    bench = stopped(shift_time_s=3.0, command_lost_s=60.0)
    bench.step(REST, 400)
    bench.step(VehicleCommand(0.0, -2.0), 10)
    shifted = bench.step(VehicleCommand(0.0, -2.0)).command.body.gear
    assert shifted is Gear.REVERSE
    seen = gears(bench, 600)
    parked = seen.index(Gear.PARK)
    assert parked * PERIOD_S == pytest.approx(3.0, abs=0.15), "one shift at a time"


def test_neutral_is_no_gear_to_park_from() -> None:
    bench = stopped(command_lost_s=60.0)
    bench.request(gear=Gear.NEUTRAL)
    bench.step(REST, 100)
    assert set(gears(bench, 300)) == {Gear.NEUTRAL}


def test_drive_returns_after_the_time_of_a_shift() -> None:
    bench = stopped(shift_time_s=1.0, command_lost_s=60.0)
    seen = gears(bench, 300)
    parked = seen.index(Gear.PARK)
    assert parked < 160
    assert set(gears(bench, 20, GO)[3:]) == {Gear.DRIVE}, "the last shift is long ago"
    late = stopped(shift_time_s=1.0, command_lost_s=60.0)
    while late.step().command.body.gear is not Gear.PARK:
        pass
    early = gears(late, 150, GO)
    assert early.index(Gear.DRIVE) * PERIOD_S == pytest.approx(1.0, abs=0.02)


def test_autonomy_ends_in_the_period_in_which_the_time_is_over() -> None:
    stood_s = 0.0
    for _ in range(150):
        stood_s += PERIOD_S
    bench = stopped(command_lost_s=stood_s)
    modes = []
    for _ in range(300):
        bench.step()
        modes.append(bench.safety.mode)
    ended = modes.index(Mode.DISENGAGED)
    exactly = stopped(command_lost_s=stood_s - 0.5 * PERIOD_S)
    same = []
    for _ in range(300):
        exactly.step()
        same.append(exactly.safety.mode)
    assert same.index(Mode.DISENGAGED) == ended


def test_a_stop_of_ours_freezes_parameters_while_the_car_moves() -> None:
    bench = Bench(rig="driverless").engage()
    bench.safety.on_change_mode(False, bench.now)
    standing = SafetyParameters().standstill_speed_mps
    for speed, frozen in ((3.0, True), (-3.0, True), (standing, False), (0.0, False)):
        bench.speed = speed
        bench.step()
        assert bool(bench.safety.frozen_because) is frozen, speed


@pytest.mark.parametrize("field", ["gear", "hand_brake"])
def test_a_request_is_checked_while_autonomy_drives_and_only_then(field: str) -> None:
    value = Gear.PARK if field == "gear" else True
    for engages in (True, False):
        bench = Bench()
        bench.speed = 3.0
        if engages:
            bench.engage()
        bench.step(GO)
        notices = bench.request(**{field: value})
        assert bool([n for n in notices if n.kind.is_refusal]) is engages


@pytest.mark.parametrize(
    ("wish", "field"),
    [({"hand_brake": False}, "takes_hand_brake"), ({"gear": Gear.DRIVE}, "takes_gear")],
)
def test_what_is_taken_over_is_said_until_a_report_has_shown_that(
    wish: dict[str, object], field: str
) -> None:
    bench = stopped(command_lost_s=60.0)
    bench.step(REST, 10)
    while not bench.parking.parked.hand_brake or bench.parking.parked.gear_before is None:
        bench.step(None)
    bench.step(REST, 10)
    bench.reports_come = False
    bench.request(**wish)
    said = [getattr(bench.step(REST).command.standing, field) for _ in range(5)]
    assert said[-3:] == [True, True, True]
    bench.reports_come = True
    assert not getattr(bench.step(REST, 3).command.standing, field)


def unreported(bench: Bench, holds: VehicleCommand | None) -> None:
    """PARK and hand brake have just been set, and no report shows them yet."""
    while not bench.parking.parked.is_held:
        bench.step(holds)
    bench.reports_come = False


@pytest.mark.parametrize("holds", [None, REST])
def test_a_copy_of_what_was_reported_before_park_takes_nothing(
    holds: VehicleCommand | None,
) -> None:
    """The sender could not know of it, in a stop and while the stack holds the car itself."""
    bench = stopped(command_lost_s=60.0, hold_park_after_s=2.0)
    unreported(bench, holds)
    bench.message(StateMessage(blinker=int(Blinker.LEFT), gear=int(Gear.DRIVE)))
    for _ in range(100):
        body = bench.step(holds).command.body
        assert (body.gear, body.hand_brake) == (Gear.PARK, True)
        bench.reports_come = True
    assert bench.parking.parked == Parked(True, Gear.DRIVE, True)
    assert set(gears(bench, 100, GO)[60:]) == {Gear.DRIVE}
    assert not bench.step(GO).command.body.hand_brake


@pytest.mark.parametrize("gear", [Gear.DRIVE, Gear.REVERSE, Gear.NEUTRAL])
@pytest.mark.parametrize("is_reported", [True, False])
def test_a_gear_that_is_asked_for_waits_for_the_shift_to_park(
    gear: Gear, *, is_reported: bool
) -> None:
    bench = stopped(shift_time_s=1.0, command_lost_s=60.0, hold_park_after_s=2.0)
    unreported(bench, REST)
    bench.reports_come = is_reported
    bench.step(REST, 2 * is_reported)
    bench.request(gear=gear)
    seen = gears(bench, 1, REST)
    bench.reports_come = True
    seen += gears(bench, 150, REST)
    changes = [n for n in range(1, 150) if seen[n] is not seen[n - 1]]
    assert seen[0] is Gear.PARK
    if gear is Gear.DRIVE and not is_reported:
        assert not changes, "it was in DRIVE, as far as anybody could know"
    else:
        [change] = changes
        assert seen[-1] is gear
        assert change * PERIOD_S == pytest.approx(1.0, abs=0.05)
