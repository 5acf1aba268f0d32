"""The shipped controllers reach the returns that the page states, with unseen cars."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from vdsim_plant.study.tasks import TASKS, TaskCars, task_named

EXAMPLE = Path(__file__).resolve().parents[5] / "examples" / "task_controllers.py"
LEAST = {
    "LaneKeeping": 490.0,
    "PathTracking": 980.0,
    "DoubleLaneChange": 335.0,
    "SplitMuBrake": 121.0,
    "Drift": 160.0,
}


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("task_controllers", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", TASKS)
def test_a_controller_reaches_its_return(example: ModuleType, name: str) -> None:
    cars = TaskCars(task_named(name), 48, randomise=True, variants_seed=example.UNSEEN)
    _, act = example.controller_of(cars)
    assert example.mean_return(cars, act) > LEAST[name]
