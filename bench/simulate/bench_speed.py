"""How many times real time a core simulates, by composition, and where a simulated second goes.

./ws bench simulate/speed
./ws bench simulate/speed --seconds 60 --rows 20
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "simulate"))

from vdsim_simulate.oracles import judge  # noqa: E402
from vdsim_simulate.runs import run_scene  # noqa: E402
from vdsim_simulate.scene import COMPOSITIONS, Leg, Scene  # noqa: E402

TARGETS = {"l2": 20.0, "kinematic": 60.0}
LEGS = (Leg(0.0, 5.0), Leg(3.0, 5.0, 2.0, 0.02), Leg(6.0, 0.0), Leg(9.0, 5.0))
SCENE = Scene(legs=LEGS, start_mps=5.0, heals_s=1e3, actuator="passenger_car")


def times_real_time(scene: Scene) -> float:
    """Simulate and judge; return simulated seconds by seconds of a core."""
    began_s = time.process_time()
    judge(run_scene(scene))
    return scene.ends_s / (time.process_time() - began_s)


def profile(scene: Scene, rows_n: int) -> None:
    """Print which modules a simulated second spends its time in."""
    profiler = cProfile.Profile()
    profiler.runcall(lambda: judge(run_scene(scene)))
    own_s: Counter[str] = Counter()
    for (file, _, name), (_, _, own, _, _) in pstats.Stats(profiler).stats.items():  # type: ignore[attr-defined]
        _, found, module = file.partition("/vdsim_")
        own_s[f"vdsim_{module}" if found else f"{Path(file).name} {name}"] += own
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
    run_scene(replace(scene, ends_s=1.0))  # compiles what is compiled once
    missed = False
    for composition in COMPOSITIONS:
        for model, target in TARGETS.items():
            ratio = times_real_time(replace(scene, composition=composition, model=model))
            missed |= ratio < target
            text = "met" if ratio >= target else "MISSED"
            print(f"{composition:<10} {model:<10} {ratio:6.1f} times, target {target:g}: {text}")
    profile(scene, options.rows)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
