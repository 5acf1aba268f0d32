"""Who has the car while autonomy is off: two defects that no oracle saw, and a healthy run."""

from dataclasses import replace

from vdsim_simulate.oracles import ORACLES
from vdsim_simulate.planted import PLANTED, planted
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Leg, Scene

DRIVE = Scene(legs=(Leg(0.0, 8.0),), start_mps=8.0, heals_s=20.0, ends_s=6.5)
TAKEN_OVER = replace(
    DRIVE,
    events=(
        Event(2.0, "state_lost", {"for_s": 1.5}),
        Event(5.0, "driver_switch", {"for_s": 0.5}),
    ),
)
KILLED = replace(
    DRIVE, events=(Event(2.0, "decider_dies", {"down_s": 0.5, "hears_s": 0.1, "heard_s": 0.1}),)
)


def broken(oracle: str, scene: Scene) -> bool:
    return any(ORACLES[oracle](run_scene(scene)))


def test_a_person_who_takes_over_a_held_car_has_it_alone() -> None:
    oracle = "a_person_who_has_the_car_has_it_alone"
    assert not broken(oracle, TAKEN_OVER)
    with planted(PLANTED["hold_ignores_the_driver"]):
        assert broken(oracle, TAKEN_OVER)


def test_after_a_crash_in_autonomy_the_car_is_held() -> None:
    oracle = "a_new_process_holds_what_autonomy_drove"
    assert not broken(oracle, KILLED)
    with planted(PLANTED["crash_forgets_autonomy"]):
        assert broken(oracle, KILLED)
