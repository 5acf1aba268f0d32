"""`vdsim_plot`: draw one or more runs into one picture.

RUN.csv  written by vdsim_replay --out      RUN.vds  recorded by vdsim_realtime --record

Exit codes: 0 done, 1 a file could not be had, 2 wrong options or files.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from vdsim_plant.parameters import ParameterError

from vdsim_plant_node.cli.running import ending, require_matplotlib
from vdsim_plant_node.runs.link_record import LinkRecord, links_of
from vdsim_plant_node.runs.recording import RecordingError
from vdsim_plant_node.runs.run_table import RunTable, read_run_tables, tables_of_ticks
from vdsim_plant_node.scenario.recorded import RecordedRun

PROGRAM = "vdsim_plot"


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw the runs."""
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("runs", type=Path, nargs="+", help="tables or recordings, overlaid")
    parser.add_argument("--out", type=Path, help="png, pdf or svg; default: next to the first run")
    options = parser.parse_args(arguments)
    out = options.out or options.runs[0].with_suffix(".png")

    def draw() -> int:
        _draw(options.runs, out)
        print(f"{PROGRAM}: {out}")
        return 0

    return ending(PROGRAM, draw, (ParameterError, RecordingError))


def _draw(paths: Sequence[Path], out: Path) -> None:
    require_matplotlib()
    from vdsim_plant_node.runs.plots import draw_runs  # loads matplotlib

    runs: dict[str, list[RunTable]] = {}
    links: dict[str, list[LinkRecord]] = {}
    for path in paths:
        name = path.name if path.name not in runs else str(path)
        if path.suffix.lower() == ".vds":
            run = RecordedRun(path)
            runs[name] = tables_of_ticks([*run.start(), *run])
            links[name] = links_of(run.reader)
        else:
            runs[name] = read_run_tables(path)
    draw_runs(runs, out, links)


if __name__ == "__main__":
    sys.exit(main())
