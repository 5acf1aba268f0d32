"""Builds plain_car.c and plain_batch.c with the machine's C compiler and calls them."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vdsim_plant.kernel import layout

HERE = Path(__file__).resolve().parent
FLAGS = ("-O3", "-march=native")
# What lets gcc use the widest vectors, and libm's functions on them.
VECTOR_FLAGS = ("-Ofast", "-march=native", "-mprefer-vector-width=512", "-fopenmp-simd")
Buffer = NDArray[np.float64]
Advance = Callable[[Buffer, Buffer, int], None]


def build(folder: Path) -> Advance | None:
    """Return the C car's `advance(car, ground, substeps)`; None without a compiler."""
    library = _library(folder, "plain_car", FLAGS)
    if library is None:
        return None
    function = library.advance
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long]
    function.restype = None

    def advance(car: Buffer, ground: Buffer, substeps: int) -> None:
        function(car.ctypes.data, ground.ctypes.data, substeps)

    return advance


def build_batch(folder: Path) -> Advance | None:
    """Return the C batch's `advance(blocks, ground, substeps)`; None without a compiler."""
    library = _library(folder, "plain_batch", VECTOR_FLAGS)
    if library is None:
        return None
    function = library.advance_batch
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_long]
    function.restype = None

    def advance(blocks: Buffer, ground: Buffer, substeps: int) -> None:
        function(blocks.ctypes.data, ground.ctypes.data, len(blocks), substeps)

    return advance


def _library(folder: Path, name: str, flags: tuple[str, ...]) -> Any:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    places = {k: v for k, v in vars(layout).items() if k.isupper() and isinstance(v, int)}
    header = "".join(f"#define {name} {place}\n" for name, place in places.items())
    (folder / "layout.h").write_text(header)
    library = folder / f"{name}.so"
    sources = ["-I", str(folder), str(HERE / f"{name}.c"), "-o", str(library), "-lm"]
    subprocess.run([compiler, *flags, "-shared", "-fPIC", *sources], check=True)
    return ctypes.CDLL(str(library))
