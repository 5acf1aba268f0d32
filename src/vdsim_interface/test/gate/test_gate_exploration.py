"""The short exploration of the last gate, and that each seeded defect is found."""

import pytest
from vdsim_interface.gate import gate
from vdsim_interface_kit.exploration.gate_defects import GATE_DEFECTS, GateDefect
from vdsim_interface_kit.exploration.gate_equal import difference
from vdsim_interface_kit.exploration.gate_explore import explore_gate
from vdsim_interface_kit.exploration.gate_properties import GATE_PROPERTIES
from vdsim_interface_kit.exploration.gate_scene import GRIDS, Grid

BY_NAME = {grid.name: grid for grid in GRIDS}


@pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: grid.name)
def test_every_promise_holds_for_every_packet(grid: Grid) -> None:
    explored = explore_gate(grid, short=True)
    print(f"{grid.name}: {explored.states} states, {explored.transitions} transitions")
    assert not explored.violations, "\n".join(map(str, explored.violations))
    assert explored.states > 3


@pytest.mark.parametrize("defect", GATE_DEFECTS, ids=lambda defect: defect.name)
def test_a_seeded_defect_of_the_gate_is_found(defect: GateDefect) -> None:
    broken = tuple(item for item in GATE_PROPERTIES if item.name == defect.breaks)
    assert len(broken) == 1
    explored = explore_gate(BY_NAME[defect.grid], broken, short=True, judges=defect.seeded())
    assert [violation.name for violation in explored.violations] == [defect.breaks]


@pytest.mark.parametrize("defect", GATE_DEFECTS, ids=lambda defect: defect.name)
def test_a_gate_with_a_defect_is_another_one(defect: GateDefect) -> None:
    assert difference(defect.seeded(), (BY_NAME[defect.grid],), short=True)


def test_the_gate_is_the_same_as_itself() -> None:
    assert not difference(gate, (BY_NAME["engagements"],), short=True)


def test_every_promise_has_a_defect() -> None:
    assert {defect.breaks for defect in GATE_DEFECTS} == {item.name for item in GATE_PROPERTIES}
