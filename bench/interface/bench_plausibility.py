"""Plausibility of what the vehicle reports: false alarms in honest drives, and how soon lies show.

Honest: the interface and the plant in lockstep, over packets, with every car, friction from 0.1 to
1, hills, a split road, wheels that lock and spin, skids, resets, pauses and gaps; then an hour of
such reports with the noise of sensors. No check may find a contradiction. Lies: every
car reports each, and one of its checks must find it in the stated time. Ends with 1 when not.

    ./ws bench interface/plausibility [--every N] [--quick] [--page docs/plausibility.md]
"""

import argparse
import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test"))

from vdsim_interface.plausibility.checks import CHECKS  # noqa: E402
from vdsim_kit.honest_drives import CARS, all_drives, found_in  # noqa: E402
from vdsim_kit.lies import LIES, Lie, measured  # noqa: E402
from vdsim_kit.noisy_hour import NoisyHour  # noqa: E402

BEGIN, END = "<!-- measured: plausibility -->\n", "<!-- end of measured -->"
QUICK_EVERY, QUICK_NOISE_S = 701, 10.0
NOISE_S = 3600.0
TOO_SLOW = {"scale_car"}
"""Cars that stay below the speeds of the lies."""


def main() -> int:
    """Drive, lie, print both tables; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a sample of everything")
    parser.add_argument("--every", type=int, default=1, help="one in N of the honest drives")
    parser.add_argument("--page", help="write the tables into this page")
    options = parser.parse_args()
    began = time.monotonic()
    drives = list(all_drives())[:: QUICK_EVERY if options.quick else max(options.every, 1)]
    alarms: Counter[str] = Counter()
    hours = 0.0
    for number, drive in enumerate(drives):
        seconds, found = found_in(drive)
        hours += seconds / 3600.0
        for name, text in found:
            alarms[name] += 1
            print(f"false alarm in {drive.title}: {name}: {text}", flush=True)
        if number % 100 == 99:
            print(f"{number + 1} of {len(drives)} drives, {hours:.2f} h", flush=True)
    noisy = NoisyHour(QUICK_NOISE_S if options.quick else NOISE_S)
    for name, text in noisy.run():
        alarms[name] += 1
        print(f"false alarm in noise: {name}: {text}")
    cars = [car for car in CARS if car not in TOO_SLOW][: 1 if options.quick else None]
    worst, missed = told(cars)
    honest = (
        f"{len(drives)} honest drives, {hours:.1f} h of the car's time, and "
        f"{noisy.seconds / 3600.0:.2g} h with noise: {sum(alarms.values())} false alarms."
    )
    tables = f"{honest}\n\n{check_table(alarms, worst)}\n\n{lie_table(worst)}"
    print(f"\n{tables}\n\n{time.monotonic() - began:.0f} s")
    for text in missed:
        print(f"missed: {text}")
    if options.page:
        page = Path(options.page)
        before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        page.write_text(f"{before}{BEGIN}{tables}\n{END}{after}", encoding="utf-8")
    return int(bool(alarms or missed))


def told(cars: list[str]) -> tuple[dict[str, tuple[float, float]], list[str]]:
    """Tell every lie on each car; return the longest times to notice and to the end."""
    worst: dict[str, tuple[float, float]] = {}
    missed = []
    for lie in LIES:
        times = []
        for car in cars:
            outcome = measured(lie, car=car)
            times.append((outcome.noticed_s, outcome.ended_s))
            fault = lie.faults(outcome)
            if fault:
                missed.append(f"{lie.name} on {car}: {fault} {outcome.reason}")
        worst[lie.name] = longest(t[0] for t in times), longest(t[1] for t in times)
        print(f"{lie.name}: {shown(worst[lie.name][0])}, {shown(worst[lie.name][1])}", flush=True)
    return worst, missed


def longest(times: Iterable[float]) -> float:
    """The longest time; nan when there is none."""
    known = [t for t in times if math.isfinite(t)]
    return max(known, default=math.nan)


def shown(seconds: float) -> str:
    """A time for a table."""
    return "-" if math.isnan(seconds) else f"{seconds:.2f} s"


def check_table(alarms: Counter[str], worst: dict[str, tuple[float, float]]) -> str:
    """False alarms and times of each check."""
    lies: dict[str, list[Lie]] = defaultdict(list)
    for lie in LIES:
        for name in lie.found_by:
            lies[name].append(lie)
    rows = ["| check | false alarms | slowest of its lies | stated |", "|---|---|---|---|"]
    for check in CHECKS:
        at_once = [lie for lie in lies[check.name] if not lie.within_s]
        times = [worst[lie.name][0 if not lie.ends else 1] for lie in at_once]
        row = f"| `{check.name}` | {alarms[check.name]} | {shown(longest(times))} | "
        rows.append(f"{row}{check.detects_s:g} s |")
    return "\n".join(rows)


def lie_table(worst: dict[str, tuple[float, float]]) -> str:
    """Every lie, what finds it, and when."""
    rows = ["| lie | found by | notice after | autonomy ends after |", "|---|---|---|---|"]
    for lie in LIES:
        names = ", ".join(f"`{name}`" for name in sorted(lie.found_by))
        noticed, ended = worst[lie.name]
        rows.append(f"| {lie.name} ({lie.scene}) | {names} | {shown(noticed)} | {shown(ended)} |")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
