"""A tick and a report of the pure pipeline against those of another commit, in turns.

Each round runs both in a process of its own, one after the other, with the drive of their own
`bench_pure_tick.py`. A figure is the fastest twentieth of a run: other load only adds time. The
ratio is the median over the rounds; below 1 this working tree is faster. No ROS, no socket.

    ./ws bench interface/against [COMMIT] [--rounds 5] [--ticks 3000]
"""

import argparse
import importlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEVELS = ("high_level", "vehicle", "raw")
SHARE = 20
"""The fastest of so many counts: the others waited for caches, or for other programs."""
Times = dict[str, tuple[float, float]]
"""Microseconds of CPU of a tick and of a report, by level."""


def exported(commit: str, folder: Path) -> None:
    """Write the sources of a commit into a folder."""
    command = ["git", "-C", str(ROOT), "archive", commit, "src", "bench"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"interface/against {commit}: {done.stderr.decode().strip()}")
    subprocess.run(["tar", "-x", "-C", str(folder)], input=done.stdout, check=True)


def run_of(root: Path, ticks: int) -> Times:
    """Measure the sources in a folder in a process of its own."""
    command = [sys.executable, __file__, "--measure", str(root), "--ticks", str(ticks)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"interface/against: {root.name}: {done.stderr.strip()[-800:]}")
    found: Times = json.loads(done.stdout)
    return found


def measured(root: Path, ticks: int) -> Times:
    """Measure the sources in a folder, which nothing has been imported from."""
    packages = [str(path) for path in (root / "src").iterdir() if (path / path.name).is_dir()]
    sys.path[:0] = [*packages, str(root / "bench/interface")]
    its = importlib.import_module("bench_pure_tick")
    clock, found = time.thread_time_ns, {}
    for level in LEVELS:
        pipeline, make, now = its.make_pipeline(level, "vds1", False), its.COMMANDS[level], 0.0
        ticked, reported = [], []
        for packet in its.state_packets(ticks, its.vds1.Sender(), now):
            now += 0.01
            begin = clock()
            pipeline.on_datagram(packet, its.SOURCE, "vds1", now)
            reported.append(clock() - begin)
            command = make(now)
            begin = clock()
            pipeline.on_command(command, now)
            pipeline.tick(now)
            ticked.append(clock() - begin)
        assert pipeline.mode is its.Mode.AUTONOMOUS, "a driving pipeline is to be measured"
        found[level] = fastest_us(ticked), fastest_us(reported)
    return found


def fastest_us(values_ns: list[int]) -> float:
    """Return the limit of the fastest ones, in microseconds."""
    return sorted(values_ns)[len(values_ns) // SHARE] / 1e3


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commit", nargs="?", default="HEAD")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ticks", type=int, default=3000)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measured(given.measure, given.ticks)))
        return 0
    with tempfile.TemporaryDirectory() as made:
        exported(given.commit, Path(made))
        rounds = [
            (run_of(ROOT, given.ticks), run_of(Path(made), given.ticks))
            for _ in range(max(given.rounds, 1))
        ]
    print(f"microseconds of CPU, the fastest of {given.ticks}, {len(rounds)} rounds in turns")
    print(f"  {'level':12} {'':8} {'now':>8} {given.commit[:10]:>10} {'ratio':>8}")
    for level in LEVELS:
        pairs = [(*now[level], *then[level]) for now, then in rounds]
        for name, parts in (("tick", (0, 2)), ("report", (1, 3)), ("both", (0, 1, 2, 3))):
            half = len(parts) // 2
            nows = [sum(pair[at] for at in parts[:half]) for pair in pairs]
            thens = [sum(pair[at] for at in parts[half:]) for pair in pairs]
            ratio = statistics.median(a / b for a, b in zip(nows, thens, strict=True))
            now_us, then_us = statistics.median(nows), statistics.median(thens)
            print(f"  {level:12} {name:8} {now_us:8.1f} {then_us:10.1f} {ratio:8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
