"""panda's safety hook sees the bus of vdsim_can_car: it refuses nothing that our interface sends.

The car has faults on order, a driver at its controls, a stack that falls silent. Each frame that
the interface sends is judged by the hook, which was fed with every frame of the car. Beside them
frames that break a rule are offered to our limiter and to the hook: what the hook refuses, the
limiter must refuse.

VDSIM_CAN_FRAMES: how many frames are sent in all; VDSIM_CAN_OFFERS: how many are offered.
"""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from vdsim_can.car import CarFile, read_car
from vdsim_can_kit.judged_world import JudgedWorld, orders_of
from vdsim_can_kit.opendbc_networks import texts
from vdsim_can_kit.opendbc_safety import (
    ACTUATES,
    ALLOWED,
    REFUSED,
    Hook,
    Safety,
    compiled,
)

HERE = Path(__file__).parent
FRAMES_N = int(os.environ.get("VDSIM_CAN_FRAMES", "60000"))
OFFERS_N = int(os.environ.get("VDSIM_CAN_OFFERS", "60000"))
EPISODE_S, FAULTS_N = 60.0, 8
NETWORKS = ("tesla_model3_party", "toyota_nodsu_pt_generated", "hyundai_canfd_generated")
STOCK = ("DAS_control", "DAS_steeringControl")
CARS = {
    # Modes and parameters as opendbc's own ports of these cars give them.
    "tesla_model_3": Safety(10, 1, {"party": 0}, STOCK),
    "toyota_rav4_lta": Safety(2, 73 | 4 << 8, {"pt": 0}),
    "hyundai_ioniq_5": Safety(28, 1 | 4 | 16, {"e_can": 1}),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hook, compiled."""
    return compiled(HERE / "safety_hook.c", tmp_path_factory.mktemp("hook"))


@pytest.fixture(scope="module")
def cars(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CarFile]:
    """The car files beside the networks of the wheel."""
    folder = tmp_path_factory.mktemp("cars")
    for name in NETWORKS:
        (folder / f"{name}.dbc").write_text(texts()[name], encoding="utf-8")
    return {name: read_car(Path(shutil.copy(HERE / f"{name}.yaml", folder))) for name in CARS}


@dataclass
class Tally:
    """What the hook said."""

    counts: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)


def episodes(car: CarFile, hook: Hook, offers_n: int) -> Iterator[tuple[JudgedWorld, bytes]]:
    """Drive for ever, by seeds; after each drive the verdicts on its events."""
    seed = 0
    while True:
        chance = random.Random(f"{car.name} {seed}")
        orders = tuple(orders_of(car, chance, EPISODE_S, FAULTS_N))
        world = JudgedWorld(car, hook, chance, *orders, offers_n=offers_n)
        world.drive(EPISODE_S)
        yield world, hook.judged()
        hook.start()
        seed += 1


@pytest.mark.parametrize("name", CARS)
def test_the_hook_refuses_nothing_that_is_sent_and_nothing_that_we_pass(
    name: str, cars: dict[str, CarFile], library: Path
) -> None:
    frames_n, offered_n = FRAMES_N // len(CARS), OFFERS_N // len(CARS)
    tally = Tally()
    counts = tally.counts
    for world, verdicts in episodes(cars[name], Hook(library, CARS[name]), 1):
        counts["episodes"] += 1
        for number in world.sent_numbers:
            verdict = verdicts[number]
            counts["sent"] += 1
            counts["actuating"] += bool(verdict & ACTUATES)
            counts["allowed"] += bool(verdict & ALLOWED)
            if verdict & REFUSED:
                tally.refused.append(f"episode {counts['episodes']}: frame {counts['sent']}")
        for offer in world.offers:
            counts["offered"] += 1
            counts["refused by the hook"] += verdicts[offer.number] < offer.repeat
            counts["refused by the limiter"] += offer.passed < offer.repeat
            if verdicts[offer.number] < offer.passed:
                tally.missed.append(f"passes {verdicts[offer.number]} of {offer}")
        if counts["sent"] >= frames_n and counts["offered"] >= offered_n:
            break
    print(f"{name}: {dict(counts)}")
    assert tally.refused == []
    assert tally.missed == []
    assert counts["actuating"] >= counts["sent"] // 3
    assert counts["refused by the hook"] > counts["offered"] // 5
