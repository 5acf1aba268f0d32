"""Wake-up lateness of the real-time runner against a C clock_nanosleep loop, in turns in one run.

    ./ws bench runtime/pacing [--seconds 60] [--rate 200] [--slice 5]

Each round runs the C loop, the runner and the runner in precise mode for one slice each, so that
all run on the same machine state; first with the machine idle, then with one core kept busy. Prints
p50, p99, max and the drift of the mean, and the ratios to the C loop of the same condition.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [
    str(ROOT / "src" / name) for name in ("vdsim_plant", "vdsim_plant_node", "vdsim_protocol")
]

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import figures  # noqa: E402


def build_floor(folder: Path) -> Path:
    """Compile the C loop."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise SystemExit("pacing: gcc is needed for the comparison: apt-get install gcc")
    program = folder / "pacing_floor"
    source = HERE / "pacing_floor.c"
    subprocess.run([compiler, "-O2", "-o", str(program), str(source)], check=True)
    return program


def floor_lateness_us(program: Path, rate_hz: float, seconds: float) -> list[float]:
    """One slice of the C loop."""
    arguments = [str(program), f"{rate_hz:g}", f"{seconds:g}"]
    run = subprocess.run(arguments, check=True, capture_output=True, text=True)
    return [int(line) / 1e3 for line in run.stdout.split()]


def runner_lateness_us(rate_hz: float, seconds: float, precise: bool) -> list[float]:
    """One slice of the runner, in a process of its own as the server is."""
    arguments = [sys.executable, __file__, "--child", "precise" if precise else "normal"]
    arguments += ["--rate", f"{rate_hz:g}", "--slice", f"{seconds:g}"]
    run = subprocess.run(arguments, check=True, capture_output=True, text=True)
    return [float(line) for line in run.stdout.split()]


def child(rate_hz: float, seconds: float, precise: bool) -> None:
    """Tick as the server does and print the lateness of each tick in us."""
    from vdsim_plant.realtime.pacing import PRECISE_SPIN_S, PacedLoop, Pacer
    from vdsim_plant_node.live.realtime_hints import sharpen_timers, use_fifo_scheduling

    sharpen_timers()
    if precise:
        use_fifo_scheduling()
    lateness_us: list[float] = []
    start = 0.0

    def clock() -> float:
        nonlocal start
        now = time.monotonic()
        start = start or now
        return now

    def tick(now: float) -> None:
        lateness_us.append((now - start - (len(lateness_us) + 1) / rate_hz) * 1e6)

    count = int(rate_hz * seconds)
    spin_s = PRECISE_SPIN_S if precise else 0.0
    runner = PacedLoop(Pacer(1.0 / rate_hz), clock=clock, sleep=time.sleep, spin_s=spin_s)
    runner.run(tick, lambda: len(lateness_us) >= count)
    print("\n".join(f"{value:.1f}" for value in lateness_us))


def summary(values_us: list[float]) -> tuple[float, float, float, float]:
    """p50, p99, max, and the mean of the last tenth less that of the first (drift)."""
    ordered = sorted(values_us)
    tenth = max(1, len(values_us) // 10)
    drift = statistics.median(values_us[-tenth:]) - statistics.median(values_us[:tenth])
    return ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)], ordered[-1], drift


def measure(
    program: Path, rate_hz: float, seconds: float, slice_s: float
) -> dict[str, list[float]]:
    """All three in turns, `seconds` of each."""
    lateness: dict[str, list[float]] = {"C": [], "runner": [], "precise": []}
    for _ in range(max(1, round(seconds / slice_s))):
        lateness["C"] += floor_lateness_us(program, rate_hz, slice_s)
        lateness["runner"] += runner_lateness_us(rate_hz, slice_s, precise=False)
        lateness["precise"] += runner_lateness_us(rate_hz, slice_s, precise=True)
    return lateness


def report(condition: str, lateness: dict[str, list[float]]) -> None:
    """Print one condition."""
    floor = summary(lateness["C"])
    figures.figure(f"wake-up lateness, {condition}", "us", [summary(lateness["runner"])[0]],
                   "a C loop", [floor[0]])  # fmt: skip
    for name, values in lateness.items():
        p50, p99, worst, drift = summary(values)
        print(
            f"{condition:12s} {name:8s} p50 {p50:7.0f}  p99 {p99:7.0f}  max {worst:8.0f}  "
            f"drift {drift:+7.0f} us   x C: p50 {p50 / floor[0]:5.2f}  p99 {p99 / floor[1]:5.2f}"
        )


def main() -> None:
    """Run both conditions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=float, default=200.0, help="ticks per second")
    parser.add_argument("--seconds", type=float, default=60.0, help="of each loop and condition")
    parser.add_argument("--slice", type=float, default=5.0, help="seconds of each turn")
    parser.add_argument("--child", choices=("normal", "precise"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.rate, options.slice, options.child == "precise")
        return
    with tempfile.TemporaryDirectory() as folder:
        program = build_floor(Path(folder))
        report("idle", measure(program, options.rate, options.seconds, options.slice))
        burner = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        try:
            report("1 core busy", measure(program, options.rate, options.seconds, options.slice))
        finally:
            burner.terminate()
            burner.wait()


if __name__ == "__main__":
    main()
