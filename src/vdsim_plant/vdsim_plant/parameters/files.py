"""Finds vehicle and tyre files by preset name or by path, and loads them.

Presets are installed inside the package, below `vdsim_plant/data`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from vdsim_plant.parameters.checked_file import Repeated, is_file
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.parameters.input_file import read_text
from vdsim_plant.parameters.mapping import from_mapping
from vdsim_plant.parameters.tir_file import load_tir
from vdsim_plant.parameters.tyre import TyreParameters
from vdsim_plant.parameters.vehicle import VehicleParameters
from vdsim_plant.parameters.yaml_text import LARGEST_YAML_BYTES, parse_yaml

DATA_FOLDER = Path(__file__).resolve().parent.parent / "data"
VEHICLE_FOLDER = DATA_FOLDER / "vehicles"
TYRE_FOLDER = DATA_FOLDER / "tyres"
_VEHICLE_SUFFIXES = (".yaml",)
_TYRE_SUFFIXES = (".yaml", ".tir")


def vehicle_names() -> tuple[str, ...]:
    """Return the names of the vehicle presets."""
    return _names(VEHICLE_FOLDER, _VEHICLE_SUFFIXES)


def tyre_names() -> tuple[str, ...]:
    """Return the names of the tyre presets."""
    return _names(TYRE_FOLDER, _TYRE_SUFFIXES)


def load_vehicle(name_or_path: str | Path) -> VehicleParameters:
    """Load a vehicle by preset name (`ioniq5_awd`, `ioniq5_awd.yaml`) or by path.

    Its tyre is a preset, a file beside it, or a path.
    """
    path = resolve(name_or_path, VEHICLE_FOLDER, _VEHICLE_SUFFIXES, "vehicle")
    vehicle = from_mapping(VehicleParameters, read_yaml(path), source=path.name)
    beside = path.parent / vehicle.axles.tyre
    if beside.suffix.lower() in _TYRE_SUFFIXES and is_file(beside):
        return replace(vehicle, axles=replace(vehicle.axles, tyre=str(beside)))
    return vehicle


def load_tyre(name_or_path: str | Path) -> TyreParameters:
    """Load a tyre by preset name, or by path: YAML, or `.tir` (PAC2002 / MF 5.2)."""
    path = resolve(name_or_path, TYRE_FOLDER, _TYRE_SUFFIXES, "tyre")
    if path.suffix.lower() == ".tir":
        coefficients = load_tir(read_text(path), source=path.name)
        return TyreParameters(
            name=path.stem,
            description=f"PAC2002 coefficients of {path.name}",
            model="pac2002",
            rolling_resistance=coefficients.rolling_resistance,
            tir=coefficients,
        )
    return from_mapping(TyreParameters, _with_coefficients(path), source=path.name)


def _with_coefficients(path: Path) -> object:
    """Return a tyre file's content, the property file that `tir_file` names read into it."""
    content = read_yaml(path)
    if not isinstance(content, Mapping) or "tir_file" not in content:
        return content
    named = content["tir_file"]
    local = path.parent / str(named)
    try:
        found = local if is_file(local) else resolve(named, TYRE_FOLDER, (".tir",), "tir_file")
        coefficients = load_tir(read_text(found), source=found.name)
    except ParameterError as error:
        raise error.in_file(path.name) from None
    given = {key: value for key, value in content.items() if key != "tir_file"}
    return {"rolling_resistance": coefficients.rolling_resistance, **given, "tir": coefficients}


def resolve(
    given: str | Path,
    folder: Path,
    suffixes: tuple[str, ...],
    kind: str,
    without_file: tuple[str, ...] = (),
) -> Path:
    """Return the file that a preset name or a path means, or raise naming what there is.

    `without_file`: further names, which the caller has answered.
    """
    if not isinstance(given, (str, Path)) or not str(given).strip():
        raise ParameterError(kind, f"={given!r}: must be a preset name or a path")
    try:
        path = Path(given).expanduser()
    except RuntimeError:  # ~NAME of nobody
        path = Path(given)
    if path.suffix.lower() in suffixes and is_file(path):
        return path
    if path.name == str(given):
        for suffix in suffixes:
            preset = folder / (path.stem + suffix)
            if path.suffix.lower() in ("", suffix) and is_file(preset):
                return preset
    names = (*without_file, *_names(folder, suffixes))
    allowed = f"a {' or '.join(suffixes)} file or one of {', '.join(names)}"
    missing = "; there is no such file" if path.suffix.lower() in suffixes else ""
    raise ParameterError(kind, f"={str(given)!r}: must be {allowed}{missing}")


def read_yaml(path: Path, repeated: Repeated | None = None) -> object:
    """Return a YAML file's content, or raise naming file and line; `repeated`: parse_yaml."""
    text = read_text(path, largest_bytes=LARGEST_YAML_BYTES)
    return parse_yaml(text, source=path.name, repeated=repeated)


def _names(folder: Path, suffixes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in folder.iterdir() if path.suffix in suffixes))
