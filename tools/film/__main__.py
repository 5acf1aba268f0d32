"""The moving picture of the README: a recorded drive, played on the dashboard in Chromium.

    ./ws python tools/film docs/images/drive.webp

The drive is computed in lockstep and recorded, so that every frame shows its own moment, however
slow this machine draws: weave and brake on a patch of low friction, wheels coloured by their grip.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "src" / "vdsim_plant_node")]

from film.recording import record_drive  # noqa: E402 - after the path of the kits
from film.screen import frames, write_film  # noqa: E402


def main(arguments: list[str]) -> int:
    """Record, play, write; returns the exit code."""
    parser = argparse.ArgumentParser(prog="tools/film", description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="the film: .webp, .gif or .png")
    parser.add_argument("--rate", type=float, default=12.5, help="frames a second (12.5)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "drive.vds"
        duration_s = record_drive(run)
        pictures = frames(run, duration_s, options.rate, Path(folder))
        write_film(pictures, options.out, options.rate)
    print(f"{options.out}: {len(pictures)} frames, {options.out.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
