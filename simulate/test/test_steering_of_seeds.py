"""Which seeds are run, what is counted, and that neither depends on the number of workers."""

from itertools import islice

from vdsim_simulate.draw import scene_of
from vdsim_simulate.runs import outcomes
from vdsim_simulate.scene import Event, Leg, Scene
from vdsim_simulate.steering import CANDIDATES_N, COMBINED, steered, traits_of


def test_steered_seeds_meet_more_than_as_many_in_a_row() -> None:
    def met(seeds: list[int]) -> int:
        return len(frozenset().union(*(traits_of(scene_of(seed)) for seed in seeds)))

    chosen = list(islice(steered(range(40 * CANDIDATES_N), "single"), 40))
    assert len(set(chosen)) == 40
    assert met(chosen) > 1.1 * met(list(range(40)))


def test_of_every_few_seeds_one_is_run() -> None:
    chosen = list(steered(range(3 * CANDIDATES_N), "guarded"))
    assert [seed // CANDIDATES_N for seed in chosen] == [0, 1, 2]


def test_traits_name_fault_leg_slope_and_overlap() -> None:
    scene = Scene(
        grade=0.2,
        legs=(Leg(0.0, 0.0), Leg(1.0, 5.0), Leg(4.0, 5.0, 2.0, 0.05)),
        events=(
            Event(1.2, "state_lost", {"for_s": 0.9}),
            Event(1.9, "gear_asked", {"gear": "PARK"}),
            Event(5.0, "disengage"),
        ),
    )
    assert traits_of(scene) == {
        ("state_lost", "start, uphill"): 1.0,
        ("state_lost", "while, start, uphill"): 1.0,
        ("gear_asked", "start, uphill"): 1.0,
        ("gear_asked", "short, start, uphill"): 1.0,
        ("gear_asked", "PARK"): COMBINED,
        ("disengage", "bend, uphill"): 1.0,
        ("disengage", "short, bend, uphill"): 1.0,
        ("disengage", "alone"): 1.0,
        ("gear_asked", "state_lost"): COMBINED,
        ("state_lost", "then", "gear_asked"): COMBINED,
        ("gear_asked", "then", "disengage"): COMBINED,
    }


def test_a_fault_while_the_wheels_turn_is_one_of_its_own() -> None:
    legs = (Leg(0.0, 5.0), Leg(2.0, 5.0, 2.0, 0.05))
    turning = traits_of(Scene(legs=legs, events=(Event(2.2, "disengage"),)))
    assert ("disengage", "turn") in turning
    assert ("disengage", "turn") not in traits_of(
        Scene(legs=legs, events=(Event(3.0, "disengage"),))
    )


def test_the_verdicts_and_bits_are_the_same_with_two_workers() -> None:
    alone = list(outcomes((3, 5), "processes", 1))
    assert alone == list(outcomes((3, 5), "processes", 2))
