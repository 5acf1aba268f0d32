"""Faults in a hard braking, in a bend at the lateral limit and in a start on a hill."""

from __future__ import annotations

import pytest
from vdsim_kit.hill_faults import FaultCell, drive_fault, misses

CELLS = [
    *(FaultCell("braking", fault, grade=g) for fault in ("planner", "reports") for g in (0.0, 0.1)),
    FaultCell("braking", "planner", grade=-0.1, version=3),
    *(FaultCell("bend", fault, mu=0.7) for fault in ("planner", "reports")),
    FaultCell("bend", "planner", "sport_rwd", version=3),
    *(FaultCell("start", fault, grade=0.2) for fault in ("planner", "reports")),
    *(FaultCell("released start", fault, grade=0.2) for fault in ("planner", "reports")),
    FaultCell("released start", "planner", "compact_fwd", grade=0.25, version=3),
]


def name_of(cell: FaultCell) -> str:
    return " ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in cell)


@pytest.mark.parametrize("cell", CELLS, ids=name_of)
def test_a_fault_in_a_hard_phase_keeps_its_bounds(cell: FaultCell) -> None:
    result = drive_fault(cell)
    assert misses(result) == (), result
