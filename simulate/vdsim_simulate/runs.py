"""Run a scene, or many seeds, and say what did not hold."""

from __future__ import annotations

import hashlib
import multiprocessing
import traceback
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice, pairwise
from typing import NamedTuple

from vdsim_record.tape.replayed import Replayed, replayed

from vdsim_simulate.draw import scene_of
from vdsim_simulate.oracles import Violation, ask, judge
from vdsim_simulate.record import Record
from vdsim_simulate.scene import Scene, SceneError
from vdsim_simulate.story import story
from vdsim_simulate.wiring.tapes import Tapes
from vdsim_simulate.world import World

PORTION_N = 8
RAISES = "raises"
"""What a seed breaks that ends by an exception, in the place of an oracle's name."""
GC_THRESHOLD = 100_000, 50, 50
"""For `gc`: a record grows until its scene ends, and holds no cycles: a search frees nothing."""


class Outcome(NamedTuple):
    """What a seed gave. `story`: up to what broke. `bits`: hash of all packets and the motion.

    `reached`: each fault, what the car did when it began, and the mode that was shown. `steps`: the
    transitions of the mode and of who commands, as they were shown.
    """

    seed: int
    simulated_s: float
    violations: tuple[Violation, ...]
    story: str
    bits: str
    reached: frozenset[tuple[str, str, str]]
    steps: frozenset[tuple[str, str]]


def run_scene(scene: Scene) -> Record:
    """Run a scene to its end."""
    return World(scene).run()


def outcome_of(scene: Scene) -> Outcome:
    """Run and judge a scene."""
    record = run_scene(scene)
    violations = tuple(judge(record))
    told = story(record, violations)
    bits, reached = bits_of(record), frozenset(record.reached)
    steps = frozenset((*steps_of(record.shown), *steps_of(record.drivers)))
    return Outcome(scene.seed, scene.ends_s, violations, told, bits, reached, steps)


def replay_of(scene: Scene) -> Replayed:
    """Run a scene with tapes, and play them again."""
    tapes = Tapes()
    World(scene, tapes).run()
    name = f"{scene.platform} {scene.composition} {scene.seed}"
    return replayed(name, [event.name for event in scene.events], tapes.packets())


def steps_of(changes: Sequence[tuple[float, str]]) -> Iterator[tuple[str, str]]:
    """Return what follows what."""
    for (_, before), (_, after) in pairwise(changes):
        yield before or "the stack", after or "the stack"


def breaks(oracle: str, scene: Scene) -> Violation | None:
    """Run a scene and ask one oracle."""
    return ask(oracle, run_scene(scene))


def outcomes(
    seeds: Iterable[int],
    composition: str,
    jobs_n: int,
    platform: str = "vds1",
    car_file: str = "",
) -> Iterator[Outcome]:
    """Run seeds, in their order; the same results whatever the number of workers."""
    run = partial(outcome_of_seed, composition, platform, car_file)
    if jobs_n == 1:
        yield from map(run, seeds)
        return
    waiting = iter(seeds)
    with multiprocessing.get_context("fork").Pool(jobs_n) as pool:
        # In portions: a pool reads all that it is given at once, and seeds may have no end.
        while portion := list(islice(waiting, PORTION_N * jobs_n)):
            yield from pool.imap(run, portion)


def replays(
    seeds: Iterable[int], composition: str, jobs_n: int, platform: str = "vds1"
) -> Iterator[Replayed]:
    """Replay seeds, in their order."""
    run = partial(_replay_of_seed, composition, platform)
    if jobs_n == 1:
        yield from map(run, seeds)
        return
    with multiprocessing.get_context("fork").Pool(jobs_n) as pool:
        yield from pool.imap(run, seeds)


def _replay_of_seed(composition: str, platform: str, seed: int) -> Replayed:
    return replay_of(scene_of(seed, composition, platform))


def outcome_of_seed(composition: str, platform: str, car_file: str, seed: int) -> Outcome:
    """Run and judge a seed among many: one that raises breaks by that, and the others go on."""
    scene = scene_of(seed, composition, platform, car_file)
    try:
        return outcome_of(scene)
    except SceneError as error:
        violations = (Violation(error.time_s, error.text, RAISES),)
        told = "".join(traceback.format_exception(error))
        return Outcome(seed, error.time_s, violations, told, "", frozenset(), frozenset())


def bits_of(record: Record) -> str:
    """Return a hash over what left on the wire and how the car moved."""
    told = "".join(repr(tuple(values)) for values in (*record.packets, *record.car))
    return hashlib.sha256(told.encode()).hexdigest()[:16]
