"""The judge of vehicle interfaces is judged: each planted fault is named, a sound one has none."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest
import vdsim_autoware.conformance
from vdsim_autoware.conformance.conductor import Conductor, Options
from vdsim_autoware.conformance.interface import (
    CAUSES,
    CONTROL,
    DRIVE,
    MODE_REQUESTS,
    PAGES,
    PARK,
)
from vdsim_autoware.conformance.requirements import REQUIREMENTS, failures, judge
from vdsim_autoware.conformance.scenes import to_rest
from vdsim_autoware.conformance.verdict import Outcome
from vdsim_autoware_kit.conformance_double import Double, Line, Status
from vdsim_autoware_kit.conformance_faults import FAULTS, SOUND
from vdsim_autoware_kit.conformance_run import VirtualRun

UNKNOWABLE = {
    f"{prefix}-03" for prefix in ("CC", "GC", "TC", "HC", "CM", "GS", "TS", "HS", "SS", "VS")
}
"""The depth of a queue, which DDS does not announce."""
OF_LACKS = {"TC-14", "HC-14", "MR-13"}


@pytest.mark.parametrize("faults", FAULTS, ids=" + ".join)
def test_a_planted_fault_is_found_and_named(faults: tuple[str, ...]) -> None:
    assert failures(VirtualRun(*faults).run()) == FAULTS[faults].split()


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_interface_has_no_fault(name: str) -> None:
    differences, without = SOUND[name]
    options = Options(causes=frozenset(CAUSES), without=without)
    run = VirtualRun(*differences, options=options)
    judged = run.run()
    assert failures(judged) == []
    open_ids = {j.requirement.id for j in judged if j.verdict.outcome is Outcome.NOT_JUDGED}
    if name == "as the pages want it":
        assert open_ids == UNKNOWABLE | OF_LACKS | {"MR-11"}


@pytest.mark.parametrize(
    ("fault", "without", "broken"),
    [
        ("", "turn_indicators", "TC-14"),
        ("", "hazard_lights", "HC-14"),
        ("request: always refused", MODE_REQUESTS, ""),
        ("", MODE_REQUESTS, "MR-13"),
    ],
)
def test_what_a_vehicle_lacks_is_checked_too(fault: str, without: str, broken: str) -> None:
    options = Options(causes=frozenset(CAUSES), without=frozenset((without,)))
    run = VirtualRun(*filter(None, [fault]), options=options)
    if fault:  # it has no modes by request: a person at the car has selected AUTONOMOUS
        run.double.mode = 1
        run.double.faults |= {"request: always refused"}
    failed = failures(run.run())
    assert failed == ([broken] if broken else [])


def test_every_requirement_is_broken_by_a_planted_fault() -> None:
    broken = {identity for ids in FAULTS.values() for identity in ids.split()}
    known = {requirement.id for requirement in REQUIREMENTS}
    assert known - broken == UNKNOWABLE | OF_LACKS
    assert sum(len(faults) for faults in FAULTS) >= 40


def test_every_page_has_requirements_with_ids_of_their_own() -> None:
    assert {item.topic for item in REQUIREMENTS} == {page.topic for page in PAGES}
    assert len({item.id for item in REQUIREMENTS}) == len(REQUIREMENTS)
    assert len(PAGES) == 11


def test_without_a_drive_nothing_has_passed() -> None:
    run = VirtualRun()
    outcomes = {item.verdict.outcome for item in judge(run.record, run.options)}
    assert Outcome.PASSED not in outcomes


def test_a_cause_that_nobody_provokes_is_not_judged_and_says_why() -> None:
    judged = VirtualRun(options=Options()).run()
    lost = {j.requirement.id: j.verdict for j in judged}["VS-08"]
    assert lost.outcome is Outcome.NOT_JUDGED
    assert lost.seen == "no --provoke link_lost=COMMAND was given"


@pytest.mark.parametrize(
    ("fault", "broken"),
    [((), []), (("STEER_ONLY: velocity obeyed",), ["MR-21", "MR-22"])],
)
def test_partial_modes_that_need_a_person_are_judged_by_hand(
    fault: tuple[str, ...], broken: list[str]
) -> None:
    faults = ("request: partial modes need a person", *fault)
    options = Options(causes=frozenset(CAUSES), by_hand=True)
    judged = VirtualRun(*faults, options=options).run()
    assert failures(judged) == broken
    open_ids = {j.requirement.id for j in judged if j.verdict.outcome is Outcome.NOT_JUDGED}
    assert open_ids == UNKNOWABLE | OF_LACKS | {"MR-11"}
    judged = VirtualRun(*faults).run()
    assert failures(judged) == []
    outcome = {j.requirement.id: j.verdict.outcome for j in judged}
    assert outcome["MR-21"] is outcome["MR-31"] is Outcome.NOT_JUDGED


def test_an_interface_that_dies_after_the_first_seconds_does_not_pass() -> None:
    run = VirtualRun()
    run.record.endpoints = run.double.endpoints()
    while "gear.PARK" not in run.record.probes:
        run.tick()
    run.double.faults = frozenset(("all: nothing published",))
    judged = run.run()
    outcome = {j.requirement.id: j.verdict.outcome for j in judged}
    assert outcome["VS-13"] is not Outcome.PASSED
    assert outcome["CC-04"] is Outcome.FAILED
    assert outcome["CC-09"] is Outcome.NOT_JUDGED


def test_a_drive_that_is_interrupted_at_speed_ends_at_rest_in_park() -> None:
    run = VirtualRun()
    while run.double.velocity_mps < 2.0:
        run.tick()
    run.conductor = Conductor(run.record, run.options, to_rest)
    run.run()
    assert run.double.velocity_mps == pytest.approx(0.0, abs=0.01)
    assert run.double.gear == PARK


def test_the_kit_uses_rclpy_and_autowares_messages_alone() -> None:
    """It can be taken out of this repository: no import of another part of it."""
    allowed = {"autoware_control_msgs", "autoware_vehicle_msgs", "builtin_interfaces"}
    allowed |= {"diagnostic_msgs", "rclpy"}
    folder = Path(vdsim_autoware.conformance.__file__).parent
    files = list(folder.rglob("*.py"))
    assert len(files) > 12
    foreign = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for name in _imported(node):
                is_ours = name.startswith("vdsim_autoware.conformance")
                if not is_ours and name.partition(".")[0] not in allowed | STANDARD:
                    foreign.add(f"{file.name}: {name}")
    assert not foreign


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [item.name for item in node.names] if isinstance(node, ast.Import) else []


STANDARD = {
    *("__future__", "argparse", "bisect", "collections", "dataclasses", "enum", "functools"),
    *(
        "itertools",
        "math",
        "os",
        "pathlib",
        "signal",
        "statistics",
        "subprocess",
        "sys",
        "time",
        "typing",
        "xml",
    ),
}


class PausedRun(VirtualRun):
    """The kit, but not the car, stands still now and then for up to 1.5 s."""

    def __init__(self, seed: int, *faults: str) -> None:
        super().__init__(*faults)
        self._draw = random.Random(seed)
        self._from_s = self._to_s = self.now
        self._waiting: list[tuple[list[Status], list[Line]]] = []

    def tick(self) -> None:
        """Go on by one tick of the car; the kit receives later what came meanwhile."""
        self.now += self.tick_s
        if self.now > self._to_s:
            self._from_s = self.now + self._draw.expovariate(1.0 / 12.0)
            self._to_s = self._from_s + self._draw.uniform(0.1, 1.5)
        self._waiting.append(self.driven.step(self.now))
        if self.now < self._from_s or self.now >= self._to_s - self.tick_s:
            waiting, self._waiting = self._waiting, []
            self.play([s for made, _ in waiting for s in made], [n for _, m in waiting for n in m])


def test_a_kit_that_stood_still_blames_nobody_and_says_so() -> None:
    said: set[str] = set()
    for seed in range(12, 19):
        judged = PausedRun(seed).run()
        assert failures(judged) == []
        said |= {j.verdict.seen for j in judged if "stood still" in j.verdict.seen}
    assert said, "no pause has met a part of the drive"


def test_a_fault_is_found_by_a_kit_that_stood_still_elsewhere() -> None:
    run = VirtualRun("control_cmd: weak")
    run.record.pauses.append((run.now - 10.0, run.now - 9.0))
    assert failures(run.run()) == ["CC-17"]


def test_the_double_keeps_time_when_commands_arrive_between_its_steps() -> None:
    double = Double(mode=1, gear=DRIVE)
    double.step(10.0)
    for tick in range(1, 51):
        double.now = 10.0 + 0.02 * tick - 0.001
        double.receive(CONTROL, (4.0, 1.0, 0.0), double.now)
        double.step(10.0 + 0.02 * tick)
    assert double.velocity_mps == pytest.approx(1.0, abs=0.05)
