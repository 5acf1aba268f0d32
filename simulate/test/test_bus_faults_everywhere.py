"""Each row of "What ends autonomy" (docs/can-reference.md) in each composition, with its sentence.

When it ends, and why, by the event log; test_bus_worlds.py has what goes on or begins again.
"""

import json
from pathlib import Path

import pytest
from vdsim_can.data import example
from vdsim_can.ecu.orders import Kind
from vdsim_simulate.fault_table import EVERYWHERE
from vdsim_simulate.oracles import judge
from vdsim_simulate.record import Record
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Leg, Scene
from vdsim_simulate.world import World

BEGINS_S = 1.5
ENDS_S = BEGINS_S + 2.0
LINK_LOST = "no report"


def message(name: str, of: str) -> Event:
    return Event(BEGINS_S, name, {"message": of, "for_s": 2.0})


FAULTS: dict[str, tuple[Event, str, float]] = {
    "speed lost": (message("message_lost", "DBW_MOTION"), LINK_LOST, 1.3),
    "speed stands": (message("counter_stands", "DBW_MOTION"), LINK_LOST, 1.3),
    "angle lost": (message("message_lost", "DBW_STEERING"), LINK_LOST, 1.3),
    "angle with a wrong checksum": (message("checksum_wrong", "DBW_STEERING"), LINK_LOST, 1.3),
    "another lost": (message("message_lost", "DBW_PEDALS"), "no DBW_PEDALS for ", 0.3),
    "another stands": (message("counter_stands", "DBW_STATUS"), "counter stands at ", 0.3),
    "another with a wrong checksum": (message("checksum_wrong", "DBW_BODY"), "wrong checksum", 0.4),
    "ECU silent": (Event(BEGINS_S, "ecu_silent", {"for_s": 2.0}), LINK_LOST, 1.3),
    "ECU starts again": (Event(BEGINS_S, "ecu_starts_again", {}), "", 0.7),
    "car off the bus": (Event(BEGINS_S, "car_off_the_bus", {"for_s": 2.0}), LINK_LOST, 1.3),
    "we off the bus": (Event(BEGINS_S, "controller_off_the_bus", {"for_s": 2.0}), LINK_LOST, 1.3),
    "stranger": (
        message("stranger_on_the_bus", "DBW_STEER_CMD"),
        *("somebody else sends DBW_STEER_CMD", 0.3),
    ),
    "fault": (Event(BEGINS_S, "car_reports_a_fault", {"for_s": 2.0}), "(DBW_STATUS.FAULT is ", 0.3),
    "person": (
        Event(BEGINS_S, "person_uses", {"control": "the wheel", "for_s": 2.0}),
        "wheel",
        0.4,
    ),
    "car leaves": (Event(BEGINS_S, "commands_lost", {"for_s": 0.5}), "the car ", 0.5),
}
"""A fault, what its sentence has, and within which time it ends autonomy [s]."""


def scene(composition: str, *events: Event, car_file: str = "", ends_s: float = ENDS_S) -> Scene:
    return Scene(
        composition=composition,
        platform="can",
        car_file=car_file,
        start_mps=4.0,
        legs=(Leg(0.0, 4.0),),
        events=events,
        heals_s=ENDS_S + 0.5,
        ends_s=ends_s,
    )


def mode_at(record: Record, time_s: float) -> str:
    return [mode for since_s, mode in record.shown if since_s <= time_s][-1]


def why_it_ended(record: Record) -> str:
    """What the event log says of the end of autonomy; empty where it goes on."""
    lines = [json.loads(line) for line in record.events]
    return "; ".join(
        line["text"]
        for line in lines
        if line["mode_before"] == "AUTONOMOUS" and line["mode"] != "AUTONOMOUS"
    )


@pytest.mark.parametrize("composition", EVERYWHERE)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_ends_autonomy_in_time_and_with_its_sentence(name: str, composition: str) -> None:
    event, sentence, within_s = FAULTS[name]
    record = run_scene(scene(composition, event))
    assert judge(record) == []
    assert mode_at(record, BEGINS_S) == "AUTONOMOUS"
    assert mode_at(record, BEGINS_S + within_s + 0.1) != "AUTONOMOUS"
    why = why_it_ended(record)
    assert why
    assert sentence in why


def with_limits(folder: Path) -> str:
    """The shipped car with two flags more, and a message that may not be rejected once."""
    network, rows = (example("vdsim_dbw").with_suffix(s).read_text() for s in (".dbc", ".yaml"))
    flags = "".join(
        f' SG_ {name} : {bit}|1@1+ (1,0) [0|1] "" STACK\n'
        for name, bit in (("STEERING_OK", 22), ("PARKS_ITSELF", 23))
    )
    belts = next(line for line in network.splitlines() if "BELTS_FASTENED : " in line) + "\n"
    (folder / "vdsim_dbw.dbc").write_text(network.replace(belts, belts + flags, 1))
    rows = rows.replace(
        "limits:\n",
        "limits:\n  only_while: {DBW_STATUS.STEERING_OK: 1}\n"
        "  send_while: {DBW_STATUS.PARKS_ITSELF: 0}\n",
        1,
    )
    rows = rows.replace("  DBW_PEDALS: {", "  DBW_PEDALS: {max_rejects: 1, ", 1)
    (folder / "car.yaml").write_text(rows)
    return str(folder / "car.yaml")


