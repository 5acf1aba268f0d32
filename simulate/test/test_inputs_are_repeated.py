"""A process that starts again hears how doors and the driver's switch are."""

from vdsim_simulate import record as facts
from vdsim_simulate.runs import outcome_of, run_scene
from vdsim_simulate.scene import Event, Leg, Scene

SHUT_WHILE_NOBODY_LISTENS = Scene(
    legs=(Leg(0.0, 3.0),),
    start_mps=3.0,
    events=(
        Event(1.5, "door_opens", {"for_s": 2.5}),
        Event(3.0, "decider_dies", {"down_s": 2.0, "hears_s": 0.1, "heard_s": 0.1}),
    ),
    heals_s=6.0,
    ends_s=20.0,
)


def test_a_door_that_closed_while_the_process_was_down_is_heard_to_be_closed() -> None:
    shut_s = run_scene(SHUT_WHILE_NOBODY_LISTENS).times(facts.DOOR_SHUT)
    assert len(shut_s) == 1
    assert 5.0 < shut_s[0] < 5.3
    assert outcome_of(SHUT_WHILE_NOBODY_LISTENS).violations == ()
