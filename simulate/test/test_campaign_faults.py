"""Faults of the campaign on CAN. On VDS1 they are cells: campaign/test/test_virtual_cells.py."""

import pytest
from vdsim_simulate.oracles import judge
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Leg, Scene

BEGINS_S = 2.0
LOOKED_AT_S = 1.5
ON_CAN = {
    "command_link_interrupted": (Event(BEGINS_S, "commands_lost", {"for_s": 0.02}),),
    "command_link_silent": (Event(BEGINS_S, "commands_lost", {"for_s": 4.0}),),
    "state_link_lost": (Event(BEGINS_S, "state_lost", {"for_s": 4.0}),),
    "sender_frozen": (Event(BEGINS_S, "interface_stalls", {"for_s": 0.8}),),
    "plant_frozen": (Event(BEGINS_S, "car_stalls", {"for_s": 0.8}),),
    "planner_silent": (Event(BEGINS_S, "planner_silent", {"for_s": 1.5}),),
    "state_link_interrupted": (Event(BEGINS_S, "state_lost", {"for_s": 0.6}),),
    "both_links_silent": (
        Event(BEGINS_S, "state_lost", {"for_s": 2.8}),
        Event(BEGINS_S, "commands_lost", {"for_s": 2.8}),
    ),
    "process_stalled": (Event(BEGINS_S, "interface_stalls", {"for_s": 0.04}),),
    "planner_gone": (Event(BEGINS_S, "planner_silent", {"for_s": 5.0}),),
}
"""Of the campaign, what a CAN bus has, too; the faults of the bus are in
test_bus_faults_everywhere.py."""
DRIVES_ON = {"process_stalled", "command_link_interrupted"}
ROWS = [
    *((name, "single") for name in ON_CAN),
    *((name, "guarded") for name in ("command_link_silent", "planner_gone")),
]
"""On the bus the guard takes the same frames by the same code as on VDS1: a silent bus, and a
silent stack. The faults of the bus itself run in every composition in
test_bus_faults_everywhere.py."""


@pytest.mark.parametrize(("name", "composition"), ROWS)
def test_no_promise_is_broken_and_the_car_drives_again(name: str, composition: str) -> None:
    events = ON_CAN[name]
    ends = (event.at_s + event.values["for_s"] for event in events)
    heals_s = max(BEGINS_S + LOOKED_AT_S, *ends) + 1.0
    # A person sets out after 6 s, and 7 s later the car has to drive; or it has driven on.
    ends_s = heals_s + 13.0
    if name in DRIVES_ON:
        heals_s, ends_s = heals_s + 1.0, heals_s + 0.5
    scene = Scene(
        composition=composition,
        platform="can",
        start_mps=4.0,
        legs=(Leg(0.0, 4.0),),
        events=events,
        heals_s=heals_s,
        ends_s=ends_s,
    )
    record = run_scene(scene)
    assert judge(record) == []
    during = [car.vx_mps for car in record.car if 0.0 <= car.time_s - BEGINS_S <= LOOKED_AT_S]
    if name in DRIVES_ON:
        assert min(during) > 3.5
    else:
        assert min(during) < 3.9, "the fault was there"
    assert max(car.vx_mps for car in record.car[-100:]) > 2.5
