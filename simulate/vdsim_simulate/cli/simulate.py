"""`./ws simulate`: the whole interface and its car on virtual time, by seed.

./ws simulate --seeds 20
./ws simulate --composition processes --first-seed 100 --seeds 50 --jobs 2
./ws simulate --replay FILE
./ws simulate --seed 26 --shrink FILE
./ws simulate --hours 10 --store FILE; ./ws simulate --sum FILE
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import hashlib
import json
import multiprocessing
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from vdsim_record.tape.replayed import added

from vdsim_simulate.cli.hours import lines_of, runs_of, store
from vdsim_simulate.cli.own import load_own
from vdsim_simulate.cli.test_file import test_of
from vdsim_simulate.draw import scene_of
from vdsim_simulate.fault_table import rows_of
from vdsim_simulate.oracles import ORACLES
from vdsim_simulate.planted import (
    FOREIGN,
    FOREIGN_FOURTH,
    FOREIGN_SECOND,
    FOREIGN_THIRD,
    OWN,
    PLANTED,
    Found,
    find,
)
from vdsim_simulate.runs import GC_THRESHOLD, Outcome, breaks, outcome_of, outcomes, replays
from vdsim_simulate.scene import PLATFORMS, Scene, scene_from
from vdsim_simulate.shrink import shrink
from vdsim_simulate.steering import steered
from vdsim_simulate.wiring.shipped import can_car
from vdsim_simulate.world import COMPOSITIONS, PHASES

LONGEST_SEARCH_S, LONGEST_OF_FOREIGN_S = 600.0, 1800.0
"""A planted defect, and one of an outside examiner, is to be found in so much time of one core."""
SETS = {
    "all": OWN,
    "foreign": FOREIGN,
    "foreign_second": FOREIGN_SECOND,
    "foreign_third": FOREIGN_THIRD,
    "foreign_fourth": FOREIGN_FOURTH,
}
"""What `--planted` names beside a single defect."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    line = argparse.ArgumentParser(
        prog="./ws simulate",
        description=(__doc__ or "").partition("\n\n")[0],
    )
    line.add_argument("--seeds", type=int, default=20, metavar="N", help="how many seeds")
    line.add_argument("--first-seed", type=int, default=0, metavar="N")
    line.add_argument("--seed", type=int, metavar="N", help="this one alone")
    line.add_argument("--composition", choices=sorted(COMPOSITIONS), default="single")
    line.add_argument(
        "--platform", choices=PLATFORMS, default="vds1", help="the wire, and the car behind it"
    )
    line.add_argument(
        "--car-file", type=Path, metavar="FILE", help="of --platform can, in place of vdsim_dbw"
    )
    line.add_argument("--hours", type=float, default=0.0, help="seeds until so much is simulated")
    line.add_argument(
        "--store",
        type=Path,
        metavar="FILE",
        help="append a line a seed here; with --planted: a row of each defect; with --tapes: the "
        "figures of this composition",
    )
    line.add_argument(
        "--tapes",
        action="store_true",
        help="write the tapes of each run and play them again: how many bits differ",
    )
    line.add_argument(
        "--sum", type=Path, nargs="+", metavar="FILE",
        help="add what --store wrote to the hours of docs/simulate.md",
    )  # fmt: skip
    line.add_argument(
        "--scheduler", default="", metavar="ADDRESS",
        help="a Dask scheduler that runs the seeds, tcp://HOST:PORT or tls://HOST:PORT",
    )  # fmt: skip
    line.add_argument("--jobs", type=int, default=1, metavar="J", help="processes at once")
    line.add_argument(
        "--oracle", choices=sorted(ORACLES), metavar="NAME",
        help="for --shrink: the one that breaks; a wrong name prints all of them",
    )  # fmt: skip
    line.add_argument(
        "--planted", choices=(*SETS, *PLANTED), metavar="NAME",
        help="plant a defect, or each of a set, and see which seed finds it; a wrong name prints "
        "all of them",
    )  # fmt: skip
    line.add_argument(
        "--for", type=float, dest="most_s", metavar="S",
        help="with --planted: search for so long on one core, at the most",
    )  # fmt: skip
    line.add_argument("--replay", type=Path, metavar="FILE", help="run the scene of a file")
    line.add_argument("--shrink", type=Path, metavar="FILE", help="write the smallest scene here")
    line.add_argument("--write-test", type=Path, metavar="FILE", help="write a test of the scene")
    line.add_argument(
        "--with", type=Path, action="append", default=[], dest="own", metavar="FILE",
        help="a module with faults and oracles of your own",
    )  # fmt: skip
    return line


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; 0 when everything held."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    # Names of faults and oracles of one's own count among the choices.
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    early.add_argument("--with", type=Path, action="append", default=[], dest="own")
    try:
        for path in early.parse_known_args(words)[0].own:
            load_own(path)
        return _run(parser().parse_args(words))
    except (OSError, ValueError) as error:
        print(f"simulate: {error}", file=sys.stderr)
        return 2


