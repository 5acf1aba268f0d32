"""Our vehicle interfaces, judged by the conformance kit on virtual time: no sentence is broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_autoware.adapter.vehicle_info import vehicle_info
from vdsim_autoware.car import Start
from vdsim_autoware.conformance.conductor import Options
from vdsim_autoware.conformance.requirements import failures
from vdsim_autoware.conformance.verdict import Judged as Verdict
from vdsim_autoware.conformance.verdict import Outcome
from vdsim_autoware.model.parameters import SimulatorParameters
from vdsim_autoware.simulator import PlanningSimulator
from vdsim_autoware_kit.conformance_run import VirtualRun
from vdsim_interface.parameters.flat import from_flat, to_flat
from vdsim_interface.ros.launching.parameter_files import load
from vdsim_kit.conformance_of_ours import InterfacePair, Judged

TICK_S = 0.01
CONFIG = Path(__file__).resolve().parents[1] / "src/vdsim_autoware/config"
PARTIAL = {f"MR-{number}" for number in (*range(20, 26), *range(30, 36))}
OF_LINK = {f"{page}-{number}" for page in ("CM", "GS", "TS", "HS", "SS", "VS")
           for number in ("08", "09")}  # fmt: skip


def passed(judged: tuple[Verdict, ...]) -> set[str]:
    outcomes = {each.requirement.id: each.verdict.outcome for each in judged}
    return {number for number, outcome in outcomes.items() if outcome is Outcome.PASSED}


def drop_in() -> PlanningSimulator:
    """As the launch file starts it, after an initial pose."""
    node = "/simulation/x"
    values = load(str(CONFIG / "simulator_model.param.yaml")).values_for(node)
    parameters = from_flat(SimulatorParameters, {**to_flat(SimulatorParameters()), **values})
    info = vehicle_info(load(str(CONFIG / "vehicle_info.param.yaml")).values_for(node))
    car = PlanningSimulator(parameters, info)
    car.put(Start(0.0, 0.0, 0.0, 0.0))
    return car


def test_the_planning_simulator_breaks_no_sentence_of_the_pages() -> None:
    judged = VirtualRun(options=Options(), vehicle=Judged(drop_in(), 0.025, 0.025), tick_s=TICK_S)
    verdicts = judged.run()
    assert failures(verdicts) == []
    assert "GC-15" in passed(verdicts)
    assert len(passed(verdicts)) >= 90


def test_the_vehicle_interface_breaks_no_sentence_of_the_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path))
    options = Options(causes=frozenset({"link_lost"}), by_hand=True)
    vehicle = Judged(InterfacePair(manual_control="true"), 0.02, 0.1)
    verdicts = VirtualRun(options=options, vehicle=vehicle, tick_s=TICK_S).run()
    assert failures(verdicts) == []
    assert {"GC-15"} | PARTIAL | OF_LINK <= passed(verdicts)
