"""The last gate, explored to the end over its grids: states, packets, violations.

./ws bench interface/explore_gate [--grid NAME] [--short]
"""

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src" / "vdsim_interface"))

from vdsim_interface_kit.exploration.gate_explore import explore_gate  # noqa: E402
from vdsim_interface_kit.exploration.gate_scene import GRIDS  # noqa: E402


def main() -> int:
    """Explore; print a line for each grid, and what does not hold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--grid", choices=[grid.name for grid in GRIDS], help="this one alone")
    parser.add_argument("--short", action="store_true", help="the inputs of the quick suite")
    options = parser.parse_args()
    violations = 0
    for grid in GRIDS:
        if options.grid not in (None, grid.name):
            continue
        start_s = time.process_time()
        explored = explore_gate(grid, short=options.short)
        violations += len(explored.violations)
        print(
            f"{grid.name}: {explored.inputs} inputs, {explored.states} states, "
            f"{explored.transitions} packets, longest way {explored.depth}, "
            f"{time.process_time() - start_s:.1f} s CPU, {len(explored.violations)} violations",
            flush=True,
        )
        for violation in explored.violations:
            print(violation)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
