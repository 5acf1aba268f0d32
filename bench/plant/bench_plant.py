"""The plant against plain C, plain Python and a public library, all in one run.

    python bench/plant/bench_plant.py [--rounds 15] [--cars 10000] [--skip-start-up]

5 s of braking and turning over two slippery patches: 10 000 substeps of 0.5 ms, 100 observations.
Times vary with the machine, so the results are ratios: each is the median over rounds in which both
sides ran directly one after the other. One-core times are CPU time, so that other users of the
machine do not matter; start-up and two threads are wall-clock time. "Plain C" is plain_car.c: the
same model, integrator and substep, scalar, with libm; "with vectors" is plain_batch.c, which gcc
vectorises with libm's vector functions. Ends with 1 when a ratio misses its target;
targets that depend on the machine are printed next to the measured values.
`pip install commonroad-vehicle-models omegaconf` adds that library's rows; without a C compiler its
row and its ratios are omitted, with a message.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "src" / "vdsim_plant"
sys.path[:0] = [str(HERE), str(HERE.parent), str(PACKAGE)]

import c_car  # noqa: E402
import figures  # noqa: E402
import numpy as np  # noqa: E402
import peers  # noqa: E402
import plain_car  # noqa: E402
from vdsim_plant.car.loops import advance  # noqa: E402
from vdsim_plant.ground import compile_ground  # noqa: E402
from vdsim_plant.kernel import layout as at  # noqa: E402

from vdsim_plant import VDSimPlant  # noqa: E402

SUBSTEPS = 10_000
PATCHES = [(20.0, 40.0, 0.5), (60.0, 80.0, 0.3)]
FLAT_GROUND = [0.9, 2.0, *PATCHES[0], *PATCHES[1]]
START = [0.0, 0.0, 0.0, 16.7, 0.0, 0.0]
SPREAD = ((0.0, -3.0, -0.1, 5.0, 0.0, 0.0), (90.0, 3.0, 0.1, 30.0, 0.0, 0.0))
INPUT = [0.03, -1500.0]
C, KERNEL, API = "plain C", "vdsim core", "vdsim through VDSimPlant"
# (contender, baseline, largest ratio)
TARGETS = [(KERNEL, C, 0.5), (API, C, 0.7), (KERNEL, "commonroad single track", 0.05)]
LOAD = """
import sys, time
sys.path.insert(0, {folder!r})
import bench_plant
plant = bench_plant.VDSimPlant(friction_map=bench_plant.PATCHES)
start, u = bench_plant.scattered({cars})
batch = plant.batch({cars})
batch.reset(start)
batch.step(u)
print("ready", flush=True)
sys.stdin.readline()
best = 0.0
for _ in range({rounds}):
    begun = time.perf_counter()
    batch.step(u)
    best = max(best, {cars} * 100 / (time.perf_counter() - begun) / 1e6)
print(best)
"""
FIRST = """
import time
from vdsim_plant import VDSimPlant
plant = VDSimPlant()
plant.reset([0, 0, 0, 16.7, 0, 0])
plant.step([0.0, 0.0])
"""


def started_car(plant: VDSimPlant) -> np.ndarray:
    """Return the core's numbers of a car about to run the manoeuvre."""
    plant.reset(START)
    plant.vehicle.hold_force(INPUT[0], INPUT[1], 0)
    return plant.vehicle.core_arrays()[1]


