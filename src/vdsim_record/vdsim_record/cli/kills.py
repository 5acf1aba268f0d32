"""`vdsim_record_kills N`: end the processes of recordings by kill -9 at N random moments.

Kinds, in turn:

  recorder, finisher, both   a recorder that makes 20 topics at 100 Hz itself, what completes its
                             file, both at once
  disk                       its disk is full from a random moment on (a file system of its own)
  power                      what the disk was not asked to keep is gone (simulated)
  interface, plant, launch   of a whole drive with record:=; one drive runs at a time, in the
                             ROS domain of the environment

What a recorder has received it notes in memory that outlives it; what a file has is read back by
the reader of the package mcap. Where nobody of the recording lives on, `vdsim_replay finish` runs.
A file must be complete within 1 s, without the time in which its process had no core, and miss no
more than 0.2 s (power: 1 s).

Exit codes: 0 every file was complete in time and had what it must have, 1 one was not.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

from vdsim_protocol.checked_file import FileError, read_text

from vdsim_record.cli.killing import drives, tries
from vdsim_record.cli.killing.figures import Kill, report, rows

PROGRAM = "vdsim_record_kills"
KINDS = (*tries.KINDS, *drives.KINDS)
_LARGEST_STORED = 1 << 20
_one_drive = threading.Lock()


def exam(count: int, kinds: Sequence[str], seed: int, jobs: int, longest_s: float) -> list[Kill]:
    """Kill `count` times; `longest_s`: how long a recording runs at most."""
    draw = random.Random(seed)
    plans = [(kinds[n % len(kinds)], draw.uniform(0.0, longest_s)) for n in range(count)]

    def run(number: int) -> Kill:
        kind, after_s = plans[number]
        with tempfile.TemporaryDirectory(prefix="vdsim-kills-") as folder:
            try:
                if kind in drives.KINDS:
                    with _one_drive:
                        return drives.one_kill(kind, after_s, Path(folder))
                return tries.one_kill(kind, after_s, Path(folder), number)
            except (OSError, TimeoutError, FileError) as error:
                return Kill(kind, after_s, 0.0, 0.0, 0.0, str(error))

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(run, range(count)))


def store(path: Path, kills: Sequence[Kill], seed: int, load: str, of: str) -> None:
    """Put the rows of these kinds in place of the stored ones."""
    known = json.loads(read_text(path, largest_bytes=_LARGEST_STORED)) if path.exists() else {}
    shared = {
        "seed": seed,
        "load": load,
        "version": version("vdsim_record"),
        "of": of,
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }
    known.update({row.kind: {**row._asdict(), **shared} for row in rows(kills)})
    path.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    line = argparse.ArgumentParser(
        prog=PROGRAM, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    line.add_argument("count", type=int, nargs="?", default=30, help="how many kills")
    line.add_argument("--kinds", nargs="+", choices=KINDS, default=list(tries.KINDS[:3]))
    line.add_argument("--seed", type=int, default=1, help="of the random moments")
    line.add_argument("--jobs", type=int, default=1, help="recordings at the same time")
    line.add_argument("--longest", type=float, default=6.0, help="longest recording [s]")
    line.add_argument("--store", type=Path, metavar="FILE", help="keep the figures in this JSON")
    line.add_argument("--of", default="", help="what they are of, such as a commit; kept with them")
    return line


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill, and print the figures."""
    options = parser().parse_args(arguments)
    load = f"{os.getloadavg()[0]:.1f}"
    kills = exam(options.count, options.kinds, options.seed, options.jobs, options.longest)
    load += f" to {os.getloadavg()[0]:.1f}"
    print(f"{PROGRAM}: seed {options.seed}, load {load}")
    print("\n".join(report(kills)))
    if options.store is not None:
        store(options.store, kills, options.seed, load, options.of)
    return 1 if any(kill.verdict for kill in kills) else 0


if __name__ == "__main__":
    sys.exit(main())
