"""From a seed to a scene: the car, the road, what the stack asks for, and up to five faults.

A fault begins soon after a leg does, so that it hits a car that brakes, steers into a bend, starts
on a hill or stands, and not only one that cruises. Of every two scenes one begins with something
that must be remembered (a stop, a door, who has the car), and many of these go on with what makes a
process forget it while it lasts. After its faults most stacks ask to drive: what was forgotten
shows where the car is tempted.
"""

from __future__ import annotations

import random
from dataclasses import replace

from vdsim_simulate import faults
from vdsim_simulate.bus import faults as bus_faults
from vdsim_simulate.fault_table import Fault, rows_of
from vdsim_simulate.scene import (
    AFTERWARDS_S,
    ENGAGES_S,
    MOST_LATERAL_MPS2,
    Event,
    Leg,
    Scene,
)

SHIPPED = (faults, bus_faults)
"""The modules whose functions are in the table."""
CARS = ("ioniq5_awd", "compact_fwd", "sport_rwd", "ioniq5_awd_r13h")
GRADES = (0.0, 0.0, 0.05, -0.05, 0.1, -0.1, 0.2, -0.2, 0.25, -0.25)
FRICTIONS = (0.9, 0.9, 1.0, 0.6, 0.3, 0.1)
SPEEDS_MPS = (0.0, 3.0, 5.0, 8.0, 13.0, 16.0)
FIRST_LEG_S = 1.5
HEALS_AFTER_S = 1.0
MOST_FAULTS_N = 5
KINDS = ("cruise", "brake", "bend", "weave", "stand", "start", "park")
PARKS_S = 4.0
"""So long the stack stands: the interface sets the hand brake meanwhile."""
HANDSHAKES = 0.12
KERBS = 0.04
BEYOND = 0.02
"""Share of roads on which tyres cannot hold the car."""
OVERLAPS = 0.35
FORGOTTEN = ("car_stalls", "clock_jumps_ahead", "clock_jumps_back", "clock_runs_wrong")
FORGETS_S = 8.0
"""A vehicle whose time stood still is believed late for the ten seconds of pipeline/link_health.py;
a person asks to engage five seconds after the last fault."""
LADEN = (1.0, 1.0, 1.0, 0.9, 1.15, 1.3)
REMEMBERED = (
    "emergency_stop",
    "page_stops",
    "door_opens",
    "disengage",
    "driver_switch",
    "hand_brake_asked",
    "somebody_drives",
    "page_drives",
    "planner_silent",
    "state_lost",
    "person_uses",
    "car_reports_a_fault",
)
"""What ends an engagement, parks the car, or changes who has it."""
FORGETS = (
    "decider_dies",
    "guard_dies",
    "memory_fails",
    "another_process_dies",
    "interface_stalls",
    "decider_stalls",
    "disengage",
    "clock_jumps_back",
    "ecu_starts_again",
)
CHAINS, TEMPTS = 0.5, 0.7
MOST_BESIDE_N = 2
"""More faults would end what is to be remembered."""
CHAINED_S, TEMPTED_S = (0.2, 2.5), 2.5
_HARD_MPS2 = (2.0, 4.0, 6.0)
_USABLE = 0.6
_G_MPS2 = 9.81


def scene_of(
    seed: int, composition: str = "single", platform: str = "vds1", car_file: str = ""
) -> Scene:
    """Return the scene of a seed. The same numbers give the same scene, whatever ran before."""
    name = composition if platform == "vds1" else f"{platform} {composition}"
    draws = random.Random(f"{name} {seed}")
    mu, grade = _road(draws)
    most = 3 if mu < 0.2 else 4
    speed_mps = draws.choice(SPEEDS_MPS if mu > 0.5 and abs(grade) < 0.15 else SPEEDS_MPS[:most])
    legs = _legs(draws, speed_mps, mu)
    scene = Scene(
        seed=seed,
        composition=composition,
        platform=platform,
        car_file=car_file,
        car=draws.choice(CARS),
        actuator=draws.choice(("ideal", "passenger_car")),
        wire_version=draws.choice((3, 5, 5)),
        grade=grade,
        mu=mu,
        mu_left=_split(draws, mu, grade),
        patches=_patches(draws, mu, grade),
        kerb_m=round(draws.uniform(5.0, 40.0), 1) if draws.random() < KERBS else 0.0,
        laden=draws.choice(LADEN if grade < 0.2 else LADEN[:5]),
        discovery_s=draws.choice((0.0, 0.0, 0.3, 1.0)) if composition == "processes" else 0.0,
        level=draws.choice(("high_level", "vehicle")),
        rig=draws.choice(("driver", "driverless")),
        start_mps=speed_mps,
        legs=legs,
    )
    events = _events(draws, scene)
    last_s = max([legs[-1].at_s, *(event.at_s + _length_s(event) for event in events)])
    if draws.random() < TEMPTS:
        last_s = round(last_s + draws.uniform(0.0, 1.0), 2)
        tempts = Leg(last_s, draws.choice(SPEEDS_MPS[1:4] if mu > 0.5 else SPEEDS_MPS[1:2]))
        scene, last_s = replace(scene, legs=(*legs, tempts)), last_s + TEMPTED_S
    heals_s = round(last_s + HEALS_AFTER_S, 2)
    return replace(scene, events=events, heals_s=heals_s, ends_s=heals_s + AFTERWARDS_S)


