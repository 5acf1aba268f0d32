"""Cars as WebAssembly: C sources of the FMU -> Zig's C compiler -> one module each."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vdsim_plant.fmu.archive import fmu_files
from vdsim_plant.fmu.variables import variables_of
from vdsim_plant.ground import Ground, flat, load_ground
from vdsim_plant.parameters import load_tyre, load_vehicle
from vdsim_plant.vehicle import Vehicle

_HERE = Path(__file__).resolve().parent
_CACHE = _HERE.parents[1] / ".ros" / "browser_car"
_FLAGS = (
    *("-target", "wasm32-wasi", "-mexec-model=reactor", "-std=c99", "-O2", "-w"),
    *("-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off", "-Wl,--strip-all"),
)

CARS = {
    "ioniq5_awd": "Ioniq 5, all wheels",
    "compact_fwd": "Compact, front wheels",
    "sport_rwd": "Sports car, rear wheels",
    "scale_car": "Model car 1:10",
}
TYRES = {"mf96": "Shipped tyre (MF96)", "road_235_55r19": "Property file 235/55 R19"}
_ROAD_TYRES = {
    "ioniq5_awd",
    "compact_fwd",
    "sport_rwd",
}  # cars of a weight that such a tyre carries


@dataclass(frozen=True)
class Road:
    """A road to choose: a shipped ground, or a level one of a friction that the page sets."""

    label: str
    ground: str  # of grounds/, or "" for a level road without patches
    base_mu: float | None = None


ROADS = {
    "dry": Road("Dry road, μ 0.9", "", 0.9),
    "wet": Road("Wet road, μ 0.6", "", 0.6),
    "snow": Road("Snow, μ 0.3", "", 0.3),
    "ice": Road("Ice, μ 0.1", "", 0.1),
    "patch": Road("Wet cobbles from 60 m to 130 m", "low_mu_patch"),
    "split": Road("Ice on the left, wet on the right", "split_mu"),
    "hill": Road("Hill of 8 %, slippery spot", "hill_8_percent"),
}


def ground_of(road: Road) -> Ground:
    """Return the ground of a road."""
    return flat(road.base_mu) if road.base_mu is not None else load_ground(road.ground)


def vehicle_of(car: str, tyre: str, road: Road) -> Vehicle:
    """Return the car as the library makes it."""
    return Vehicle(load_vehicle(car), load_tyre(tyre), ground_of(road))


def choices() -> Iterator[tuple[str, str, str]]:
    """Return car, tyre and ground of every module; the ground as in `Road.ground`."""
    grounds = tuple(dict.fromkeys(road.ground for road in ROADS.values()))
    for car in CARS:
        for tyre in TYRES:
            if tyre == "mf96" or car in _ROAD_TYRES:
                yield from ((car, tyre, ground) for ground in grounds)


def references() -> dict[str, tuple[str, int]]:
    """Return type and reference of the variables that a page sets or shows; all cars agree."""
    return {
        item.name: (item.type, number)
        for number, item in enumerate(variables_of(Vehicle()))
        if item.causality != "local"
    }


def compiled(vehicle: Vehicle) -> bytes:
    """Return a car's module; raise with what the compiler said where that fails."""
    sources = {
        name.removeprefix("sources/"): content
        for name, content in fmu_files(vehicle).items()
        if name.startswith("sources/")
    }
    names = ("vdsim_kernel.c", "vdsim_car.c", "vdsim_tables.c", "web_car.c")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name, content in sources.items():
            (folder / name).write_bytes(content)
        (folder / "web_car.c").write_bytes((_HERE / "web_car.c").read_bytes())
        command = [sys.executable, "-m", "ziglang", "cc", *_FLAGS, *names, "-o", "car.wasm"]
        done = subprocess.run(
            command, cwd=folder, env=_environ(), capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(f"ziglang: {done.stderr.strip() or 'no message'}")
        return (folder / "car.wasm").read_bytes()


def _environ() -> dict[str, str]:
    """Zig keeps the C library that it has compiled: below .ros, as all else that is made."""
    return {
        **os.environ,
        "ZIG_GLOBAL_CACHE_DIR": str(_CACHE / "global"),
        "ZIG_LOCAL_CACHE_DIR": str(_CACHE / "local"),
    }
