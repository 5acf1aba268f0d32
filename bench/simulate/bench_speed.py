"""How many times real time a core simulates, by composition, and where a simulated second goes.

Beside each: the same car alone in plain Python (bench/plant/plain_car.py), without an interface.

./ws bench simulate/speed
./ws bench simulate/speed --seconds 60 --rows 20
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import pstats
import statistics
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("bench", "bench/plant", "simulate")]

import figures  # noqa: E402
import plain_car  # noqa: E402
from vdsim_simulate.oracles import judge  # noqa: E402
from vdsim_simulate.runs import GC_THRESHOLD, run_scene  # noqa: E402
from vdsim_simulate.scene import COMPOSITIONS, Leg, Scene  # noqa: E402

from vdsim_plant import VDSimPlant  # noqa: E402

ROUNDS = 3
TARGETS = {"l2": 20.0, "kinematic": 60.0}
LEGS = (Leg(0.0, 5.0), Leg(3.0, 5.0, 2.0, 0.02), Leg(6.0, 0.0), Leg(9.0, 5.0))
SCENE = Scene(legs=LEGS, start_mps=5.0, heals_s=1e3, actuator="passenger_car")


def times_real_time(scene: Scene) -> float:
    """Simulate and judge; return simulated seconds by seconds of a core."""
    began_s = time.process_time()
    judge(run_scene(scene))
    return scene.ends_s / (time.process_time() - began_s)


def plain_python_ms() -> float:
    """Simulate a second of the car alone, in 2000 substeps; return milliseconds of a core."""
    plant = VDSimPlant()
    plant.reset([0.0, 0.0, 0.0, 5.0, 0.0, 0.0])
    plant.vehicle.hold_force(0.02, 0.0, 0)
    car = plant.vehicle.core_arrays()[1].tolist()
    began_s = time.process_time()
    plain_car.advance(car, [0.9, 0.0], 2000)
    return 1e3 * (time.process_time() - began_s)


def profile(scene: Scene, rows_n: int) -> None:
    """Print which modules a simulated second spends its time in."""
    profiler = cProfile.Profile()
    profiler.runcall(lambda: judge(run_scene(scene)))
    own_s: Counter[str] = Counter()
    for (file, _, name), spent in pstats.Stats(profiler).stats.items():  # type: ignore[attr-defined]
        _, found, module = file.partition("/vdsim_")
        own_s[f"vdsim_{module}" if found else f"{Path(file).name} {name}"] += spent[2]
    print(f"\na simulated second of {scene.composition}, profiled, by module:")
    for module, seconds in own_s.most_common(rows_n):
        print(f"  {1e3 * seconds / scene.ends_s:7.2f} ms  {module}")


def main() -> int:
    """Measure; 0 when every target is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="simulated, of each")
    parser.add_argument("--rows", type=int, default=15, help="of the profile")
    options = parser.parse_args()
    scene = replace(SCENE, ends_s=options.seconds)
    gc.set_threshold(*GC_THRESHOLD)
    missed = False
    for composition in COMPOSITIONS:
        scenes = [replace(scene, composition=composition, model=model) for model in TARGETS]
        for this in scenes:
            times_real_time(replace(this, ends_s=1.0))  # compiles what is compiled once
        # The models take turns: both see the same machine.
        rounds = [[(times_real_time(s), plain_python_ms()) for s in scenes] for _ in range(ROUNDS)]
        for (model, target), *each in zip(TARGETS.items(), *rounds, strict=True):
            ratio = statistics.median(times for times, _ in each)
            figures.figure(f"a simulated second, {composition}, {model}", "ms of a core",
                           [1e3 / times for times, _ in each],
                           "the car alone, plain Python", [ms for _, ms in each])  # fmt: skip
            missed |= ratio < target
            text = "met" if ratio >= target else "MISSED"
            print(f"{composition:<10} {model:<10} {ratio:6.1f} times, target {target:g}: {text}")
    if options.rows:
        profile(scene, options.rows)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
