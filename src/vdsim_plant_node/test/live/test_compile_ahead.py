"""What a new car needs is compiled in another process: this one never loads the compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[3]
SEARCHED = [str(SOURCES / name) for name in ("vdsim_plant", "vdsim_plant_node", "vdsim_protocol")]
START = f"""
import sys
sys.path[:0] = {SEARCHED!r}
from vdsim_plant_node.live.compile_ahead import compile_ahead
from vdsim_plant_node.live.sessions import loops_of, prepare_car
from vdsim_plant_node.settings.server_settings import VehicleSettings
settings = VehicleSettings(level=sys.argv[1], tyre=sys.argv[3], assist=sys.argv[4])
if sys.argv[2] == "ahead":
    for loop in loops_of(settings):
        compile_ahead(loop)
car = prepare_car(settings, substep_s=5e-4)
print(loops_of(settings)[0].name, "numba" in sys.modules, car.session.vehicle.level)
"""


def start(level: str, way: str, cache: Path, tyre: str = "mf96", assist: str = "none") -> str:
    done = subprocess.run(
        [sys.executable, "-c", START, level, way, tyre, assist],
        env={**os.environ, "VDSIM_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        timeout=300.0,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_car_that_was_never_compiled(tmp_path: Path) -> None:
    assert start("kinematic", "ahead", tmp_path) == "advance_kinematic False kinematic"
    assert start("kinematic", "here", tmp_path) == "advance_kinematic False kinematic", "it is kept"


def test_a_car_with_a_property_file_that_was_never_compiled(tmp_path: Path) -> None:
    assert start("l2", "ahead", tmp_path, "road_235_55r19") == "advance_tir False l2"


def test_a_car_with_assistance_that_was_never_compiled(tmp_path: Path) -> None:
    assert start("l1", "ahead", tmp_path, assist="abs") == "advance False l1"


def test_without_a_place_to_keep_it_it_is_compiled_here(tmp_path: Path) -> None:
    nowhere = tmp_path / "file"
    nowhere.write_text("")
    assert start("kinematic", "ahead", nowhere).endswith("kinematic")
