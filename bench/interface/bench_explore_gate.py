"""The last gate, explored to the end over its grids: states, packets, violations.

./ws bench interface/explore_gate [--grid NAME] [--short] [--digits 3] [--page docs/safety-case.md]
"""

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src" / "vdsim_interface"))

from vdsim_interface_kit.exploration.gate_explore import (  # noqa: E402
    GateExplored,
    explore_gate,
    explored_code,
)
from vdsim_interface_kit.exploration.gate_scene import GRIDS  # noqa: E402

BEGIN, END = "<!-- measured: gate exploration -->\n", "<!-- end of measured -->"
MEASURED = "Code of gate, grids and properties: `{}`.\n"
HEAD = (
    "| grid of the gate | inputs | states | packets | longest way | CPU time | violations |\n"
    "|---|---|---|---|---|---|---|"
)


def main() -> int:
    """Explore; print a line for each grid, and what does not hold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--grid", choices=[grid.name for grid in GRIDS], help="this one alone")
    parser.add_argument("--short", action="store_true", help="the inputs of the quick suite")
    parser.add_argument("--digits", type=int, help="of a state, in place of the grid's")
    parser.add_argument("--page", help="write the table into this page")
    options = parser.parse_args()
    begin_s = time.process_time()
    rows, violations, states, packets = [], 0, 0, 0
    for grid in GRIDS:
        if options.grid not in (None, grid.name):
            continue
        if options.digits is not None:
            grid = grid._replace(digits=options.digits)
        start_s = time.process_time()
        explored = explore_gate(grid, short=options.short)
        cpu_s = time.process_time() - start_s
        violations += len(explored.violations)
        states, packets = states + explored.states, packets + explored.transitions
        rows.append(row(grid.name, explored, cpu_s))
        print(
            f"{grid.name}: {explored.inputs} inputs, {explored.states} states, "
            f"{explored.transitions} packets, longest way {explored.depth}, "
            f"{cpu_s:.1f} s CPU, {len(explored.violations)} violations",
            flush=True,
        )
        for violation in explored.violations:
            print(violation)
    total_s = time.process_time() - begin_s
    print(f"all: {states} states, {packets} packets, {total_s:.1f} s CPU, {violations} violations")
    if options.page:
        rows.append(
            f"| all | | {states} | {packets} | | {total_s:.0f} s | {violations or 'none'} |"
        )
        write(Path(options.page), "\n".join((MEASURED.format(explored_code()), HEAD, *rows)))
    return 1 if violations else 0


def row(name: str, explored: GateExplored, cpu_s: float) -> str:
    """One line of the table."""
    cells = (name, explored.inputs, explored.states, explored.transitions, explored.depth)
    found = ", ".join(violation.name for violation in explored.violations) or "none"
    return f"| {' | '.join(map(str, cells))} | {cpu_s:.1f} s | {found} |"


def write(page: Path, table: str) -> None:
    """Replace the measured part of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}{table}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
