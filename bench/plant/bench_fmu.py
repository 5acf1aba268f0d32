"""A step of an exported FMU against the same step in the kernel, side by side.

    python bench/plant/bench_fmu.py [--rounds 400]

50 ms of driving, 100 substeps of 0.5 ms: `Vehicle` in this process, fmi3DoStep of the binary that
`vdsim_fmu export` makes, and of the C sources as an importing tool compiles them (cc -O3). The
three drive alike, and end with the same bits. The ratio is the median over rounds in which all ran
directly one after the other. Ends with 1 when one misses its target.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "src" / "vdsim_plant")]

import figures  # noqa: E402
from vdsim_plant.cli import c_compiler  # noqa: E402
from vdsim_plant.fmu.archive import fmu_files, token_of  # noqa: E402
from vdsim_plant.fmu.variables import variables_of  # noqa: E402
from vdsim_plant.motion import InitialState  # noqa: E402
from vdsim_plant.vehicle import Vehicle  # noqa: E402

SUBSTEPS = 100
SPEED_MPS = 20.0
EXPORTED, IMPORTER = "binary of vdsim_fmu", "sources, cc -O3"
TARGETS: Mapping[str, float] = {EXPORTED: 1.2, IMPORTER: 2.5}
FLAGS: Mapping[str, tuple[str, ...]] = {EXPORTED: c_compiler.FLAGS, IMPORTER: ("-std=c99", "-O3")}


class Fmu:
    """The little of FMI 3.0 that a drive needs, by ctypes."""

    def __init__(self, library: Path, vehicle: Vehicle, token: str) -> None:
        self._places = {item.name: k for k, item in enumerate(variables_of(vehicle))}
        self._library = ctypes.CDLL(str(library))
        create = self._library.fmi3InstantiateCoSimulation
        create.restype = ctypes.c_void_p
        create.argtypes = [
            *([ctypes.c_char_p] * 3),
            *([ctypes.c_bool] * 4),
            ctypes.c_void_p,
            ctypes.c_size_t,
            *([ctypes.c_void_p] * 3),
        ]
        made = create(b"car", token.encode(), b"", False, False, False, False, None, 0, *[None] * 3)
        self._car = ctypes.c_void_p(made)
        self.set("start_vx_mps", SPEED_MPS)
        zero = ctypes.c_double(0.0)
        self._library.fmi3EnterInitializationMode(self._car, False, zero, zero, False, zero)
        self._library.fmi3ExitInitializationMode(self._car)
        self._step = self._library.fmi3DoStep
        self._step.argtypes = [
            ctypes.c_void_p,
            *([ctypes.c_double] * 2),
            ctypes.c_bool,
            *([ctypes.c_void_p] * 4),
        ]
        self._flags = (ctypes.c_bool * 3)()
        self._last = ctypes.c_double()
        first = ctypes.addressof(self._flags)
        self._out = (first, first + 1, first + 2, ctypes.addressof(self._last))
        self._now_s = 0.0

    def set(self, name: str, value: float) -> None:
        """Set one variable."""
        reference = (ctypes.c_uint32 * 1)(self._places[name])
        one = ctypes.c_size_t(1)
        status = self._library.fmi3SetFloat64(
            self._car, reference, one, (ctypes.c_double * 1)(value), one
        )
        assert status == 0, name

    def get(self, name: str) -> float:
        """Read one variable."""
        reference, value = (ctypes.c_uint32 * 1)(self._places[name]), (ctypes.c_double * 1)()
        one = ctypes.c_size_t(1)
        assert self._library.fmi3GetFloat64(self._car, reference, one, value, one) == 0
        return value[0]

    def step(self, duration_s: float) -> None:
        """Go on by a communication step."""
        assert self._step(self._car, self._now_s, duration_s, True, *self._out) == 0
        self._now_s += duration_s


def timed(action: Callable[[], None]) -> float:
    """Return how long it takes [s]."""
    begin_s = time.perf_counter()
    action()
    return time.perf_counter() - begin_s


def main() -> int:
    """Print the ratios, compare with the targets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=400)
    rounds = parser.parse_args().rounds
    vehicle = Vehicle()
    vehicle.reset(InitialState(vx_mps=SPEED_MPS))
    files = fmu_files(vehicle, "3.0")
    sources = {name.partition("/")[2]: text for name, text in files.items() if "/" in name}
    compiler = c_compiler.find_compiler(None)
    times: dict[str, list[float]] = {name: [] for name in ("kernel", *TARGETS)}
    with tempfile.TemporaryDirectory() as folder:
        cars = {}
        for name, flags in FLAGS.items():
            library = Path(folder) / f"{len(cars)}.so"
            library.write_bytes(c_compiler.shared_library(compiler, sources, flags))
            cars[name] = Fmu(library, vehicle, token_of(files))
        for k in range(rounds):
            steer = 0.1 * math.sin(0.1 * k)
            times["kernel"].append(timed(lambda s=steer: vehicle.hold_force(s, 0.0, SUBSTEPS)))
            for name, car in cars.items():
                car.set("steer_rad", steer)
                times[name].append(timed(lambda c=car: c.step(SUBSTEPS * vehicle.substep_s)))
        assert {car.get("x_m") for car in cars.values()} == {vehicle.motion().x_m}
    missed = 0
    print(f"kernel: {1e6 * statistics.median(times['kernel']):.1f} us for {SUBSTEPS} substeps")
    for name, target in TARGETS.items():
        pairs = zip(times[name], times["kernel"], strict=True)
        ratio = statistics.median(ours / kernel for ours, kernel in pairs)
        missed += ratio > target
        mine, theirs = ([1e6 * t for t in times[each]] for each in (name, "kernel"))
        figures.figure(f"{SUBSTEPS} substeps of an FMU, {name}", "us", mine, "the kernel", theirs)
        print(f"{name}: {ratio:.2f} times the kernel's (target: at most {target:g})")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
