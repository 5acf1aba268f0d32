"""From a seed to a scene: the car, the road, what the stack asks for, and up to five faults.

A fault begins soon after a leg does, often at once, so that it hits a car that brakes, steers into
a bend, starts on a hill or stands, and not only one that cruises. Most scenes have something that
must be remembered (a stop, a door, who has the car); many of these go on with what makes a process
forget it while it lasts, or with a person who asks for a drive in spite of it. It comes late, since
a fault after it meets a car that nobody drives. At its end most stacks ask to drive: what was
forgotten shows where the car is tempted.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from vdsim_simulate import faults, plots
from vdsim_simulate.bus import faults as bus_faults
from vdsim_simulate.fault_table import FAULTS, Fault, rows_of
from vdsim_simulate.morai import faults as morai_faults
from vdsim_simulate.scene import (
    AFTERWARDS_S,
    ENGAGES_S,
    MOST_LATERAL_MPS2,
    RAW,
    Event,
    Leg,
    Scene,
    Value,
)
from vdsim_simulate.wiring.settings import settings_of, state_rate_hz_of

SHIPPED = (faults, bus_faults, morai_faults)
"""The modules whose functions are in the table."""
CARS = ("ioniq5_awd", "compact_fwd", "sport_rwd", "ioniq5_awd_r13h")
RELEASES = ("21", "24.R2")
"""Of MORAI: an old one, whose status has no time, and the newest whose manual is public."""
GRADES = (0.0, 0.0, 0.05, -0.05, 0.1, -0.1, 0.2, -0.2, 0.25, -0.25)
FRICTIONS = (0.9, 0.9, 1.0, 0.6, 0.3, 0.1)
SPEEDS_MPS = (0.0, 3.0, 5.0, 8.0, 13.0, 16.0)
SETS_OUT = 0.3
"""Share of hills on which the car stands at first."""
FIRST_LEG_S = 1.5
HEALS_AFTER_S = 1.0
MOST_FAULTS_N = 5
KINDS = ("cruise", "brake", "bend", "weave", "stand", "start", "park")
REVERSES, REVERSES_MPS, RESUMES_MPS = 0.4, (-1.0, -2.0, -4.0), (3.0, -2.0)
"""Share of scenes with drives in reverse, and how fast; what is asked for at the end of these.

