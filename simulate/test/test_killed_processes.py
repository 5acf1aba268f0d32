"""Every process of a composition is killed while the car drives, and the car drives again."""

import pytest
from vdsim_simulate.oracles import judge
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Leg, Scene

KILLED_S = 2.0
DOWN_S = 1.5
MATCHES_S = 0.3
DECIDER = {"down_s": DOWN_S, "hears_s": MATCHES_S, "heard_s": MATCHES_S}
KILLS = {
    ("single", "interface"): ("decider_dies", DECIDER),
    ("guarded", "shell"): ("decider_dies", DECIDER),
    ("guarded", "guard"): ("guard_dies", {"how": "is killed", "down_s": DOWN_S}),
    ("processes", "safety"): ("decider_dies", DECIDER),
    **{
        ("processes", which): (
            "another_process_dies",
            {"which": which, "how": "is killed", "down_s": DOWN_S, "matches_s": MATCHES_S},
        )
        for which in ("controller", "filter", "platform")
    },
}


@pytest.mark.parametrize(("composition", "killed"), sorted(KILLS))
def test_the_car_slows_without_a_process_and_drives_with_its_successor(
    composition: str, killed: str
) -> None:
    name, values = KILLS[composition, killed]
    heals_s = KILLED_S + DOWN_S + 1.0
    scene = Scene(
        composition=composition,
        platform="vds1",
        start_mps=4.0,
        legs=(Leg(0.0, 4.0),),
        events=(Event(KILLED_S, name, dict(values)),),
        heals_s=heals_s,
        ends_s=heals_s + 13.0,  # a person sets out after 6 s, and 7 s later the car has to drive
    )
    record = run_scene(scene)
    assert judge(record) == []
    before = [car.vx_mps for car in record.car if KILLED_S - 0.5 <= car.time_s <= KILLED_S]
    without = [car.vx_mps for car in record.car if 0.0 <= car.time_s - KILLED_S <= DOWN_S]
    assert min(before) > 3.5
    assert min(without) < 3.0, "the process was missing"
    assert record.car[-1].vx_mps > 2.5


@pytest.mark.parametrize(
    "stops",
    [
        (Event(3.0, "door_opens", {"for_s": 3.5}),),
        (Event(3.0, "emergency_stop", {}), Event(4.5, "emergency_stop", {})),
    ],
    ids=["a door", "two emergency stops"],
)
def test_a_stage_that_is_heard_only_once_it_has_engaged_drives(stops: tuple[Event, ...]) -> None:
    """Its first engagement, and its release of the stop, were taken for those of the one before."""
    late = {"down_s": 0.3, "hears_s": 0.05, "heard_s": 2.5}
    scene = Scene(
        composition="processes",
        platform="vds1",
        start_mps=3.0,
        legs=(Leg(0.0, 3.0),),
        events=(
            *stops,
            Event(8.0, "decider_dies", late),
            Event(8.6, "gives_back", {}),
            Event(9.0, "gives_back", {}),
            Event(9.4, "engage_again", {}),
        ),
        heals_s=20.0,
        ends_s=19.0,
    )
    record = run_scene(scene)
    assert judge(record) == []
    assert record.car[-1].vx_mps > 2.5


@pytest.mark.parametrize(
    ("composition", "killed"),
    [("single", "interface"), ("guarded", "guard"), ("processes", "platform")],
)
def test_a_successor_ends_a_lock_that_the_cars_own_brake_began(
    composition: str, killed: str
) -> None:
    """Nobody sends on a slippery road: the car's fail-safe brakes with locked wheels."""
    name, values = KILLS[composition, killed]
    runs_again_s = KILLED_S + DOWN_S + values.get("matches_s", 0.0)
    scene = Scene(
        composition=composition,
        platform="vds1",
        car="ioniq5_awd",
        mu=0.3,
        start_mps=9.0,
        legs=(Leg(0.0, 9.0),),
        events=(
            Event(KILLED_S - 0.1, "planner_silent", {"for_s": 6.0}),
            Event(KILLED_S, name, dict(values)),
        ),
        heals_s=20.0,
        ends_s=KILLED_S + DOWN_S + 1.5,
    )
    record = run_scene(scene)
    assert judge(record) == []
    without = [car.slip for car in record.car if 0.0 <= car.time_s - KILLED_S <= DOWN_S]
    assert max(without) > 0.9
    after = [car.slip for car in record.car if car.time_s > runs_again_s + 0.3]
    assert max(after) < 0.2