@pytest.mark.parametrize("composition", EVERYWHERE)
@pytest.mark.parametrize(
    ("kind", "what", "sentence"),
    [
        (Kind.UNFIT, "DBW_STATUS.STEERING_OK", "DBW_STATUS.STEERING_OK is 0"),
        (Kind.UNFIT, "DBW_STATUS.PARKS_ITSELF", "DBW_STATUS.PARKS_ITSELF is 1"),
        (Kind.CHECKSUM, "DBW_PEDALS", "wrong checksum"),
    ],
)
def test_a_car_that_may_not_be_driven_is_let_go_at_once(
    tmp_path: Path, composition: str, kind: Kind, what: str, sentence: str
) -> None:
    world = World(scene(composition, car_file=with_limits(tmp_path)))
    world.agenda.run_until(BEGINS_S)
    world.bus_car.order(kind, what, 0.06)
    world.agenda.run_until(BEGINS_S + 0.12)
    assert not world.bus_car.is_driven
    world.agenda.run_until(ENDS_S)
    assert sentence in why_it_ended(world.record)


@pytest.mark.parametrize("composition", EVERYWHERE)
def test_a_car_that_parks_by_itself_is_sent_nothing(tmp_path: Path, composition: str) -> None:
    world = World(scene(composition, car_file=with_limits(tmp_path)))
    world.agenda.run_until(BEGINS_S)
    world.bus_car.order(Kind.UNFIT, "DBW_STATUS.PARKS_ITSELF", 1.0)
    world.agenda.run_until(ENDS_S)
    sent_s = [each.time_s for each in world.record.frames]
    assert not [at_s for at_s in sent_s if BEGINS_S + 0.06 < at_s < BEGINS_S + 1.0]
    assert "DBW_STATUS.PARKS_ITSELF is 1" in why_it_ended(world.record)


@pytest.mark.parametrize("composition", EVERYWHERE)
def test_the_stop_for_a_silent_stack_is_in_frames_of_the_interface(composition: str) -> None:
    record = run_scene(scene(composition, Event(BEGINS_S, "planner_silent", {"for_s": 2.0})))
    assert judge(record) == []
    stops = [each for each in record.packets if each.time_s > BEGINS_S + 1.0]
    assert len(stops) > 50
    assert all(each.throttle == 0.0 for each in stops)
    assert max(each.brake for each in stops) > 0.0
    assert record.car[-1].vx_mps < 2.0


SILENT = {
    "single": Event(BEGINS_S, "decider_dies", {"down_s": 1.9, "hears_s": 0.1, "heard_s": 0.1}),
    "guarded": Event(BEGINS_S, "guard_dies", {"how": "is killed", "down_s": 1.9}),
    "processes": Event(
        BEGINS_S,
        "another_process_dies",
        {"which": "platform", "down_s": 1.9, "matches_s": 0.1, "how": "is killed"},
    ),
}
"""The process that sends is gone."""


@pytest.mark.parametrize("composition", EVERYWHERE)
def test_without_the_process_that_sends_there_is_no_frame_and_the_car_stops(
    composition: str,
) -> None:
    record = run_scene(scene(composition, SILENT[composition]))
    assert judge(record) == []
    silent = [each for each in record.frames if BEGINS_S + 0.01 < each.time_s < BEGINS_S + 1.8]
    assert silent == []
    assert record.left_alone()
    assert record.car[-1].vx_mps < 2.0


def test_every_row_of_the_page_is_in_this_file() -> None:
    page = Path(__file__).parents[2] / "docs" / "can-reference.md"
    text = page.read_text(encoding="utf-8").partition("## What ends autonomy")[2]
    table = text.partition("\n|")[2].partition("\n\n")[0]
    rows = [line for line in table.splitlines() if "| " in line]
    # the head is one more; some rows are several cases here
    assert len(rows) - 1 == len(ROWS)
    assert {each for names in ROWS.values() for each in names} == {*FAULTS, *DIRECT}


DIRECT = {"unfit", "parks", "rejects", "silent stack", "silent interface"}
ROWS: dict[str, tuple[str, ...]] = {
    "speed or angle": (
        *("speed lost", "speed stands", "angle lost", "angle with a wrong checksum"),
    ),
    "any other": ("another lost", "another stands", "another with a wrong checksum"),
    "ECU silent": ("ECU silent",),
    "ECU starts again": ("ECU starts again",),
    "car off the bus": ("car off the bus",),
    "we off the bus": ("we off the bus",),
    "somebody else": ("stranger",),
    "fault": ("fault",),
    "limits": ("unfit", "rejects"),
    "nobody may send": ("parks",),
    "person": ("person",),
    "the car leaves": ("car leaves",),
    "stack": ("silent stack",),
    "interface or guard": ("silent interface",),
}
"""By row of the page: the cases here. A row more or less there must have its case."""
