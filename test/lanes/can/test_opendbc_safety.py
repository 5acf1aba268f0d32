"""panda's safety hook sees the bus of vdsim_can_car: it refuses nothing that our interface sends.

The car has faults on order, a driver at its controls, a stack that falls silent. Each frame that
the interface sends is judged by the hook, which was fed with every frame of the car. Beside them
frames that break a rule are offered to our limiter and to the hook: what the hook refuses, the
limiter must refuse.

VDSIM_CAN_FRAMES: how many frames are sent in all; VDSIM_CAN_OFFERS: how many are offered.
VDSIM_CAN_STORE: a file with a line for each drive; a run that was stopped goes on behind it.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from vdsim_can.car import CarFile, SpeedTable, read_car
from vdsim_can.frame import Frame
from vdsim_can.platform.limiter import ACCEL, ANGLE, TORQUE, Limiter, Situation, Verdict
from vdsim_can_kit.judged_world import Judge, JudgedWorld, clone, orders_of, passes
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
STORE = os.environ.get("VDSIM_CAN_STORE", "")
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

    def add(self, world: JudgedWorld, verdicts: bytes) -> Counter[str]:
        """Use the verdicts on a drive; return its own counts."""
        counts: Counter[str] = Counter(drives=1)
        for number in world.sent_numbers:
            verdict = verdicts[number]
            counts["sent"] += 1
            counts["actuating"] += bool(verdict & ACTUATES)
            counts["allowed"] += bool(verdict & ALLOWED)
            if verdict & REFUSED:
                drive = self.counts["drives"]
                self.refused.append(f"drive {drive}: frame {counts['sent']}")
        for offer in world.offers:
            counts["offered"] += 1
            counts["refused by the hook"] += verdicts[offer.number] < offer.repeat
            counts["refused by the limiter"] += offer.passed < offer.repeat
            if verdicts[offer.number] < offer.passed:
                self.missed.append(f"passes {verdicts[offer.number]} of {offer}")
        self.counts += counts
        return counts


def stored(name: str) -> Counter[str]:
    """Return the sums of the drives of a car in the store; none of them had a fault."""
    sums: Counter[str] = Counter()
    if STORE and Path(STORE).exists():
        for line in Path(STORE).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row.pop("car") == name:
                sums.update(row)
    return sums


def store(name: str, counts: Counter[str]) -> None:
    """Write a drive to the store."""
    if STORE:
        with Path(STORE).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"car": name, **counts}) + "\n")


def episodes(
    car: CarFile,
    hook: Hook,
    offers_n: Callable[[], int],
    breaks: Mapping[str, Judge] | None = None,
    seconds: float = EPISODE_S,
    first: int = 0,
) -> Iterator[tuple[JudgedWorld, bytes]]:
    """Drive for ever, by seeds; after each drive the verdicts on its events."""
    seed = first
    while True:
        chance = random.Random(f"{car.name} {seed}")
        orders = tuple(orders_of(car, chance, seconds, FAULTS_N))
        world = JudgedWorld(car, hook, chance, *orders, offers_n=offers_n(), breaks=breaks)
        world.drive(seconds)
        yield world, hook.judged()
        hook.start()
        seed += 1


@pytest.mark.parametrize("name", CARS)
def test_the_hook_refuses_nothing_that_is_sent_and_nothing_that_we_pass(
    name: str, cars: dict[str, CarFile], library: Path
) -> None:
    frames_n, offered_n = FRAMES_N // len(CARS), OFFERS_N // len(CARS)
    tally = Tally(stored(name))
    hook, first = Hook(library, CARS[name]), tally.counts["drives"]
    offers_n = lambda: int(tally.counts["offered"] < offered_n)  # noqa: E731
    for world, verdicts in episodes(cars[name], hook, offers_n, first=first):
        if tally.counts["sent"] >= frames_n and tally.counts["offered"] >= offered_n:
            break
        counts = tally.add(world, verdicts)
        assert tally.refused == []
        assert tally.missed == []
        store(name, counts)
    counts = tally.counts
    print(f"{name}: {dict(counts)}")
    assert counts["actuating"] >= counts["sent"] // 3
    assert counts["refused by the hook"] > counts["offered"] // 5


# ---- mistakes ------------------------------------------------------------------------------------

Change = Callable[[Limiter], None]
Seen = Callable[[Situation], Situation]
EVERY_SPEED, ANY_TORQUE = SpeedTable((0.0,), (100.0,)), SpeedTable((0.0,), (2000.0,))


def with_mistake(change: Change = lambda limiter: None, seen: Seen = lambda at: at) -> Judge:
    """A limiter that was changed, or that does not see everything."""

    def judge(limiter: Limiter, bus: str, frame: Frame, at: Situation, repeat: int) -> int:
        other = clone(limiter)
        change(other)
        return passes(other, bus, frame, seen(at), repeat)

    return judge


def blind_to(kind: str) -> Judge:
    """A limiter that passes whatever it would refuse for one kind of reason."""

    class Blind(Limiter):
        def verdict(self, bus: str, frame: Frame, at: Situation) -> Verdict:
            found = super().verdict(bus, frame, at)
            return Verdict("", "", {}) if found.kind == kind else found

    def change(limiter: Limiter) -> None:
        limiter.__class__ = Blind

    return with_mistake(change)


def without(**rows: object) -> Judge:
    """A car file without some rows of its limits, or with others."""

    def change(limiter: Limiter) -> None:
        limits = limiter._limits
        if limits.angle is not None:
            of_angle = {k: v for k, v in rows.items() if hasattr(limits.angle, k)}
            limits = replace(limits, angle=replace(limits.angle, **of_angle))  # type: ignore[arg-type]
        if limits.torque is not None:
            of_torque = {k: v for k, v in rows.items() if hasattr(limits.torque, k)}
            limits = replace(limits, torque=replace(limits.torque, **of_torque))  # type: ignore[arg-type]
        others = {k: v for k, v in rows.items() if hasattr(limits, k)}
        limiter._limits = replace(limits, **others)  # type: ignore[arg-type]

    return with_mistake(change)


def without_least(limiter: Limiter) -> None:
    """The row that carries only the positive part carries all of it."""
    limiter._messages = messages = dict(limiter._messages)
    for key, judged in messages.items():
        messages[key] = other = copy(judged)
        other.rows = [
            checked._replace(row=replace(checked.row, least=-100.0)) for checked in judged.rows
        ]


BREAKS: dict[str, dict[str, Judge]] = {
    "tesla_model_3": {
        "any id": blind_to("id"),
        "any length": blind_to("length"),
        "any bit": blind_to("signal"),
        "no angle is judged": blind_to(ANGLE),
        "no acceleration is judged": blind_to(ACCEL),
        "a person may drive": with_mistake(seen=lambda at: at._replace(denied="")),
        "always driving": with_mistake(seen=lambda at: at._replace(drives=True)),
        "no jerk": without(lateral_jerk_mps3=None),
        "no lateral acceleration": without(
            lateral_accel_mps2=None, lateral_jerk_mps3=None, rate_up=None, rate_down=None
        ),
        "at a standstill": with_mistake(seen=lambda at: at._replace(speed_mps=0.0)),
        "far from the measured angle": without(near_measured_rad=0.1),
        "as many frames as one likes": without(frames_ms=0.0),
        "any braking": without(accel_min_mps2=-10.0),
        "any drive": without(accel_max_mps2=10.0),
        "both ends negative": with_mistake(without_least),
    },
    "toyota_rav4_lta": {
        "no rate away from straight ahead": without(rate_up=EVERY_SPEED),
        "no rate back": without(rate_down=EVERY_SPEED),
        "any braking": without(accel_min_mps2=-20.0),
    },
    "hyundai_ioniq_5": {
        "no torque is judged": blind_to(TORQUE),
        "any torque": without(max_nm=ANY_TORQUE, step_up_nm=1000.0, driver_allowance_nm=None),
        "any step up": without(step_up_nm=50.0),
        "no driver": without(driver_allowance_nm=None),
    },
}


@pytest.mark.parametrize("name", CARS)
def test_each_mistake_in_the_limiter_is_noticed_by_the_hook(
    name: str, cars: dict[str, CarFile], library: Path
) -> None:
    """With the mistake, the limiter passes something that the hook refuses."""
    breaks = BREAKS[name]
    noticed: Counter[str] = Counter()
    offered = 0
    for world, verdicts in episodes(cars[name], Hook(library, CARS[name]), lambda: 3, breaks, 8.0):
        for offer in world.offers:
            offered += 1
            for each, passed in offer.broken.items():
                noticed[each] += passed > verdicts[offer.number]
        if all(noticed[each] for each in breaks) or offered > 100_000:
            break
    print(f"{name}: of {offered} offered frames each mistake passes: {dict(noticed)}")
    assert [each for each in breaks if not noticed[each]] == []


def test_there_are_at_least_twenty_mistakes() -> None:
    assert sum(map(len, BREAKS.values())) >= 20
