"""Two computers and their switcher on virtual time: every fault at a car that steers and brakes."""

import pytest
from vdsim_simulate.fault_table import FAULTS
from vdsim_simulate.oracles import ORACLES
from vdsim_simulate.record import Asked, Computers, Record, Sample
from vdsim_simulate.runs import outcome_of, run_scene
from vdsim_simulate.scene import Event, Leg, Scene

TWO = "two_computers"
ROWS = [row.name for row in FAULTS.values() if row.compositions == (TWO,)]
DRIVE = (Leg(0.0, 5.0), Leg(1.5, 6.0, 2.0, 0.03), Leg(4.0, 6.0, 2.0, -0.03), Leg(6.0, 3.0))


def scene(*events: Event, level: str = "vehicle") -> Scene:
    return Scene(
        composition=TWO, level=level, model="kinematic", start_mps=5.0, legs=DRIVE, events=events,
        heals_s=9.0, ends_s=23.0,
    )  # fmt: skip


@pytest.mark.parametrize("level", ["vehicle", "high_level"])
def test_without_a_fault_main_drives(level: str) -> None:
    outcome = outcome_of(scene(level=level))
    assert not outcome.violations, outcome.story


@pytest.mark.parametrize("name", ROWS)
def test_no_fault_of_two_computers_makes_the_car_jump(name: str) -> None:
    values = {
        key: among[-1] if isinstance(among[0], str) else max(among)  # type: ignore[type-var]
        for key, among in FAULTS[name].ranges.items()
    }
    outcome = outcome_of(scene(Event(2.5, name, values)))
    assert not outcome.violations, outcome.story


def test_a_dead_main_stops_the_car_and_a_selected_sub_drives_on() -> None:
    dead = {"for_s": 4.0}
    stopped = run_scene(scene(Event(2.0, "main_dies", dead)))
    driven = run_scene(scene(Event(2.0, "main_dies_and_sub_is_selected", {**dead, "late_s": 0.1})))

    def slowest_mps(record: Record) -> float:
        return min(car.vx_mps for car in record.car if 2.0 < car.time_s < 6.0)

    assert slowest_mps(stopped) < 0.1
    assert slowest_mps(driven) > 3.0


# ---- the oracles on records that are wrong -------------------------------------------------------


def a_record() -> Record:
    """Five seconds in which main is selected and steers 0.1 rad, sub 0.09 rad."""
    record = Record(scene())
    two = record.computers = Computers()
    for n in range(250):
        time_s = 0.02 * n
        two.sent["main"].append(Asked(time_s, 0.1, True))
        two.sent["sub"].append(Asked(time_s, 0.09, True))
        two.passed.append(Asked(time_s + 0.001, 0.1, True))
        if n % 5 == 0:
            two.said.append((time_s, (0, 2)))
    return record


def broken(name: str, record: Record) -> bool:
    return any(ORACLES[name](record))


def test_a_jump_to_another_angle_is_found() -> None:
    record = a_record()
    assert record.computers is not None
    assert not broken("a_hand_over_does_not_jump", record)
    record.computers.passed[100] = Asked(2.001, 0.2, True)
    assert broken("a_hand_over_does_not_jump", record)


def test_a_step_away_from_all_that_is_asked_is_found_although_a_computer_swung() -> None:
    record = a_record()
    assert record.computers is not None
    record.computers.sent["sub"][100] = Asked(2.0, 0.5, True)
    assert not broken("a_hand_over_does_not_jump", record)
    record.computers.passed[100] = Asked(2.001, 0.05, True)
    assert broken("a_hand_over_does_not_jump", record)


def test_a_drive_for_a_dead_computer_is_found() -> None:
    record = a_record()
    assert record.computers is not None
    assert not broken("nobody_drives_for_a_dead_computer", record)
    del record.computers.sent["main"][100:150]
    assert broken("nobody_drives_for_a_dead_computer", record)


def test_the_brake_of_a_car_that_slides_back_is_no_drive_for_a_dead_computer() -> None:
    record = a_record()
    assert record.computers is not None
    del record.computers.sent["main"][100:150]
    for vx_mps, drives in ((-0.5, False), (0.5, True)):
        record.car = [Sample(0.02 * n, 0.0, vx_mps, 0.0, 0.0, 0.0, 0.0) for n in range(250)]
        assert broken("nobody_drives_for_a_dead_computer", record) is drives


@pytest.mark.parametrize("units", [(), (0, 1), (7,), (1,) * 1000])
def test_a_message_that_selects_nobody_new_leaves_who_was_selected(units: tuple[int, ...]) -> None:
    record = a_record()
    assert record.computers is not None
    record.computers.said = [
        (time_s, units if time_s > 1.0 else (0, 2)) for time_s, _ in record.computers.said
    ]
    del record.computers.sent["sub"][100:150]
    assert not broken("nobody_drives_for_a_dead_computer", record)
    del record.computers.sent["main"][100:150]
    assert broken("nobody_drives_for_a_dead_computer", record)
