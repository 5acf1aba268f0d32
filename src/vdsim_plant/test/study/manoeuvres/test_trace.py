"""The trace of a drive: its columns, its CSV, its friction use."""

import csv
from pathlib import Path

import numpy as np
import pytest
from vdsim_plant.plant import VDSimPlant
from vdsim_plant.study.manoeuvres.trace import trace_of


def test_a_trace_holds_what_was_observed_and_saves_every_digit(tmp_path: Path) -> None:
    plant = VDSimPlant(friction_map=[(-10.0, 100.0, 0.5)])
    observations = [plant.reset([0, 0, 0, 15, 0, 0])]
    commands = [(0.0, 0.0)]
    for k in range(5):
        commands.append((0.01 * k, -500.0 * k))
        observations.append(plant.step(commands[-1]))
    trace = trace_of(observations, commands)
    trace.save_csv(tmp_path / "run.csv")
    with (tmp_path / "run.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6
    assert list(rows[0]) == list(trace.columns())
    assert float(rows[3]["yaw_rate_radps"]) == observations[3]["r"]
    assert float(rows[5]["fy_n_rr"]) == observations[5]["wheel"][3]["Fy"]
    assert [float(row["steer_rad"]) for row in rows] == [steer for steer, _ in commands]
    assert set(trace.mu.ravel()) == {0.5}


def test_friction_use_is_force_over_limit() -> None:
    plant = VDSimPlant()
    plant.reset([0, 0, 0, 15, 0, 0])
    observation = plant.step([0.1, -20_000.0])
    use = trace_of([observation], [(0.1, -20_000.0)]).friction_use
    wheel = observation["wheel"][2]
    expected = np.hypot(wheel["Fx"], wheel["Fy"]) / (wheel["mu"] * wheel["Fz"])
    assert use[0, 2] == pytest.approx(expected)
