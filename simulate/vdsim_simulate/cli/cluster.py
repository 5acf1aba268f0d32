"""Runs seeds on a Dask cluster, through the sweeps' own connection to one (vdsim_plant).

A worker must have the same files as this process, else it is refused before its outcome counts.
Workers are started in a checkout, by `./ws dask worker ...`; a car file of one's own is read there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, cast

from vdsim_plant.study.sweep import identity as plant
from vdsim_plant.study.sweep.cluster import cluster_at

import vdsim_can
import vdsim_interface
import vdsim_plant_node
import vdsim_protocol
import vdsim_record
import vdsim_simulate
from vdsim_simulate.runs import Outcome, outcome_of_seed

PACKAGES = (
    *(vdsim_simulate, vdsim_interface, vdsim_protocol),
    *(vdsim_plant_node, vdsim_can, vdsim_record),
)
"""What decides about the bits of a seed, beside the plant."""


class SeedPart(NamedTuple):
    """A seed as a part of a sweep. `number`: its place in the order."""

    number: int
    seed: int
    composition: str
    platform: str
    car_file: str


@lru_cache(maxsize=1)
def identity() -> str:
    """Return a hash of every file that decides, and the versions of what computes."""
    folders = [Path(str(package.__file__)).parent for package in PACKAGES]
    hashes = " ".join(plant.files_hash(folder) for folder in folders)
    return f"vdsim_simulate ({hashes}), {plant.identity()}"


def outcome_of_part(part: SeedPart) -> list[Outcome]:
    """Run the seed of a part, on a worker."""
    return [outcome_of_seed(part.composition, part.platform, part.car_file, part.seed)]


def outcomes_at(
    address: str, seeds: Iterable[int], composition: str, platform: str, car_file: str
) -> Iterator[Outcome]:
    """Run seeds on the cluster of a scheduler; their outcomes come in their order."""
    part = partial(SeedPart, composition=composition, platform=platform, car_file=car_file)
    parts = (part(number, seed) for number, seed in enumerate(seeds))
    early: dict[int, Outcome] = {}
    next_n = 0
    with cluster_at(address, identity) as runner:
        # A part of a sweep is its number and what the work makes of it; here the work is ours.
        finished = runner.run(cast("Iterator[Any]", parts), cast("Any", outcome_of_part))
        for number, (outcome,) in cast("Iterator[tuple[int, list[Outcome]]]", finished):
            early[number] = outcome
            while next_n in early:
                yield early.pop(next_n)
                next_n += 1
