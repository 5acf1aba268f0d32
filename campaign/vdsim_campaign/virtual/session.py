"""Runs a cell on virtual time and judges it by the checks of the real one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from vdsim_simulate.scene import Leg

from vdsim_campaign import checks
from vdsim_campaign.boundaries import NOT_SAID
from vdsim_campaign.bounds import (
    ASK_AGAIN_S,
    BEFORE_S,
    COUNTS_PATIENCE_S,
    CURVATURE,
    DRIVES_AGAIN,
    PATIENCE_S,
    SETTLED_MPS,
    SPEED_MPS,
)
from vdsim_campaign.cells import Cell
from vdsim_campaign.checks import Finding
from vdsim_campaign.counts import COUNTS, Counted, between
from vdsim_campaign.faults import Expect
from vdsim_campaign.record import Record
from vdsim_campaign.result import Result
from vdsim_campaign.roads import FLAT, ROADS
from vdsim_campaign.virtual.injectors import INJECTORS, VirtualTrial
from vdsim_campaign.virtual.world import TappedWorld

STEP_S = 0.005
STARTS_MPS, BRAKES_MPS, BEND_1PM = 1.0, 2.8, 0.12
"""A fault meets a start at this speed, a braking at that one, and a bend of this curvature."""


def run(cell: Cell, into: str = "cruise") -> Result:
    """Run a cell and judge it."""
    began_s = time.monotonic()
    try:
        findings = tuple(VirtualSession(cell, into).findings())
    except AssertionError as error:
        findings = (Finding("the trial can be made", False, str(error)),)
    return Result(cell=cell, findings=findings, took_s=time.monotonic() - began_s)


class VirtualSession:
    """A world of its own for one cell: nothing of an earlier one is left in it."""

    def __init__(self, cell: Cell, into: str) -> None:
        self._cell, self._into = cell, into
        self._world = TappedWorld(cell)
        self._curvature_1pm = CURVATURE if cell.fault.road == FLAT else 0.0
        if into == "bend" and cell.fault.road == FLAT:
            self._curvature_1pm = BEND_1PM

    def findings(self) -> Iterator[Finding]:
        """Drive, inject the fault, drive again; yield what was required of it."""
        cell, world = self._cell, self._world
        self._reach()
        before = world.counts()
        began_s = world.agenda.now
        trial = VirtualTrial(cell, world, self._curvature_1pm)
        end = INJECTORS[cell.fault.inject](trial)
        self._spin(cell.lasts_s)
        end()
        cleared_s = world.agenda.now
        drives_s = self._drive_again(cleared_s)
        record = Record(
            begin_s=began_s, cleared_s=cleared_s, drives_s=drives_s,
            states=[seen for seen in world.states if seen.time_s > began_s - BEFORE_S],
            commands=[seen for seen in world.commands if seen.time_s > began_s - BEFORE_S],
        )  # fmt: skip
        expect = _expected(cell.fault.expect, self._into)
        yield from checks.of_the_fault(expect, record, _nobody_waits, ROADS[cell.fault.road])
        ended = world.left_autonomy_since(began_s)
        yield from checks.autonomy_ended(expect.ends_autonomy, ended)
        yield from checks.invariants(record)
        sent = [seen.data for seen in world.commands]
        yield checks.applied_was_sent(world.applied.datagrams, sent)
        if expect.reason and cell.fault.name not in NOT_SAID:
            since_s = began_s if cell.fault.road == FLAT else 0.0
            said = "\n".join(text for time_s, text in world.said if time_s >= since_s)
            yield checks.reason_given(expect.reason, said)
        if expect.counts:
            yield self._compare_counts(expect.counts, before, trial)

    # ---- driving ---------------------------------------------------------------------------------

    def _reach(self) -> None:
        """Bring the car to what the fault begins in."""
        world, cell = self._world, self._cell
        world.planner.follow(Leg(0.0, 0.0))
        self._drive_until(lambda: True, "AUTONOMOUS")
        self._follow(SPEED_MPS)
        if self._into == "start":
            self._drive_until(lambda: world.speed_mps >= STARTS_MPS, "a start")
            return
        settled = lambda: abs(world.speed_mps - SPEED_MPS) < SETTLED_MPS  # noqa: E731
        self._drive_until(settled, "the cruise")
        self._spin(cell.waits_s)
        if self._into == "braking":
            self._follow(0.0)
            self._drive_until(lambda: world.speed_mps <= BRAKES_MPS, "a braking")

    def _drive_again(self, cleared_s: float) -> float:
        """Engage, if that is needed, until the car drives; older reports do not count."""
        world = self._world
        self._follow(SPEED_MPS)

        def drives() -> bool:
            return world.reported_s > cleared_s and world.speed_mps >= DRIVES_AGAIN * SPEED_MPS

        self._drive_until(drives, "a car that drives")
        return world.agenda.now

    def _follow(self, speed_mps: float) -> None:
        self._world.planner.follow(Leg(0.0, speed_mps, curvature_1pm=self._curvature_1pm))

    def _drive_until(self, holds: Callable[[], bool], what: str) -> None:
        """Drive until something holds; engage whenever that is needed."""
        world = self._world
        ends_s = world.agenda.now + PATIENCE_S
        asked_s = -PATIENCE_S
        while not (world.interface.shown_mode == "AUTONOMOUS" and holds()):
            now = world.agenda.now
            assert now < ends_s, f"{what}: not after {PATIENCE_S:.0f} s"
            if world.interface.shown_mode != "AUTONOMOUS" and now - asked_s > ASK_AGAIN_S:
                asked_s = now
                world.ask_to_engage()
            self._spin(STEP_S)

    def _spin(self, for_s: float) -> None:
        world = self._world
        ends_s = world.agenda.now + for_s
        while world.agenda.now < ends_s:
            world.agenda.run_until(min(world.agenda.now + STEP_S, ends_s))
            world.listen()

    def _compare_counts(self, name: str, before: Counted, trial: VirtualTrial) -> Finding:
        """Compare until the counts agree: they are published once a second."""
        world = self._world
        ends_s = world.agenda.now + COUNTS_PATIENCE_S
        while True:
            self._spin(0.2)
            found = COUNTS[name](between(before, world.counts(), trial.injected))
            if found.holds or world.agenda.now > ends_s:
                return found


def _expected(expect: Expect, into: str) -> Expect:
    """What must hold where the car does not cruise: there is no band of speed to stay in."""
    if into in ("cruise", "bend"):
        return expect
    if expect.at_the_cruise:
        return replace(expect, brakes_within_s=None, ends_autonomy=None)
    return replace(expect, drives_on=False)


def _nobody_waits(begin_s: float, end_s: float) -> float:
    """No process waits for a core."""
    del begin_s, end_s
    return 0.0