Where a mux selects between computers, its oracles read a drive from the sign of what is asked."""
ENGAGES_ITSELF = 0.15
"""Share of interfaces that engage by themselves, where the table of authority lets them."""
HOLDS_BY_BRAKE = 0.4
"""Share of stacks of accelerations that hold a car at rest with their brake."""
FROM_MPS = 5.0
"""From no higher speed the stack asks for reverse: it would only brake for the whole leg."""
TURNS_S = 2.0
"""A leg in reverse is longer: the car stops first, and changes its gear."""
BENDS, BENDS_MPS, BENDS_S = 0.5, -4.0, 4.0
"""Share of such drives with a bend, from which speed on, and how much longer it is then."""
TURNS_AFTER_S = (0.1, 0.7)
PARKS_S = 4.0
"""So long the stack stands: the interface sets the hand brake meanwhile."""
HANDSHAKES = 0.12
KERBS = 0.04
BEYOND = 0.02
"""Share of roads on which tyres cannot hold the car."""
OVERLAPS = 0.35
FORGOTTEN = (
    *("car_stalls", "simulator_pauses", "clock_jumps_ahead", "clock_jumps_back"),
    "clock_runs_wrong",
)
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
    "page_lets_go",
    "gives_back_and_drives_again",
    "lock_is_set",
    "planner_silent",
    "state_lost",
    "person_uses",
    "car_reports_a_fault",
    "keyboard_is_chosen",
    "scenario_is_loaded",
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
ASKS = ("engage_again", "engage_again", "page_asks", "gear_asked", "old_state_repeated")
"""Who asks for a drive that what was remembered forbids."""
ENDS = (
    *("emergency_stop", "page_stops", "disengage", "driver_switch", "somebody_drives"),
    *(
        "page_drives",
        "page_lets_go",
        "gives_back_and_drives_again",
        "lock_is_set",
        "memory_runs_short",
        "memory_fails",
        "decider_dies",
        "guard_dies",
    ),
    *("another_process_dies", "clock_jumps_back", "person_uses", "car_reports_a_fault"),
    *("simulator_pauses", "keyboard_is_chosen", "scenario_is_loaded"),
    *("ecu_silent", "ecu_starts_again", "car_off_the_bus", "controller_off_the_bus"),
    "stranger_on_the_bus",
)
"""What ends an engagement. It comes late in most scenes: after it a fault meets a car that nobody
drives."""
LATE = 0.8
OFTEN = ("commands_lost", "state_lost", "planner_silent", "interface_stalls", "decider_dies")
STALLS, TURNING_S = ("interface_stalls", "decider_stalls", "car_stalls"), 0.25
"""What makes a process catch up: it is drawn while the wheels turn, where what it missed shows."""
OFTENER = 0.3
"""What happens to every machine, in whatever the car does: such a fault is drawn more often."""
LINKS = (
    *((REMEMBERED,), (REMEMBERED, ASKS), (REMEMBERED, FORGETS)),
    *((REMEMBERED, FORGETS, ASKS), (REMEMBERED, FORGETS, ASKS)),
)
PLOTTED = 0.5
"""Share of scenes with a plot (plots.py) in place of faults that begin anywhere."""
SHORT = 0.6
"""Share of plots after which nobody heals and sets out again: half of the time of a scene."""
EARLY_S = (0.05, 0.45)
CHAINS, TEMPTS, ENGAGES = 0.7, 0.7, 0.5
MOST_BESIDE_N = 2
"""More faults would end what is to be remembered."""
CHAINED_S, TEMPTED_S = (0.2, 2.5), 2.5
CHANGES, AT_ONCE, AT_ONCE_S, LATER_S = 0.6, 0.5, 0.4, 1.5
"""How many faults begin while the car begins to do what its leg asks for, and how late others."""
TIGHTER, TIGHTER_TIMES, TIGHTEST_1PM = 0.3, (1.3, 2.2), 0.14
"""Share of scenes whose bends are too tight for the speed, by how much, and the tightest one."""
SPEEDS_UP, SPEEDS_UP_S = 0.15, (0.8, 2.0)
"""Share of scenes in which a fault begins while the car speeds up, and how long before it does."""
ENCORES = 0.5
"""Share of scenes with an encore (plots.py)."""
RAW_SHARE = 0.1
"""Share of stacks that command pedals."""
AT_REST, RESTS_S = 0.4, (0.2, 2.0)
"""How many chains begin with a car that has come to rest, and how long before."""
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
    slow = SPEEDS_MPS[: 3 if mu < 0.2 else 4]
    speeds = SPEEDS_MPS if mu > 0.5 and abs(grade) < 0.15 else slow
    sets_out = abs(grade) > 0.05 and draws.random() < SETS_OUT
    speed_mps = 0.0 if sets_out else draws.choice(speeds)
    reverses = composition != "two_computers" and draws.random() < REVERSES
    legs = _legs(draws, speed_mps, mu, (*KINDS, *("reverse",) * 3) if reverses else KINDS)
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
        laden=draws.choice(LADEN if max(grade, -grade * reverses) < 0.2 else LADEN[:5]),
        discovery_s=draws.choice((0.0, 0.0, 0.3, 1.0)) if composition == "processes" else 0.0,
        level=draws.choice(("high_level", "vehicle")),
        rig=draws.choice(("driver", "driverless")),
        start_mps=speed_mps,
        legs=legs,
        resumes_mps=draws.choice(RESUMES_MPS) if reverses else RESUMES_MPS[0],
        holds_by_brake=draws.random() < HOLDS_BY_BRAKE,
        auto_engage=composition != "two_computers" and draws.random() < ENGAGES_ITSELF,
    )
    if platform == "morai":
        cmd_type, release = draws.choice(("acceleration", "pedals")), draws.choice(RELEASES)
        scene = replace(scene, cmd_type=cmd_type, release=release, kerb_m=0.0)
    quiet_s, plotted = 0.0, _plotted(draws, scene) if draws.random() < PLOTTED else None
    if plotted is not None:
        scene, events, quiet_s = plotted
        legs = scene.legs
    else:
        events, asked = _events(draws, scene)
        legs = tuple(sorted((*legs, *asked), key=lambda leg: leg.at_s))
        scene = replace(scene, legs=legs)
    last_s = max([legs[-1].at_s, *(event.at_s + length_s(event) for event in events)])
    last_s = round(last_s + quiet_s, 2)
    if draws.random() < TEMPTS:
        last_s = round(last_s + draws.uniform(0.0, 1.0), 2)
        tempts = Leg(last_s, draws.choice(SPEEDS_MPS[1:4] if mu > 0.5 else SPEEDS_MPS[1:2]))
        if draws.random() < ENGAGES:
            events = (*events, Event(last_s, "engage_again"))
        scene, last_s = replace(scene, legs=(*legs, tempts)), last_s + TEMPTED_S
    heals_s = round(last_s + HEALS_AFTER_S, 2)
    is_short = bool(scene.plot) and draws.random() < SHORT
    ends_s = heals_s + (0.0 if is_short else AFTERWARDS_S)
    scene = replace(scene, events=events, heals_s=heals_s, ends_s=ends_s)
    scene = _apart(f"{name} {seed}", _added(draws, scene, is_short=is_short))
    if platform == "vds1":
        scene = replace(scene, state_rate_hz=state_rate_hz_of(f"{name} {seed}"))
    return replace(scene, parameters=settings_of(f"{name} {seed}"))


def _apart(name: str, scene: Scene) -> Scene:
    """Draw what was added last, apart from the rest, so that other seeds stay as they are.

    Some interfaces behind two computers engage by themselves. Elsewhere some stacks command pedals:
    forward, as a throttle has no sign.
    """
    draws = random.Random(f"{name} raw")
    if scene.composition == "two_computers":
        return replace(scene, auto_engage=draws.random() < ENGAGES_ITSELF)
    if draws.random() >= RAW_SHARE:
        return scene
    legs = tuple(replace(leg, speed_mps=abs(leg.speed_mps)) for leg in scene.legs)
    return replace(scene, level=RAW, legs=legs, resumes_mps=RESUMES_MPS[0])


def _added(draws: random.Random, scene: Scene, *, is_short: bool) -> Scene:
    """Draw what was added later. It is drawn last, so that nothing else of a seed changes."""
    if scene.least_mu > 0.5 and draws.random() < TIGHTER:
        scene = replace(scene, legs=tuple(_tighter(draws, leg) for leg in scene.legs))
    even = scene.least_mu > 0.5 and abs(scene.grade) <= 0.1 and not scene.kerb_m
    plot = plots.PLOTS.get(scene.plot)
    if even and (plot is None or plot.begins == plots.DRIVES) and draws.random() < SPEEDS_UP:
        scene = _speeding_up(draws, scene)
    if even and not is_short and draws.random() < ENCORES:
        names = {row.name for row in rows_of(scene.composition, scene.platform)}
        encore = plots.encore_of(draws, names, scene.heals_s)
        scene = replace(scene, events=(*scene.events, *encore))
    return scene


def _tighter(draws: random.Random, leg: Leg) -> Leg:
    """Return a leg whose bend is tighter than its speed allows, where a car can drive it slowly."""
    lateral_mps2 = draws.uniform(*TIGHTER_TIMES) * MOST_LATERAL_MPS2
    if not leg.curvature_1pm or leg.speed_mps**2 * TIGHTEST_1PM < lateral_mps2:
        return leg
    curvature = math.copysign(lateral_mps2 / leg.speed_mps**2, leg.curvature_1pm)
    return replace(leg, curvature_1pm=float(f"{curvature:.3g}"))


def _speeding_up(draws: random.Random, scene: Scene) -> Scene:
    """Let one of the faults begin while the car speeds up to what is far from its speed."""
    later = [event.at_s for event in scene.events if event.at_s > FIRST_LEG_S + SPEEDS_UP_S[1]]
    if not later:
        return scene
    at_s = draws.choice(later)
    from_s = round(at_s - draws.uniform(*SPEEDS_UP_S), 2)
    before = [leg for leg in scene.legs if leg.at_s < from_s]
    after = [leg for leg in scene.legs if leg.at_s > at_s]
    if not before or not 0.0 <= before[-1].speed_mps < 8.0:
        return scene
    return replace(scene, legs=(*before, Leg(from_s, draws.choice(SPEEDS_MPS[3:5])), *after))


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


def _legs(
    draws: random.Random, start_mps: float, mu: float, kinds: tuple[str, ...]
) -> tuple[Leg, ...]:
    """Draw what the stack asks for: it cruises, brakes, bends, starts, stands, reverses."""
    legs = [Leg(0.0, start_mps)]
    at_s, speed_mps = FIRST_LEG_S, start_mps
    for _ in range(draws.randint(1, 4)):
        kind = draws.choice(kinds)
        curvature, decel = 0.0, draws.choice(_HARD_MPS2) if mu > 0.5 else 2.0
        if kind in ("brake", "stand", "park"):
            speed_mps = 0.0
        elif kind == "reverse":
            speed_mps = draws.choice(REVERSES_MPS) if speed_mps <= FROM_MPS else 0.0
        elif kind == "start" or speed_mps == 0.0:
            speed_mps = draws.choice(SPEEDS_MPS[1:4])
        if kind in ("bend", "weave") and speed_mps:
            curvature = _bend(draws, speed_mps, mu)
        bends_in_reverse = speed_mps <= BENDS_MPS and draws.random() < BENDS
        if bends_in_reverse:
            curvature = _bend(draws, speed_mps, mu)
        legs.append(Leg(round(at_s, 2), speed_mps, decel, curvature))
        if kind == "weave":
            at_s += draws.uniform(1.0, 3.0)
            legs.append(Leg(round(at_s, 2), speed_mps, decel, -curvature))
        at_s += draws.uniform(1.0, 4.0) + PARKS_S * (kind == "park") + TURNS_S * (speed_mps < 0.0)
        at_s += BENDS_S * bends_in_reverse
    return tuple(legs)


def _plotted(draws: random.Random, scene: Scene) -> tuple[Scene, tuple[Event, ...], float] | None:
    """Draw a plot; returns the scene with its legs, its faults, and how long it is quiet then."""
    among = plots.possible(rows_of(scene.composition, scene.platform))
    if not among:
        return None
    name, faults_of = draws.choice(among)
    plot = plots.PLOTS[name]
    legs = list(scene.legs)
    at_s = _in_a_leg(draws, scene)
    if plot.begins == plots.EARLY:
        at_s = draws.uniform(*EARLY_S)
    elif plot.begins == plots.RESTS:
        legs = [leg for leg in legs if leg.at_s < at_s]
        decel_mps2 = 2.0 if scene.mu < 0.5 else draws.choice(_HARD_MPS2)
        stops = Leg(round(at_s, 2), 0.0, decel_mps2, legs[-1].curvature_1pm)
        at_s += legs[-1].speed_mps / decel_mps2 + draws.uniform(*RESTS_S)
        legs.append(stops)
    events: list[Event] = []
    lasts_s = 0.0
    for n, (step, row) in enumerate(zip(plot.steps, map(draws.choice, faults_of), strict=True)):
        values = bus_faults.of_the_car(row.name, plots.values_of(draws, row, step), scene)
        if values is None:
            continue
        if n:
            at_s += draws.uniform(*step.waits_s) + (lasts_s if step.after else 0.0)
        events.append(Event(round(max(at_s, 0.0), 2), row.name, values))
        lasts_s = plots.seconds(values)
    if plot.drives:
        speeds = SPEEDS_MPS[1:3] if scene.mu > 0.5 else SPEEDS_MPS[1:2]
        asks = [event.at_s for event in events if event.name in ("engage_again", "page_asks")]
        legs = [leg for leg in legs if leg.at_s < min([at_s, *asks])]
        for ask_s in (*asks, at_s):
            legs.append(Leg(round(ask_s + draws.uniform(-0.3, 0.3), 2), draws.choice(speeds)))
    if plot.turns or plot.fast:
        legs, scene = _in_bends(draws, scene, plot, [event.at_s for event in events])
    legs.sort(key=lambda leg: leg.at_s)
    events.sort(key=lambda event: event.at_s)
    scene = replace(scene, legs=tuple(legs), plot=name)
    return scene, tuple(events), plot.quiet_s


def _in_bends(
    draws: random.Random, scene: Scene, plot: plots.Plot, times_s: list[float]
) -> tuple[list[Leg], Scene]:
    """Draw a drive, fast or in one bend and then in others: before, and after what happens."""
    speeds = SPEEDS_MPS if scene.mu > 0.5 and abs(scene.grade) < 0.15 else SPEEDS_MPS[:4]
    speed_mps = draws.choice(speeds[-2:] if plot.fast else speeds[1:])
    if not plot.fast and scene.resumes_mps < 0.0 and draws.random() < REVERSES:
        speed_mps = REVERSES_MPS[-1]
    starts_mps = max(speed_mps, 0.0)
    bends = [_bend(draws, speed_mps, scene.mu) if plot.turns else 0.0 for _ in (0.0, *times_s)]
    legs = [Leg(0.0, speed_mps, 2.0, bends[0])]
    for at_s, curvature in zip(times_s, bends[1:], strict=True):
        legs.append(Leg(round(at_s + draws.uniform(*TURNS_AFTER_S), 2), speed_mps, 2.0, curvature))
    return legs, replace(scene, start_mps=starts_mps)


def _bend(draws: random.Random, speed_mps: float, mu: float) -> float:
    """Draw a curvature that the road allows at a speed."""
    lateral = draws.uniform(0.3, 1.0) * min(MOST_LATERAL_MPS2, _USABLE * mu * _G_MPS2)
    largest = min(lateral / speed_mps**2, 0.1)
    return draws.choice((-1.0, 1.0)) * float(f"{largest:.3g}")


def _events(draws: random.Random, scene: Scene) -> tuple[tuple[Event, ...], list[Leg]]:
    """Draw faults, and what the stack asks for because of one."""
    rows = rows_of(scene.composition, scene.platform)
    events, asked = _chain(draws, scene, rows) if draws.random() < CHAINS else ([], [])
    most_n = MOST_BESIDE_N if events else MOST_FAULTS_N
    alone: list[tuple[str, Mapping[str, Value]]] = []
    times_s: list[float] = []
    for _ in range(draws.randint(1 - bool(events), most_n)):
        among = [row for row in rows if row.name in OFTEN] if draws.random() < OFTENER else []
        row = draws.choice(among or rows)
        values = bus_faults.of_the_car(row.name, row.draw(draws), scene)
        if values is None:
            continue
        if events and draws.random() < OVERLAPS:
            before = draws.choice(events)
            at_s = before.at_s + draws.uniform(0.0, max(0.2, 0.8 * length_s(before)))
            events.append(Event(round(at_s, 2), row.name, values))
        else:
            is_early = draws.random() < HANDSHAKES
            early_s = ENGAGES_S + draws.uniform(-0.3, 0.4)
            later_s = _in_a_turn(draws, scene) if row.name in STALLS else _in_a_leg(draws, scene)
            times_s.append(early_s if is_early else later_s)
            alone.append((row.name, values))
    if draws.random() < LATE:
        times_s.sort()
        alone.sort(key=lambda each: each[0] in ENDS)
    for at_s, (name, drawn) in zip(times_s, alone, strict=True):
        events.append(Event(round(at_s, 2), name, drawn))
    return tuple(sorted(events, key=lambda event: event.at_s)), asked


def _in_a_leg(draws: random.Random, scene: Scene) -> float:
    """Return a time soon after a leg begins: in two of three one that sets out or turns."""
    changes = [
        leg.at_s
        for before, leg in pairwise(scene.legs)
        if leg.curvature_1pm != before.curvature_1pm
        or (leg.speed_mps != before.speed_mps and leg.speed_mps * before.speed_mps <= 0.0)
    ]
    every = [leg.at_s for leg in scene.legs]
    at_s = draws.choice(changes if changes and draws.random() < CHANGES else every)
    most_s = AT_ONCE_S if draws.random() < AT_ONCE else LATER_S
    return max(at_s, FIRST_LEG_S) + draws.uniform(0.0, most_s)


def _in_a_turn(draws: random.Random, scene: Scene) -> float:
    """Return a time at which the wheels turn, if the scene has one; else one in a leg."""
    turns = [
        leg.at_s
        for before, leg in pairwise(scene.legs)
        if leg.curvature_1pm != before.curvature_1pm and leg.speed_mps
    ]
    if not turns:
        return _in_a_leg(draws, scene)
    return max(draws.choice(turns), FIRST_LEG_S) + draws.uniform(0.0, TURNING_S)


def _at_rest(draws: random.Random, scene: Scene) -> float | None:
    """Return a time at which the stack has brought the car to rest; None where it never does."""
    stops = [
        leg.at_s + abs(before.speed_mps) / leg.decel_mps2
        for before, leg in pairwise(scene.legs)
        if leg.speed_mps == 0.0
    ]
    if not stops:
        return None
    return max(draws.choice(stops), FIRST_LEG_S) + draws.uniform(*RESTS_S)


def _chain(draws: random.Random, scene: Scene, rows: list[Fault]) -> tuple[list[Event], list[Leg]]:
    """Draw what must be remembered, what makes one forget it while it lasts, and who then asks."""
    events: list[Event] = []
    asked: list[Leg] = []
    resting_s = _at_rest(draws, scene) if draws.random() < AT_REST else None
    late_s = max(_in_a_leg(draws, scene), _in_a_leg(draws, scene))
    at_s = late_s if resting_s is None else resting_s
    links = draws.choice(LINKS)
    for names in links:
        among = [row for row in rows if row.name in names]
        if not among:
            continue
        row = FAULTS[draws.choice(names)]
        row = row if row in among else draws.choice(among)
        values = bus_faults.of_the_car(row.name, _lasting(draws, row), scene)
        if values is None:
            continue
        event = Event(round(at_s, 2), row.name, values)
        events.append(event)
        if names is ASKS:
            asked.append(Leg(event.at_s, draws.choice(SPEEDS_MPS[1:3])))
        # Who asks is heard by a process that runs; what forgets comes while the first one lasts.
        waits_s = length_s(event) if names is FORGETS else 0.0
        at_s += waits_s + draws.uniform(*CHAINED_S)
    return events, asked


def _lasting(draws: random.Random, row: Fault) -> dict[str, Value]:
    """Draw its values twice, and return those with which it lasts longer."""
    return max((row.draw(draws), row.draw(draws)), key=plots.seconds)


def length_s(event: Event) -> float:
    """Everything that is named as a time adds up to how long a fault lasts, at the most [s]."""
    if event.name in FORGOTTEN:
        return FORGETS_S
    return plots.seconds(event.values)
