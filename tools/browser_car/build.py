"""`./ws browser_car OUT.html`: the car on one page that works from a file, without a server."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from vdsim_plant.parameters import load_vehicle
from vdsim_plant_node.dataport.json_views import road_view, shape_view
from vdsim_plant_node.settings.server_settings import WorldOrigin

from browser_car.modules import (
    CARS,
    ROADS,
    TYRES,
    Road,
    choices,
    compiled,
    ground_of,
    references,
    vehicle_of,
)
from browser_car.page import packed, page_text

ROOT = Path(__file__).resolve().parents[2]


def page_data() -> dict[str, Any]:
    """Return the cars and what the page needs to know of them."""
    modules = {}
    wanted = list(choices())
    for done, (car, tyre, ground) in enumerate(wanted):
        _say(f"compiling the cars: {100 * done // len(wanted)} %")
        road = Road("", ground, None if ground else 0.9)
        modules[f"{car},{tyre},{ground}"] = packed(compiled(vehicle_of(car, tyre, road)))
    _say("")
    return {
        "cars": {
            name: {"label": label, "shape": shape_view(load_vehicle(name))}
            for name, label in CARS.items()
        },
        "tyres": TYRES,
        "roads": {
            name: {
                "label": road.label,
                "ground": road.ground,
                "base_mu": road.base_mu,
                "view": road_view(ground_of(road), WorldOrigin()),
            }
            for name, road in ROADS.items()
        },
        "variables": references(),
        "modules": modules,
    }


def write_page(out: Path) -> None:
    """Compile the cars and write the page."""
    out.write_text(page_text(ROOT, page_data()), encoding="utf-8")


def _say(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def main(arguments: list[str]) -> int:
    """Build the page; returns the exit code."""
    parser = argparse.ArgumentParser(prog="./ws browser_car", description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT.html", help="the file to write")
    options = parser.parse_args(arguments)
    try:
        write_page(options.out)
    except OSError as error:
        print(f"./ws browser_car: {options.out}: {error.strerror}", file=sys.stderr)
        return 2
    print(f"{options.out}: {options.out.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
