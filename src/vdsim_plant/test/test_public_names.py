"""What may be imported is documented, with units, and shows what it is."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from vdsim_plant.session import SimSession

import vdsim_plant
from vdsim_plant import Observation, ParameterError, VDSimPlant, WheelObservation

PACKAGE = Path(__file__).resolve().parents[1]
UNIT = re.compile(r"\[(m|rad|m/s|rad/s|m/s2|N|s|-)\]")
PUBLIC = {name: getattr(vdsim_plant, name) for name in vdsim_plant.__all__}
CLASSES = [thing for thing in PUBLIC.values() if inspect.isclass(thing)]

# Windows has no user numbers; nothing else is taken away that the library could need there. The
# environments for learning need Gymnasium, which is an extra.
AS_ON_WINDOWS = """
import importlib, os, pkgutil
del os.getuid
import vdsim_plant
ignored = lambda name: None
for module in pkgutil.walk_packages(vdsim_plant.__path__, "vdsim_plant.", ignored):
    if not module.name.startswith("vdsim_plant.study.rl"):
        importlib.import_module(module.name)
from vdsim_plant.compiled.code_cache import CACHE_FOLDER
print(CACHE_FOLDER)
"""


def methods(kind: type[Any]) -> Iterator[tuple[str, Any]]:
    for name, value in vars(kind).items():
        function = value.fget if isinstance(value, property) else value
        if not name.startswith("_") and inspect.isfunction(function):
            yield name, function


def test_the_version_is_that_of_the_package() -> None:
    stated = ElementTree.parse(PACKAGE / "package.xml").getroot().findtext("version")
    assert vdsim_plant.__version__ == stated


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_class_and_method_says_what_it_is(kind: type[Any]) -> None:
    assert vars(kind).get("__doc__")
    assert [name for name, function in methods(kind) if not function.__doc__] == []


@pytest.mark.parametrize("kind", [Observation, WheelObservation])
def test_help_shows_every_value_with_its_unit(kind: type[Any]) -> None:
    described: dict[str, str] = {}
    for line in (inspect.getdoc(kind) or "").splitlines():
        names, colon, text = line.partition(": ")
        if colon and UNIT.search(text):
            described |= dict.fromkeys(names.split(", "), text)
    assert set(described) == set(kind.__annotations__)


def test_what_it_prints_as_says_what_it_is() -> None:
    plant = VDSimPlant("sport_rwd", level="l1", control_dt=0.02)
    assert repr(plant) == (
        "VDSimPlant('sport_rwd', tyre='mf96', level='l1', control_dt=0.02, substep_dt=0.0005)"
    )
    car = "Vehicle('sport_rwd', 'mf96', level='l1', substep_s=0.0005)"
    assert repr(plant.vehicle) == car
    assert repr(plant.batch(20, threads=2)) == f"PlantBatch({car}, n=20, threads=2)"
    session = SimSession(plant.vehicle)
    session.tick(0.01)
    assert repr(session) == f"SimSession({car}, tick=1)"


def test_an_error_can_be_caught_by_its_public_name() -> None:
    with pytest.raises(ParameterError, match="level='l9'"):
        VDSimPlant(level="l9")


def test_it_imports_where_users_have_no_number(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", AS_ON_WINDOWS],
        env={"LOCALAPPDATA": str(tmp_path), "HOME": str(tmp_path), "PYTHONPATH": str(PACKAGE)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(tmp_path / "vdsim")
