"""Runs the cells of one composition in one launch: one cell after the other, one result each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from vdsim_interface.guard.tape import VARIABLE
from vdsim_kit.driving import AUTONOMOUS
from vdsim_plant_node.runs.recording import RecordingError, RecordingReader, RecordKind

from vdsim_campaign import checks
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
from vdsim_campaign.driver import Driver
from vdsim_campaign.injectors import INJECTORS
from vdsim_campaign.machine import WaitWatch
from vdsim_campaign.record import Record
from vdsim_campaign.result import Result
from vdsim_campaign.roads import DISK_FULL, FLAT, GROUNDS, ROADS
from vdsim_campaign.system import PLANT, ROLES, PlantSetup, System
from vdsim_campaign.tapes import Tapes
from vdsim_campaign.trial import Trial
from vdsim_campaign.wire_tap import COMMAND, STATE

_LARGEST_FILE_BYTES = 200_000
TRIES = 3
"""A cell that the machine starves is tried so often; then it is not judged."""


class Session:
    """One composition that runs, and the cells in it."""

    def __init__(
        self,
        folder: Path,
        composition: str,
        seed: int,
        peer_python: str = "",
        tapes: Tapes | None = None,
    ) -> None:
        self._system = System(folder, composition, str(seed), peer_python=peer_python)
        if tapes is not None:
            self._system.more_environment[VARIABLE] = str(tapes.path)
        self._watch = WaitWatch(self._system.waited_s)
        self._driver = Driver(f"/{self._system.namespace}")
        self._system.start(PLANT)
        for role in ROLES[composition]:
            self._system.start(role)

    def close(self) -> None:
        """End all processes."""
        self._driver.close()
        self._watch.close()
        self._system.close()

    def run(self, cell: Cell) -> Result:
        """Run a cell and judge it, again while the machine starves it and something is broken."""
        for _ in range(TRIES):
            result = self._try(cell)
            if not result.broken or not result.starved:
                break
        return result

    def _try(self, cell: Cell) -> Result:
        begin_s = time.monotonic()
        try:
            findings = self._run(cell)
        except AssertionError as error:
            findings = [Finding("the trial can be made", False, str(error)[:300])]
        end_s = time.monotonic()
        return Result(
            cell=cell,
            findings=tuple(findings),
            took_s=end_s - begin_s,
            waited_s=self._watch.waited_between(begin_s, end_s),
            starved=self._watch.starved_between(begin_s, end_s),
        )

    # ---- one cell --------------------------------------------------------------------------------

    def _run(self, cell: Cell) -> list[Finding]:
        system, driver = self._system, self._driver
        for role in system.dead():  # a cell before this one has found a fault
            system.start(role)
        self._take_road(cell.fault.road)
        self._cruise(CURVATURE if cell.fault.road == FLAT else 0.0)
        driver.spin(cell.waits_s)
        trial = Trial(cell, system, driver)
        if cell.fault.expect.counts:
            self._await_counts()
        before = self._counts()
        sizes = system.log_sizes()
        injected_s = trial.began_s = time.monotonic()
        with INJECTORS[cell.fault.inject](trial):
            driver.spin(cell.lasts_s)
        cleared_s = time.monotonic()
        drives_s = self._drive_again(cleared_s)
        record = self._record(trial.began_s, cleared_s, drives_s)
        road = ROADS[cell.fault.road]
        findings = list(
            checks.of_the_fault(cell.fault.expect, record, self._watch.waited_between, road)
        )
        ended = driver.left_autonomy_since(injected_s)
        findings += checks.autonomy_ended(cell.fault.expect.ends_autonomy, ended)
        findings += checks.invariants(record)
        findings += self._applied(trial)
        if cell.fault.expect.reason:
            # A fault of the road or the disk is there since the plant's start.
            logged = system.logged_since(sizes if cell.fault.road == FLAT else {})
            said = f"{driver.said_since(injected_s)}\n{logged}"
            findings.append(checks.reason_given(cell.fault.expect.reason, said))
        if cell.fault.expect.counts:
            findings.append(self._compare_counts(cell.fault.expect.counts, before, trial))
        dead = set(system.dead()) - trial.killed
        alive = ", ".join(sorted(dead)) + " ended" if dead else "all live"
        findings.append(Finding("every process lives", not dead, alive))
        return findings

    def _take_road(self, road: str) -> None:
        limit = _LARGEST_FILE_BYTES if road == DISK_FULL else 0
        setup = PlantSetup(ground=GROUNDS[road], largest_file_bytes=limit)
        if setup != self._system.plant_setup:
            self._system.end(PLANT)
            self._system.start_plant(setup)
            self._driver.spin(0.5)

    def _cruise(self, curvature: float) -> None:
        driver = self._driver
        driver.cruise(SPEED_MPS, curvature)
        self._drive_until(lambda: abs(driver.speed - SPEED_MPS) < SETTLED_MPS, "the cruise")

    def _drive_until(self, holds: Callable[[], bool], what: str) -> None:
        """Drive until something holds; engage whenever that is needed."""
        driver = self._driver
        asked_s = 0.0

        def is_there() -> bool:
            nonlocal asked_s
            dead = self._system.dead()
            assert not dead, f"before {what} ended: {', '.join(dead)}"
            if driver.safety is None:
                return False
            if driver.mode != AUTONOMOUS and time.monotonic() - asked_s > ASK_AGAIN_S:
                asked_s = time.monotonic()
                driver.request_mode(True)
            return driver.mode == AUTONOMOUS and driver.safety.vehicle_link_ok and holds()

        driver.wait(is_there, what, PATIENCE_S)

    def _drive_again(self, cleared_s: float) -> float:
        """Engage, if that is needed, and wait until the car drives; older reports do not count."""
        fast_mps = DRIVES_AGAIN * SPEED_MPS
        self._driver.safety = None
        self._drive_until(lambda: self._true_speed(cleared_s) >= fast_mps, "a car that drives")
        return time.monotonic()

    def _true_speed(self, since_s: float) -> float:
        entered = self._system.tap.directions[STATE].entered
        if not entered or entered[-1].time_s < since_s:
            return 0.0
        return checks.speed_of(entered[-1].data)

    # ---- what was recorded -----------------------------------------------------------------------

    def _record(self, begin_s: float, cleared_s: float, drives_s: float) -> Record:
        tap = self._system.tap
        states = [s for s in tap.directions[STATE].entered if s.time_s > begin_s - BEFORE_S]
        commands = [s for s in tap.directions[COMMAND].entered if s.time_s > begin_s - BEFORE_S]
        return Record(
            begin_s=begin_s, cleared_s=cleared_s, drives_s=drives_s,
            states=states, commands=commands,
        )  # fmt: skip

    def _applied(self, trial: Trial) -> Iterator[Finding]:
        """Compare the plant's own record of what it applied with what the interface sent."""
        try:
            applied = [
                record.payload
                for record in RecordingReader(self._system.recording)
                if record.kind is RecordKind.CMD
            ]
        except (OSError, RecordingError) as error:
            yield Finding("the plant's record can be read", False, str(error))
            return
        sent = [seen.data for seen in self._system.tap.directions[COMMAND].entered]
        yield checks.applied_was_sent(applied, sent)

    def _compare_counts(self, name: str, before: Counted, trial: Trial) -> Finding:
        """Compare until the counts agree: they are published once a second."""
        end_s = time.monotonic() + COUNTS_PATIENCE_S
        while True:
            self._driver.spin(0.2)
            found = COUNTS[name](between(before, self._counts(), trial.injected))
            if found.holds or time.monotonic() > end_s:
                return found

    def _await_counts(self) -> None:
        """Wait until the interface has published what it counted before the fault."""
        driver = self._driver
        driver.link = None
        driver.wait(lambda: driver.link is not None, "the interface's counts", PATIENCE_S)

    def _counts(self) -> Counted:
        tap = self._system.tap
        return Counted(
            plant=self._system.plant_counters(),
            interface=self._driver.link_counts(),
            command_link=tap.counters(COMMAND),
            state_link=tap.counters(STATE),
            injected=0,
        )


def run_group(
    cells: Sequence[Cell],
    folder: Path,
    seed: int,
    on_result: Callable[[Result], None],
    peer_python: str = "",
    tapes: Tapes | None = None,
) -> list[Result]:
    """Run cells of one composition in one launch. `tapes`: takes what entered the interface."""
    results = []
    with closing(Session(folder, cells[0].composition, seed, peer_python, tapes)) as session:
        for cell in cells:
            results.append(session.run(cell))
            on_result(results[-1])
    return results
