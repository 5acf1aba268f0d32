"""Builds plain_car.c with the machine's C compiler and calls it."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from vdsim_plant.kernel import layout

HERE = Path(__file__).resolve().parent
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")
Advance = Callable[[NDArray[np.float64], NDArray[np.float64], int], None]


def build(folder: Path) -> Advance | None:
    """Return the C car's `advance(car, ground, substeps)`; None without a compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    places = {k: v for k, v in vars(layout).items() if k.isupper() and isinstance(v, int)}
    header = "".join(f"#define {name} {place}\n" for name, place in places.items())
    (folder / "layout.h").write_text(header)
    library = folder / "plain_car.so"
    source = HERE / "plain_car.c"
    command = [compiler, *FLAGS, "-I", str(folder), str(source), "-o", str(library), "-lm"]
    subprocess.run(command, check=True)
    function = ctypes.CDLL(str(library)).advance
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long]
    function.restype = None

    def advance(car: NDArray[np.float64], ground: NDArray[np.float64], substeps: int) -> None:
        function(car.ctypes.data, ground.ctypes.data, substeps)

    return advance
