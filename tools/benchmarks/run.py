"""`./ws bench --all`: run the benchmarks, print, store or compare their figures with peers."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from benchmarks.figures import Figure, losses, of_runs, table

ROOT = Path(__file__).resolve().parents[2]
STORED = "bench/figures.json"
VARIABLE = "VDSIM_BENCH_FIGURES"  # as in bench/figures.py
PLAN: Mapping[str, tuple[str, ...]] = {
    "plant/plant": ("--rounds", "7", "--cars", "1000", "--skip-start-up"),
    "plant/tyres": ("--rounds", "60", "--cars", "256"),
    "plant/batch": ("--rounds", "9", "--cars", "512"),
    "plant/linearize": ("--rounds", "60"),
    "plant/fmu": ("--rounds", "200"),
    "plant/learning": ("--rounds", "6", "--cars", "512"),
    "protocol/codec": ("--rounds", "9", "--packets", "0"),
    "interface/pure_tick": ("--ticks", "5000"),
    "interface/latency": ("--seconds", "6", "single", "guarded"),
    "runtime/pacing": ("--seconds", "4", "--slice", "2"),
    "simulate/speed": ("--seconds", "10", "--rows", "0"),
}
"""Benchmark -> its arguments here: shorter than by themselves, since they run several times."""


def measured(root: Path, name: str, arguments: Sequence[str]) -> list[dict[str, Any]]:
    """Run a benchmark; return what it handed over."""
    folder, _, stem = name.partition("/")
    script = root / "bench" / folder / f"bench_{stem}.py"
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / "figures"
        environ = {**os.environ, VARIABLE: str(file)}
        done = subprocess.run(
            [sys.executable, str(script), *arguments],
            cwd=root, env=environ, capture_output=True, text=True, check=False,
        )  # fmt: skip
        # 1 is also a target that was missed on this machine; then there are figures.
        if not file.is_file() or done.returncode not in (0, 1):
            raise RuntimeError(
                f"{name} handed over no figure: {(done.stdout + done.stderr)[-800:]}"
            )
        found = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [{**each, "name": f"{name}: {each['name']}"} for each in found]


def record(root: Path, figures: Sequence[Figure], runs_n: int) -> dict[str, Any]:
    """What is stored: the figures with machine, version and date."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=root, capture_output=True, text=True, check=False,
    ).stdout.strip()  # fmt: skip
    package = ElementTree.parse(root / "src" / "vdsim_interface" / "package.xml")
    return {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "version": package.findtext("version") or "",
        "commit": commit,
        "machine": f"{_processor()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 1),
        "runs": runs_n,
        "figures": [asdict(figure) for figure in figures],
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())


def read(file: Path) -> tuple[dict[str, Any], list[Figure]]:
    """Return what was stored, and its figures."""
    content = json.loads(file.read_text(encoding="utf-8"))
    return content, [Figure(**figure) for figure in content["figures"]]


def markdown(content: Mapping[str, Any]) -> str:
    """The figures with where and when they were measured."""
    figures = [Figure(**figure) for figure in content["figures"]]
    where = (
        f"Version {content['version']} (commit {content['commit']}), {content['date']}, on "
        f"{content['machine']}, Python {content['python']}; load of the machine "
        f"{content['load']}; {content['runs']} runs of each."
    )
    return f"{where}\n\n{table(figures)}"


def main(
    arguments: Sequence[str], root: Path = ROOT, plan: Mapping[str, Sequence[str]] = PLAN
) -> int:
    """Measure, print, store or compare; 1 where a ratio got worse beyond the noise."""
    parser = argparse.ArgumentParser(prog="./ws bench --all", description=__doc__)
    parser.add_argument("--repeats", type=int, default=3, help="runs of each; default: 3")
    parser.add_argument("--only", nargs="+", choices=tuple(plan), metavar="NAME",
                        help=f"some of them: {', '.join(plan)}")  # fmt: skip
    parser.add_argument("--check", action="store_true", help=f"compare ratios with {STORED}")
    parser.add_argument("--store", action="store_true", help=f"write {STORED}; then ./ws generate")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="and as a table there")
    options = parser.parse_args(arguments)
    names = options.only or list(plan)
    runs: list[list[dict[str, Any]]] = []
    steps, done = options.repeats * len(names), 0
    try:
        for _ in range(options.repeats):
            runs.append([])
            for name in names:
                print(f"{100 * done // steps:3d} %  {name}", file=sys.stderr, flush=True)
                runs[-1] += measured(root, name, plan[name])
                done += 1
    except RuntimeError as error:
        print(f"./ws bench --all: {error}", file=sys.stderr)
        return 2
    figures = of_runs(runs)
    content = record(root, figures, len(runs))
    text = json.dumps(content, indent=1) + "\n"
    print(markdown(content))
    if options.json:
        options.json.write_text(text, encoding="utf-8")
    if options.markdown:
        options.markdown.write_text(markdown(content) + "\n", encoding="utf-8")
    if options.store:
        (root / STORED).write_text(text, encoding="utf-8")
    return _check(root, figures, names) if options.check else 0


def _check(root: Path, figures: Sequence[Figure], names: Sequence[str]) -> int:
    stored, old = read(root / STORED)
    of_these = [f for f in old if f.name.partition(":")[0] in names]
    worse = losses(of_these, figures)
    print(f"\nbeside {STORED} of {stored['date']}, {stored['machine']}:")
    for line in worse:
        print(f"worse: {line}")
    print(f"{len(of_these) - len(worse)} of {len(of_these)} ratios are as they were, or better")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