def _run_planted(options: argparse.Namespace) -> int:
    """Print what finds each planted defect, and after how much time of one core."""
    names = list(SETS.get(options.planted, [options.planted]))
    search = partial(_search, options.first_seed, options.most_s)
    missed_n = 0
    with contextlib.ExitStack() as stack:
        searches: Iterable[Found] = map(search, names)
        if options.jobs > 1:
            pool = stack.enter_context(multiprocessing.get_context("fork").Pool(options.jobs))
            searches = pool.imap(search, names)
        for name, found in zip(names, searches, strict=True):
            violation = found.violation
            missed_n += violation is None
            by = "not found" if violation is None else f"seed {found.seed}, {violation.oracle}"
            spent = f"{found.seeds_n} seeds, {found.took_s:.0f} s"
            print(f"{name}: {by}; {spent}: {PLANTED[name].what}", flush=True)
            if options.store is not None:
                _store_found(options.store, name, found)
    return 1 if missed_n else 0


def _run_tapes(options: argparse.Namespace) -> int:
    """Print what a replay of the tapes of each seed sends otherwise."""
    composition, platform = options.composition, options.platform
    every = steered(range(options.first_seed, sys.maxsize), composition, platform, "")
    seeds = islice(every, options.seeds) if options.seed is None else [options.seed]
    done = []
    for each in replays(list(seeds), composition, options.jobs, platform):
        done.append(each)
        if each.differing_bits:
            print(f"{each.name}: {each.differing_bits} bits differ", *each.lines, sep="\n  ")
    found, where = added(done), f"{platform} {composition}"
    known = rows_of(composition, platform)
    print(f"{where}: {len(found.faults)} of {len(known)} faults in {found}")
    if options.store is not None:
        _store_row(options.store, where, found._asdict())
    return 1 if found.differing_bits or not found.ticks else 0


def _store_row(path: Path, name: str, row: object) -> None:
    """Replace a row in a file of several."""
    rows = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    rows[name] = row
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def _search(first_seed: int, most_s: float | None, name: str) -> Found:
    if most_s is None:
        most_s = LONGEST_SEARCH_S if name in OWN else LONGEST_OF_FOREIGN_S
    return find(PLANTED[name], most_s, time.process_time, first_seed)


def _store_found(path: Path, name: str, found: Found) -> None:
    """Replace the row of this defect in a file of all: oracle ("": not found), seeds, seconds."""
    oracle = "" if found.violation is None else found.violation.oracle
    _store_row(path, name, [oracle, found.seeds_n, round(found.took_s)])


def _run(options: argparse.Namespace) -> int:
    if options.planted is not None:
        return _run_planted(options)
    if options.tapes:
        return _run_tapes(options)
    if options.sum is not None:
        return _sum(options.sum)
    if options.replay is None and options.seed is None:
        return _run_seeds(options)
    if options.replay is not None:
        data = json.loads(options.replay.read_text(encoding="utf-8"))
        scene = scene_from(data.get("scene", data))
        oracle = data.get("oracle")  # the one that the scene was cut down to, as in simulate/known
        if oracle is not None and oracle not in ORACLES:
            raise ValueError(f"oracle={oracle}: is unknown; one of your own needs --with FILE")
    else:
        scene = scene_of(options.seed, options.composition, options.platform, _car_of(options))
    if options.shrink is not None or options.write_test is not None:
        scene = _shrunk(scene, options)
    outcome = outcome_of(scene)
    print(outcome.story)
    if not outcome.violations:
        print("  everything holds")
    for violation in outcome.violations[1:]:
        print(f"  {violation.time_s:6.2f} s  also broken: {violation.oracle}: {violation.text}")
    print(f"bits {outcome.bits}")
    return 1 if outcome.violations else 0


def _sum(paths: Sequence[Path]) -> int:
    """Add runs to the stored hours, and say how many there are."""
    runs = store(runs_of(line for path in paths for line in lines_of(path)))
    hours = sum(run.simulated_s for run in runs) / 3600.0
    broken_n = sum(len(seeds) for run in runs for seeds in run.broken.values())
    print(f"{hours:.2f} h in {len(runs)} runs, {broken_n} violations; ./ws generate shows them")
    return 0


