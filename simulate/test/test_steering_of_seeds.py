"""Which seeds are run, what is counted, and that neither depends on the number of workers."""

from itertools import islice

from vdsim_simulate.draw import scene_of
from vdsim_simulate.runs import outcomes
from vdsim_simulate.scene import Event, Leg, Scene
from vdsim_simulate.steering import CANDIDATES_N, steered, traits_of


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
        events=(Event(1.2, "state_lost"), Event(1.9, "door_opens"), Event(5.0, "disengage")),
    )
    assert traits_of(scene) == {
        ("state_lost", "start, uphill"),
        ("door_opens", "start, uphill"),
        ("disengage", "bend, uphill"),
        ("door_opens", "state_lost"),
        ("state_lost", "then", "door_opens"),
        ("door_opens", "then", "disengage"),
    }


def test_the_verdicts_and_bits_are_the_same_with_two_workers() -> None:
    alone = list(outcomes((3, 5), "processes", 1))
    assert alone == list(outcomes((3, 5), "processes", 2))
