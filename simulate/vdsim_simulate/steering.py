"""Which seeds are worth a run: fewer of what was seen.

A scene says before it runs which fault falls into which leg, which faults overlap, and which one
follows which. Of every few seeds the one is run whose scene has most that is rare so far. What is
counted is what was drawn, not what came of it: the same seeds are run whatever the number of
workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, cycle, islice, pairwise

from vdsim_simulate.draw import length_s, scene_of
from vdsim_simulate.scene import Event, Scene

CANDIDATES_N = 128
OVERLAP_S = 1.0
SHORT_S, LONG_S = 0.15, 1.0
STEERS_S = 0.5
"""So long after its curvature has changed a leg counts as one in which the wheels turn."""
COMBINED = 0.3
"""What a combination of two faults, and a word, count, of what a fault in a leg does: almost all
combinations are new, and faults with words are not to be preferred."""
PLOTS = 10.0
"""What a plot counts: the one that was followed least is next, whatever its faults are."""
Trait = tuple[str, ...]


def steered(
    seeds: Iterable[int], composition: str, platform: str = "vds1", car_file: str = ""
) -> Iterator[int]:
    """Return one of every few seeds."""
    seen: Counter[Trait] = Counter()
    waiting, turns = iter(seeds), cycle((True, False))
    while candidates := tuple(islice(waiting, CANDIDATES_N)):
        scenes = {seed: scene_of(seed, composition, platform, car_file) for seed in candidates}
        traits = {seed: traits_of(scene) for seed, scene in scenes.items()}
        follows = next(turns)  # a plot has few faults, and would never have most that is rare
        of_turn = [seed for seed in candidates if bool(scenes[seed].plot) is follows]
        best = max(of_turn or candidates, key=lambda seed: _rareness(traits[seed], seen))
        seen.update(traits[best].keys())
        yield best


def _rareness(traits: Mapping[Trait, float], seen: Counter[Trait]) -> float:
    return sum(weight / (1 + seen[trait]) for trait, weight in traits.items())


def traits_of(scene: Scene) -> dict[Trait, float]:
    """Return what counts of a scene, and how much.

    Each fault with what the stack asks for then, and how long it lasts; with its words; whether
    it is alone, so that one sees what becomes of it; and pairs that overlap or follow each other.
    """
    traits: dict[Trait, float] = {}
    if scene.plot:
        traits["plot", scene.plot] = PLOTS
        traits |= {("plot", scene.plot, event.name): 1.0 for event in scene.events}
        traits["plot", scene.plot, scene.rig] = 1.0
    events = sorted(scene.events, key=lambda event: event.at_s)
    for event in events:
        lasts_s = length_s(event)
        scale = "short" if lasts_s < SHORT_S else "long" if lasts_s > LONG_S else "while"
        words = [value for value in event.values.values() if isinstance(value, str)]
        alone = all(other is event or _apart(event, other) for other in events)
        asked = _asked(scene, event)
        traits |= {(event.name, word): COMBINED for word in words}
        for trait in (asked, f"{scale}, {asked}", *(["alone"] if alone else [])):
            traits[event.name, trait] = 1.0
    for one, other in combinations(events, 2):
        if abs(one.at_s - other.at_s) < OVERLAP_S:
            first, second = sorted((one.name, other.name))
            traits[first, second] = COMBINED
    for one, other in pairwise(events):
        traits[one.name, "then", other.name] = COMBINED
    return traits


def _apart(event: Event, other: Event) -> bool:
    """Whether the other one neither explains nor hides what comes of an event."""
    return other.at_s > event.at_s + length_s(event) or other.at_s + length_s(other) < event.at_s


def _asked(scene: Scene, event: Event) -> str:
    before, leg = None, scene.legs[0]
    for following in scene.legs:
        if following.at_s <= event.at_s:
            before, leg = leg, following
    turns = before is not None and leg.curvature_1pm != before.curvature_1pm
    if turns and leg.speed_mps and event.at_s - leg.at_s < STEERS_S:
        return "turn"
    slope = "uphill" if scene.grade > 0.08 else "downhill" if scene.grade < -0.08 else "level"
    if leg.curvature_1pm:
        return f"bend, {slope}"
    if not leg.speed_mps:
        from_reverse = before is not None and before.speed_mps < 0.0
        return f"stop in reverse, {slope}" if from_reverse else f"stop, {slope}"
    if leg.speed_mps < 0.0:
        return f"reverse, {slope}"
    starts = before is not None and before.speed_mps < leg.speed_mps
    return f"start, {slope}" if starts else f"drive, {slope}"
