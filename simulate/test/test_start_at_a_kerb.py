"""A car that has come to rest at a kerb may not climb it; away from it every car drives again."""

from dataclasses import replace

from vdsim_simulate import record as facts
from vdsim_simulate.oracles import ORACLES
from vdsim_simulate.runs import run_scene
from vdsim_simulate.scene import Event, Leg, Scene

AT_REST_M = 9.61
REAR_AXLE_M = 1.16
STOPS = Scene(  # of seed 175: the rear wheels of a car with rear drive come to rest at the kerb
    seed=175,
    car="sport_rwd",
    actuator="passenger_car",
    wire_version=3,
    grade=-0.1,
    mu=0.9,
    kerb_m=8.45,
    start_mps=5.0,
    legs=(
        Leg(0.0, 5.0),
        Leg(1.5, 3.0, 6.0),
        Leg(2.95, 3.0, 4.0),
        Leg(4.86, 0.0, 4.0),
        Leg(8.31, 5.0, 6.0, 0.1),
        Leg(11.05, 5.0, 6.0, -0.1),
    ),
    patches=((35.7, 48.8, 0.6),),
    discovery_s=0.0,
    rig="driverless",
    model="l2",
    events=(
        Event(0.65, "commands_lost", {"for_s": 2.95}),
        Event(4.89, "memory_fails", {"down_s": 1.93}),
    ),
    heals_s=13.22,
    ends_s=27.22,
)


def test_a_car_at_a_kerb_is_not_asked_to_climb_it() -> None:
    record = run_scene(STOPS)
    asked_s = record.times(facts.DRIVES_NOW)[0]
    stands = min(record.car, key=lambda sample: abs(sample.time_s - asked_s))
    assert abs(stands.x_m - REAR_AXLE_M - STOPS.kerb_m) < 0.2
    assert not list(ORACLES["drives_again"](record))


def test_a_car_that_stands_elsewhere_has_to_drive() -> None:
    record = run_scene(STOPS)
    elsewhere = replace(record, scene=replace(STOPS, kerb_m=AT_REST_M + 5.0))
    assert list(ORACLES["drives_again"](elsewhere))