def _road(draws: random.Random) -> tuple[float, float]:
    """Draw a road; but for a few, tyres can hold a standing car with something to spare."""
    if draws.random() < BEYOND:
        return 0.1, draws.choice((0.15, -0.15, 0.25, -0.25))
    while True:
        mu, grade = draws.choice(FRICTIONS), draws.choice(GRADES)
        if _USABLE * mu > abs(grade):
            return mu, grade


def _split(draws: random.Random, mu: float, grade: float) -> float | None:
    """Draw another friction under the left wheels, now and then; both sides hold the car."""
    if draws.random() > 0.12:
        return None
    return draws.choice([left for left in FRICTIONS if _USABLE * left > abs(grade)] or [mu])


def _patches(
    draws: random.Random, mu: float, grade: float
) -> tuple[tuple[float, float, float], ...]:
    """Draw a slippery strip ahead, now and then."""
    if draws.random() > 0.12:
        return ()
    from_m = round(draws.uniform(5.0, 40.0), 1)
    other = draws.choice([one for one in FRICTIONS if _USABLE * one > abs(grade)] or [mu])
    return ((from_m, round(from_m + draws.uniform(2.0, 20.0), 1), other),)


def _legs(draws: random.Random, start_mps: float, mu: float) -> tuple[Leg, ...]:
    """Draw what the stack asks for: it cruises, brakes, bends, starts, stands."""
    legs = [Leg(0.0, start_mps)]
    at_s, speed_mps = FIRST_LEG_S, start_mps
    for _ in range(draws.randint(1, 4)):
        kind = draws.choice(KINDS)
        curvature, decel = 0.0, draws.choice(_HARD_MPS2) if mu > 0.5 else 2.0
        if kind in ("brake", "stand", "park"):
            speed_mps = 0.0
        elif kind == "start" or speed_mps == 0.0:
            speed_mps = draws.choice(SPEEDS_MPS[1:4])
        if kind in ("bend", "weave") and speed_mps:
            lateral = draws.uniform(0.3, 1.0) * min(MOST_LATERAL_MPS2, _USABLE * mu * _G_MPS2)
            largest = min(lateral / speed_mps**2, 0.1)
            curvature = draws.choice((-1.0, 1.0)) * float(f"{largest:.3g}")
        legs.append(Leg(round(at_s, 2), speed_mps, decel, curvature))
        if kind == "weave":
            at_s += draws.uniform(1.0, 3.0)
            legs.append(Leg(round(at_s, 2), speed_mps, decel, -curvature))
        at_s += draws.uniform(1.0, 4.0) + PARKS_S * (kind == "park")
    return tuple(legs)


def _events(draws: random.Random, scene: Scene) -> tuple[Event, ...]:
    rows = rows_of(scene.composition, scene.platform)
    events = _chain(draws, scene, rows) if draws.random() < CHAINS else []
    most_n = MOST_BESIDE_N if events else MOST_FAULTS_N
    for _ in range(draws.randint(1 - bool(events), most_n)):
        row = draws.choice(rows)
        if events and draws.random() < OVERLAPS:
            before = draws.choice(events)
            at_s = before.at_s + draws.uniform(0.0, max(0.2, 0.8 * _length_s(before)))
        elif draws.random() < HANDSHAKES:
            at_s = ENGAGES_S + draws.uniform(-0.3, 0.4)
        else:
            at_s = max(draws.choice(scene.legs).at_s, FIRST_LEG_S) + draws.uniform(0.0, 1.5)
        values = bus_faults.of_the_car(row.name, row.draw(draws), scene)
        if values is not None:
            events.append(Event(round(at_s, 2), row.name, values))
    return tuple(sorted(events, key=lambda event: event.at_s))


def _chain(draws: random.Random, scene: Scene, rows: list[Fault]) -> list[Event]:
    """Draw what must be remembered, and now and then what makes one forget it while it lasts."""
    events: list[Event] = []
    at_s = max(draws.choice(scene.legs).at_s, FIRST_LEG_S) + draws.uniform(0.0, 1.5)
    for names in (REMEMBERED, FORGETS)[: draws.randint(1, 2)]:
        among = [row for row in rows if row.name in names]
        if among:
            row = draws.choice(among)
            values = bus_faults.of_the_car(row.name, row.draw(draws), scene)
            if values is not None:
                events.append(Event(round(at_s, 2), row.name, values))
                at_s += draws.uniform(CHAINED_S[0], max(CHAINED_S[1], _length_s(events[-1])))
    return events


def _length_s(event: Event) -> float:
    """Everything that is named as a time adds up to how long a fault lasts, at the most."""
    if event.name in FORGOTTEN:
        return FORGETS_S
    return sum(float(value) for name, value in event.values.items() if name.endswith("_s"))
