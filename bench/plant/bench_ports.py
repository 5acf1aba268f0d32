"""How near a batch comes to what the vector units of this processor can do.

    python bench/plant/bench_ports.py [--ghz 3.7] [--multiplications-a-cycle 1]

Disassembles the compiled loop over blocks of 16 cars (objdump) and counts the instructions of a
substep by kind: a loop over lanes that steps by a row of them (128 bytes) runs for four wheels, one
that steps by eight lanes twice. Multiplications, most of which add as well, go to units of their
own: of 512-bit vectors a Zen 4 does one a cycle. That bounds the cars that a core can drive live,
whatever the order of the instructions; beside it stands what the batch does now. Without --ghz the
clock follows from a chain of additions, three cycles each. Needs 512-bit vectors and objdump.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "src" / "vdsim_plant"))

import numpy as np  # noqa: E402
from numba import njit  # noqa: E402
from vdsim_plant.compiled.code_cache import CACHE_FOLDER  # noqa: E402
from vdsim_plant.compiled.machine_code import MachineCode  # noqa: E402
from vdsim_plant.kernel.layout import LANES  # noqa: E402

from vdsim_plant import VDSimPlant  # noqa: E402

Code = list[tuple[int, str]]
SUBSTEP_S, GOAL = 5e-4, 20_000
VECTORS_IN_A_LOOP = 50  # at least: the loops over lanes, and not those over friction
KINDS = {
    "multiplications": r"vf(n?m(add|sub))|vmulpd",
    "additions": r"v(add|sub)pd",
    "divisions, roots": r"v(div|sqrt)pd",
    "loads, stores": r"vmov",
}


@njit
def chained(count: int, x: float) -> float:  # type: ignore[misc]
    """Add one number after the other."""
    total = 0.0
    for _ in range(count):
        total += x
    return total


def clock_ghz() -> float:
    """Return the clock, from additions that wait for each other."""
    count = 3_000_000
    chained(10, 1.0)
    seconds = []
    for _ in range(20):
        begun = time.thread_time()
        chained(count, 1e-9)
        seconds.append(time.thread_time() - begun)
    return 3.0 * count / min(seconds) / 1e9


def instructions() -> Code:
    """Return the loop's instructions with their places."""
    kept = (CACHE_FOLDER / "advance_blocks.code").read_bytes() if CACHE_FOLDER else b""
    code = MachineCode.from_bytes(kept)
    if code is None:
        raise SystemExit("no compiled loop is kept")
    with tempfile.TemporaryDirectory() as name:
        made = Path(name) / "loop.o"
        made.write_bytes(code.code)
        command = ["objdump", "-d", "--no-show-raw-insn", str(made)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = re.findall(r"^\s*([0-9a-f]+):\s+(\S.*)$", text, re.MULTILINE)
    return [(int(place, 16), what) for place, what in rows]


def loops_of(code: Code) -> list[tuple[int, int]]:
    """Return first and last instruction of each loop."""
    places = {place: k for k, (place, _) in enumerate(code)}
    found = set()
    for k, (_, what) in enumerate(code):
        jump = re.match(r"j\w+\s+([0-9a-f]+)", what)
        if jump and places.get(int(jump[1], 16), k + 1) <= k:
            found.add((places[int(jump[1], 16)], k))
    return sorted(found)


def vectors(rows: Code) -> int:
    """Return how many instructions are of 512-bit vectors."""
    return sum("zmm" in what for _, what in rows)


def kinds_of(rows: Code) -> Counter[str]:
    """Return how many instructions there are of each kind."""
    found: Counter[str] = Counter()
    for _, what in rows:
        kind = "others"
        if "zmm" in what:
            kind = next((k for k, v in KINDS.items() if re.match(v, what)), "other vectors")
        found[kind] += 1
    return found


def substep(code: Code) -> Counter[str]:
    """Return what a substep of a block takes."""
    loops = loops_of(code)
    leaves = [
        (a, b)
        for a, b in loops
        if vectors(code[a : b + 1]) >= VECTORS_IN_A_LOOP
        and not any((c, d) != (a, b) and c >= a and d <= b for c, d in loops)
    ]
    around = [
        (a, b) for a, b in loops if sum(a <= c and d <= b for c, d in leaves) >= len(leaves) - 2
    ]
    if not around or not leaves:
        raise SystemExit("the loop has no 512-bit vectors here")
    first, last = min(around, key=lambda loop: loop[1] - loop[0])
    inner = [(a, b) for a, b in leaves if first <= a and b <= last]
    total: Counter[str] = Counter()
    for a, b in inner:
        by_rows = any(re.search(r"\$0x(80|ffffffffffffff80),", what) for _, what in code[b - 6 : b])
        for kind, count in kinds_of(code[a : b + 1]).items():
            total[kind] += count * (4 if by_rows else 2)
    rest = [row for k, row in enumerate(code[first : last + 1], first)
            if not any(a <= k <= b for a, b in inner)]  # fmt: skip
    return total + kinds_of(rest)


def nanoseconds() -> float:
    """Return what a substep of a block takes now [ns]."""
    cars, substeps = 1024, 40
    batch = VDSimPlant(control_dt=substeps * SUBSTEP_S).batch(cars)
    batch.reset([0.0, 0.0, 0.0, 15.0, 0.0, 0.0])
    inputs = np.tile([0.02, 0.0], (cars, 1))
    seconds = []
    for _ in range(30):
        begun = time.thread_time()
        batch.advance(inputs)
        seconds.append(time.thread_time() - begun)
    return 1e9 * min(seconds) / substeps / (cars / LANES)


def main() -> int:
    """Count, measure, compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ghz", type=float)
    parser.add_argument("--multiplications-a-cycle", type=float, default=1.0)
    options = parser.parse_args()
    took = nanoseconds()  # compiles the loop where nobody has
    ghz = options.ghz or clock_ghz()
    counts = substep(instructions())
    print(f"a substep of {LANES} cars, clock {ghz:.2f} GHz")
    for kind, count in counts.most_common():
        print(f"  {count:5} {kind}")
    least = counts["multiplications"] / options.multiplications_a_cycle
    for cycles, what in ((took * ghz, "as it is"), (least, "multiplications alone")):
        cars = LANES * SUBSTEP_S * ghz * 1e9 / cycles
        print(f"  {cycles:5.0f} cycles, {cars:6.0f} cars live at 0.5 ms: {what}")
    print(f"  {LANES * SUBSTEP_S * ghz * 1e9 / GOAL:5.0f} cycles, {GOAL:6} cars: the goal")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