def _commit() -> str:
    """The commit that runs; with -dirty, it is not the whole truth."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return done.stdout.strip() or "unknown"


def _shrunk(scene: Scene, options: argparse.Namespace) -> Scene:
    """Return the smallest scene, and write it, or a test of it."""
    oracle = options.oracle
    if oracle is None:
        violations = outcome_of(scene).violations
        if not violations:
            raise ValueError(f"seed {scene.seed}: everything holds, there is nothing to shrink")
        oracle = violations[0].oracle
    scene = shrink(scene, partial(breaks, oracle))
    if options.shrink is not None:
        row = {"oracle": oracle, "scene": json.loads(scene.to_json())}
        options.shrink.write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")
    if options.write_test is not None:
        text = test_of(scene, oracle, options.write_test.parent, options.own)
        options.write_test.write_text(text, encoding="utf-8")
    return scene


def _run_seeds(options: argparse.Namespace) -> int:
    first = options.first_seed
    composition, platform, car_file = options.composition, options.platform, _car_of(options)
    every = steered(range(first, sys.maxsize), composition, platform, car_file)
    seeds = islice(every, _most(options))
    broken: Counter[str] = Counter()
    reached: set[tuple[str, str, str]] = set()
    steps: set[tuple[str, str]] = set()
    bits = hashlib.sha256()
    commit = _commit() if options.store is not None else ""
    began_s, simulated_s, seeds_n = time.monotonic(), 0.0, 0
    if options.scheduler:
        from vdsim_simulate.cli.cluster import outcomes_at

        made = outcomes_at(options.scheduler, seeds, composition, platform, car_file)
    else:
        made = outcomes(seeds, composition, options.jobs, platform, car_file)
    for outcome in made:
        simulated_s += outcome.simulated_s
        seeds_n += 1
        reached |= outcome.reached
        steps |= outcome.steps
        bits.update(outcome.bits.encode())
        _report(outcome, broken)
        if options.store is not None:
            _store(options, outcome, commit)
        if options.hours and simulated_s >= 3600.0 * options.hours:
            break
    took_s = time.monotonic() - began_s
    print(
        f"{seeds_n} seeds, {simulated_s / 3600.0:.2f} h simulated in {took_s:.0f} s: "
        f"{simulated_s / took_s:.0f} times real time"
    )
    pairs = {(name, phase) for name, phase, _ in reached}
    all_n = len(PHASES) * len(rows_of(composition, platform))
    print(
        f"coverage: {len(pairs)} of {all_n} pairs of fault and phase, {len(reached)} with the mode"
    )
    print(
        f"transitions of the mode and of who commands: {len(steps)}; bits {bits.hexdigest()[:16]}"
    )
    for name, times_n in broken.most_common():
        print(f"  {name}: broken in {times_n} of {seeds_n} seeds")
    return 1 if broken else 0


def _car_of(options: argparse.Namespace) -> str:
    """Return the path of the car file, which is read here: what is wrong with it is one line."""
    if options.car_file is None:
        return ""
    if options.platform != "can":
        raise ValueError("--car-file: only --platform can has one")
    car_file = str(options.car_file.resolve())
    can_car(Scene(platform="can", car_file=car_file))
    return car_file


def _most(options: argparse.Namespace) -> int | None:
    """How many seeds to run, at the most."""
    return None if options.hours else int(options.seeds)


def _store(options: argparse.Namespace, outcome: Outcome, commit: str) -> None:
    """Append what a seed gave to a file: what the hours rest on."""
    line = {
        "composition": options.composition,
        "platform": options.platform,
        "car_file": "" if options.car_file is None else options.car_file.name,
        "commit": commit,
        "first_seed": options.first_seed,
        "seed": outcome.seed,
        "simulated_s": outcome.simulated_s,
        "bits": outcome.bits,
        "broken": [violation.oracle for violation in outcome.violations],
        "reached": sorted(outcome.reached),
        "steps": sorted(outcome.steps),
    }
    with options.store.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def _report(outcome: Outcome, broken: Counter[str]) -> None:
    """Print the story of a seed that breaks something for the first time, else a line."""
    names = [violation.oracle for violation in outcome.violations]
    if any(name not in broken for name in names):
        print(outcome.story, flush=True)
    for violation in outcome.violations:
        print(f"seed {outcome.seed}: {violation.oracle} at {violation.time_s:.2f} s", flush=True)
    broken.update(names)


if __name__ == "__main__":
    gc.set_threshold(*GC_THRESHOLD)
    sys.exit(main())
