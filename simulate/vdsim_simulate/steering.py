"""Which seeds are worth a run: fewer of what was seen.

A scene says before it runs which fault falls into which leg, which faults overlap, and which one
follows which. Of every few seeds the one is run whose scene has most that is rare so far. What is
counted is what was drawn, not what came of it: the same seeds are run whatever the number of
workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, islice, pairwise

from vdsim_simulate.draw import scene_of
from vdsim_simulate.scene import Event, Scene

CANDIDATES_N = 16
OVERLAP_S = 1.0


def steered(
    seeds: Iterable[int], composition: str, platform: str = "vds1", car_file: str = ""
) -> Iterator[int]:
    """Return one of every few seeds."""
    seen: Counter[tuple[str, ...]] = Counter()
    waiting = iter(seeds)
    while candidates := tuple(islice(waiting, CANDIDATES_N)):
        scenes = {seed: scene_of(seed, composition, platform, car_file) for seed in candidates}
        traits = {seed: traits_of(scene) for seed, scene in scenes.items()}
        best = max(candidates, key=lambda seed: sum(1.0 / (1 + seen[t]) for t in traits[seed]))
        seen.update(traits[best])
        yield best


def traits_of(scene: Scene) -> frozenset[tuple[str, ...]]:
    """Return each fault with what the stack asks for then, and the pairs of faults that overlap."""
    met = {(event.name, _asked(scene, event)) for event in scene.events}
    pairs = {
        tuple(sorted((one.name, other.name)))
        for one, other in combinations(scene.events, 2)
        if abs(one.at_s - other.at_s) < OVERLAP_S
    }
    in_order = sorted(scene.events, key=lambda event: event.at_s)
    follow = {(one.name, "then", other.name) for one, other in pairwise(in_order)}
    return frozenset((*met, *pairs, *follow))


def _asked(scene: Scene, event: Event) -> str:
    before, leg = None, scene.legs[0]
    for following in scene.legs:
        if following.at_s <= event.at_s:
            before, leg = leg, following
    slope = "uphill" if scene.grade > 0.08 else "downhill" if scene.grade < -0.08 else "level"
    if leg.curvature_1pm:
        return f"bend, {slope}"
    if not leg.speed_mps:
        return f"stop, {slope}"
    starts = before is not None and before.speed_mps < leg.speed_mps
    return f"start, {slope}" if starts else f"drive, {slope}"