def contenders(folder: Path) -> tuple[dict[str, tuple[Callable[[], None], int]], float | None]:
    """Return name -> (run, substeps in a run), and how far plain C is from us after 5 s."""
    plant = VDSimPlant(friction_map=PATCHES)
    ground = compile_ground(plant.vehicle.ground)
    fresh = started_car(plant)
    stripes = np.array(FLAT_GROUND)

    def core() -> None:
        advance(fresh.copy(), ground, SUBSTEPS)

    def through_api() -> None:
        plant.reset(START)
        for _ in range(100):
            plant.step(INPUT)

    def python() -> None:
        plain_car.advance(fresh.tolist(), FLAT_GROUND, SUBSTEPS // 50)

    runs: dict[str, tuple[Callable[[], None], int]] = {}
    difference = None
    in_c = c_car.build(folder)
    if in_c is not None:
        ours, theirs = fresh.copy(), fresh.copy()
        advance(ours, ground, SUBSTEPS)
        in_c(theirs, stripes, SUBSTEPS)
        difference = float(np.max(np.abs(ours[: at.FORCE_X] - theirs[: at.FORCE_X])))
        runs[C] = (lambda: in_c(fresh.copy(), stripes, SUBSTEPS), SUBSTEPS)
    runs[KERNEL] = (core, SUBSTEPS)
    runs[API] = (through_api, SUBSTEPS)
    runs["plain Python"] = (python, SUBSTEPS // 50)
    for name, step in peers.commonroad().items():
        runs[name] = ((lambda step=step: step(100)), 100)  # type: ignore[misc]
    return runs, difference


def measure(runs: dict[str, tuple[Callable[[], None], int]], rounds: int) -> dict[str, list[float]]:
    """Return the nanoseconds per substep of each contender in each round."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, (run, substeps) in runs.items():
            started = time.thread_time()
            run()
            times[name].append((time.thread_time() - started) / substeps * 1e9)
    return times


def ratio(times: dict[str, list[float]], name: str, baseline: str) -> float:
    """Return the median of the ratios, round by round."""
    return statistics.median(a / b for a, b in zip(times[name], times[baseline], strict=True))


def report_single(times: dict[str, list[float]]) -> list[str]:
    """Print the table of one car; return the missed targets."""
    print(f"{'one car':<28}{'ns/substep':>12}{'ms per 5 s':>12}{'x real time':>13}{'vs C':>9}")
    for name, values in times.items():
        ns = statistics.median(values)
        against = f"{ratio(times, name, C):9.2f}" if C in times else ""
        print(f"{name:<28}{ns:12.0f}{ns * SUBSTEPS / 1e6:12.2f}{5e-4 / ns * 1e9:13.0f}{against}")
    missed = []
    for name, baseline, largest in TARGETS:
        if baseline in times:
            value = ratio(times, name, baseline)
            mine, theirs = ([v * SUBSTEPS / 1e6 for v in times[n]] for n in (name, baseline))
            figures.figure(f"5 s of driving, {name}", "ms", mine, baseline, theirs)
            print(f"  {name} / {baseline}: {value:.3f} (target <= {largest})")
            if value > largest:
                missed.append(f"{name} / {baseline} = {value:.3f} > {largest}")
    return missed


def scattered(cars: int) -> tuple[np.ndarray, np.ndarray]:
    """Return start states and inputs of a batch, the same ones every time."""
    rng = np.random.default_rng(0)
    start = np.column_stack(
        [rng.uniform(low, high, cars) for low, high in zip(SPREAD[0], SPREAD[1], strict=True)]
    )
    return start, np.column_stack([rng.uniform(-0.1, 0.1, cars), rng.uniform(-8000, 4000, cars)])


def report_batch(cars: int, rounds: int, plain_c: float | None) -> list[str]:
    """Print throughput on one core and two; return the missed targets."""
    plant = VDSimPlant(friction_map=PATCHES)
    start, u = scattered(cars)
    batches = {threads: plant.batch(cars, threads=threads) for threads in (1, 2)}
    rates: dict[int, list[float]] = {1: [], 2: []}
    alone: list[float] = []
    for batch in batches.values():
        batch.reset(start)
    for threads, batch in batches.items():  # one after the other: they would share the caches
        for _ in range(rounds):
            wall, cpu = time.perf_counter(), time.thread_time()
            batch.step(u)
            wall, cpu = time.perf_counter() - wall, time.thread_time() - cpu
            rates[threads].append(cars * 100 / wall / 1e6)
            if threads == 1:
                alone.append(cars * 100 / cpu / 1e6)
    one, best = statistics.median(alone), max(alone)
    two, scale = max(rates[2]), max(rates[2]) / max(rates[1])
    kilobytes = len(batches[1].snapshot()) / cars / 1024
    same = batches[1].snapshot() == batches[2].snapshot()
    print(f"\nbatch of {cars} cars, observations included")
    live = f"{one * 500:.0f} cars live (target 11700, goal 20000)"
    print(f"  one core {one:.1f} M car substeps/s (best {best:.1f}): {live}")
    print(f"  two threads {two:.1f} M/s at best, {scale:.2f} x one at best (target 1.8)")
    by_one, by_two = in_processes(1, cars, rounds), in_processes(2, cars, rounds)
    print(f"    two processes that share nothing: {by_two / by_one:.2f} x one")
    print(f"  {kilobytes:.2f} KB a car (target < 4)")
    if plain_c:
        print(f"  one core against plain C, one car after another: {one * plain_c / 1e3:.1f} x")
    print(f"  one thread and two give the same bits: {same}")
    missed = [] if same else ["threads change bits"]
    return missed + ([f"{kilobytes:.2f} KB a car"] if kilobytes >= 4 else [])


def in_processes(count: int, cars: int, rounds: int) -> float:
    """Return the best rates [M car substeps/s] of so many processes at once, in sum.

    Each has the load of one thread: this is what the machine itself gives for a second core.
    """
    running = [
        subprocess.Popen(
            [sys.executable, "-c", LOAD.format(folder=str(HERE), cars=cars, rounds=rounds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(PACKAGE)},
            text=True,
        )
        for _ in range(count)
    ]
    for process in running:  # all are ready before any begins
        assert process.stdout is not None
        process.stdout.readline()
    for process in running:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    return sum(float(process.communicate()[0]) for process in running)


def report_narrow(cars: int, rounds: int) -> None:
    """Print a batch in float32 beside one in float64, with and without patches of friction."""
    start, u = scattered(cars)
    print(f"  float32 beside float64, {cars} cars, one core (goal 2)")
    for name, patches in (("one friction", None), ("patches", PATCHES)):
        plant = VDSimPlant(friction_map=patches)
        batches = [plant.batch(cars, dtype=dtype) for dtype in ("float64", "float32")]
        times: list[list[float]] = [[], []]
        for batch in batches:
            batch.reset(start)
            batch.step(u)
        for _ in range(rounds):
            for batch, taken in zip(batches, times, strict=True):
                begun = time.thread_time()
                batch.step(u)
                taken.append(time.thread_time() - begun)
        wide, narrow = ([1e9 * t / cars / 100 for t in taken] for taken in times)
        figures.figure(f"a car of a batch in float32, {name}", "ns a substep", narrow,
                       "float64", wide)  # fmt: skip
        ratio = statistics.median(a / b for a, b in zip(*times, strict=True))
        live = [cars * 0.05 / statistics.median(taken) for taken in times]
        print(f"    {name}: {ratio:.2f} x, {live[0]:.0f} and {live[1]:.0f} cars live")


def report_against_c_batch(folder: Path, rounds: int) -> list[str]:
    """Print the batch beside plain C's, which has vectors too; return the missed target."""
    in_c = c_car.build_batch(folder)
    if in_c is None:
        return []
    cars = 2000
    start, u = scattered(cars)
    ours, theirs = (VDSimPlant(friction_map=PATCHES).batch(cars) for _ in range(2))
    for batch in (ours, theirs):
        batch.reset(start)
        batch.step(u)
    stripes = np.array(FLAT_GROUND)
    ratios, apart = [], 0.0
    taken: tuple[list[float], list[float]] = ([], [])
    for k in range(rounds):
        begun = time.thread_time()
        ours.step(u)
        between = time.thread_time()
        in_c(theirs._blocks, stripes, SUBSTEPS // 100)
        ended = time.thread_time()
        ratios.append((ended - between) / (between - begun))
        for each, seconds in zip(taken, (between - begun, ended - between), strict=True):
            each.append(1e9 * seconds / cars / (SUBSTEPS // 100))
        if k == 0:
            states = slice(at.X, at.FORCE_X)
            apart = float(np.max(np.abs(ours._blocks[:, states] - theirs._blocks[:, states])))
    print(
        f"  one core against plain C with vectors: {statistics.median(ratios):.2f} x (target 1.2)"
    )
    print(f"  their states differ by {apart:.1e} after one control period")
    figures.figure("a car of a batch", "ns a substep", taken[0], f"{C} with vectors", taken[1])
    if statistics.median(ratios) < 1.2:
        return [f"batch against plain C with vectors: {statistics.median(ratios):.2f} < 1.2"]
    return []


def report_small_batch() -> None:
    """Print what a step of a small batch takes beside its substeps."""
    start, u = scattered(16)
    batch = VDSimPlant(control_dt=5e-4, friction_map=PATCHES).batch(16)
    batch.reset(start)
    times = []
    for _ in range(2000):
        begun = time.perf_counter()
        batch.step(u)
        times.append(time.perf_counter() - begun)
    step_us = statistics.median(times) * 1e6
    print(f"  16 cars, one substep: {step_us:.0f} us a step (30 at first, goal 15)")


def report_same_bits(folder: Path) -> list[str]:
    """Compare processes, cached and freshly compiled; return what differs."""
    plant = VDSimPlant(friction_map=PATCHES)
    code = f"""
import hashlib
from vdsim_plant import VDSimPlant
plant = VDSimPlant(friction_map={PATCHES})
plant.reset({START})
for _ in range(100):
    plant.step({INPUT})
print(hashlib.sha256(plant.snapshot()).hexdigest())
"""
    plant.reset(START)
    for _ in range(100):
        plant.step(INPUT)
    here = hashlib.sha256(plant.snapshot()).hexdigest()
    cached = in_process(code, {})[1].strip()
    fresh = in_process(code, {"VDSIM_CACHE_DIR": str(folder / "fresh")})[1].strip()
    print(f"\nthe same bits here, in a second process, freshly compiled: {here == cached == fresh}")
    return [] if here == cached == fresh else ["processes differ"]


def in_process(code: str, changed: dict[str, str]) -> tuple[float, str]:
    """Run code in a process of its own; return the seconds it took and its output."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), **changed}
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return time.perf_counter() - started, done.stdout


def report_start_up(folder: Path) -> None:
    """Print what a fresh process takes to its first observation, exit included.

    CPU time is about what a quiet machine takes; `import numba` is the yardstick.
    """
    empty = [{"VDSIM_CACHE_DIR": str(folder / f"cold{k}")} for k in range(3)]
    warm: list[dict[str, str]] = [{}] * 7
    times = {}
    for name, code, changes in (
        ("`import numba` alone", "import numba", warm),
        ("`import numpy` alone", "import numpy", warm),
        ("warm cache (target 0.6)", FIRST, warm),
        ("empty cache (target 3)", FIRST, empty),
    ):
        walls, cpus = [], []
        for changed in changes:
            before = os.times()
            walls.append(in_process(code, changed)[0])
            after = os.times()
            cpus.append(sum(after[2:4]) - sum(before[2:4]))
        times[name] = (statistics.median(walls), min(walls), min(cpus))
    yardstick = times["`import numba` alone"][2]
    head = f"{'start-up to the first values':<30}{'wall':>7}{'best':>7}{'CPU s':>7}"
    print(f"\n{head}{'vs numba':>10}")
    for name, (wall, best, cpu) in times.items():
        print(f"  {name:<28}{wall:7.2f}{best:7.2f}{cpu:7.2f}{cpu / yardstick:10.2f}")


def main() -> int:
    """Measure, print, compare with the targets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cars", type=int, default=10_000)
    parser.add_argument("--skip-start-up", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs, difference = contenders(folder)
        if difference is None:
            print("no C compiler: the rows and ratios of plain C are left out")
        else:
            print(f"plain C and the core after 5 s: states differ by {difference:.1e}\n")
        times = measure(runs, options.rounds)
        missed = report_single(times)
        plain_c = statistics.median(times[C]) if C in times else None
        missed += report_batch(options.cars, max(options.rounds // 2, 3), plain_c)
        missed += report_against_c_batch(folder, options.rounds)
        report_narrow(2048, options.rounds)
        report_small_batch()
        missed += report_same_bits(folder)
        if not options.skip_start_up:
            report_start_up(folder)
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
