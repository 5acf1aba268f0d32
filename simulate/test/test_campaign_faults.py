"""Faults of the campaign that `./ws test` drives on virtual time instead of in processes."""

import pytest
from vdsim_simulate.oracles import judge
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Leg, Scene

BEGINS_S = 2.0
CAMPAIGN = {
    "state_link_interrupted": (Event(BEGINS_S, "state_lost", {"for_s": 0.6}),),
    "both_links_silent": (
        Event(BEGINS_S, "state_lost", {"for_s": 2.8}),
        Event(BEGINS_S, "commands_lost", {"for_s": 2.8}),
    ),
    **{
        name: (Event(BEGINS_S, "link_harmed", {"direction": to, "harm": harm, "for_s": 1.5}),)
        for name, to, harm in (
            ("command_jitter", "CMD", "is late"),
            ("command_duplicates", "CMD", "doubles packets"),
            ("state_reordered", "STATE", "swaps packets"),
            ("command_bit_flips", "CMD", "flips bits"),
        )
    },
    "process_stalled": (Event(BEGINS_S, "interface_stalls", {"for_s": 0.04}),),
    "planner_gone": (Event(BEGINS_S, "planner_silent", {"for_s": 5.0}),),
    "stranger_during_silence": (
        Event(BEGINS_S, "commands_lost", {"for_s": 3.0}),
        Event(BEGINS_S + 0.1, "stranger_commands", {"for_s": 2.9}),
    ),
}
"""Its name in campaign/vdsim_campaign/faults.py, and the same on virtual time."""
DRIVES_ON = {
    *("command_jitter", "command_duplicates", "state_reordered", "command_bit_flips"),
    "process_stalled",
}


@pytest.mark.parametrize("composition", ["single", "guarded"])
@pytest.mark.parametrize("name", CAMPAIGN)
def test_no_promise_is_broken_and_the_car_drives_again(name: str, composition: str) -> None:
    scene = Scene(
        composition=composition,
        start_mps=4.0,
        legs=(Leg(0.0, 4.0),),
        events=CAMPAIGN[name],
        heals_s=9.0,
        ends_s=22.0,
    )
    record = run_scene(scene)
    assert judge(record) == []
    during = [car.vx_mps for car in record.car if BEGINS_S <= car.time_s <= BEGINS_S + 1.5]
    if name in DRIVES_ON:
        assert min(during) > 3.5
    else:
        assert min(during) < 3.9, "the fault was there"
    assert max(car.vx_mps for car in record.car[-100:]) > 2.5
