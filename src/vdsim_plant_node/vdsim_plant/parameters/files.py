"""Finds vehicle and tyre files by preset name or by path, and loads them.

Presets are installed inside the package: `vdsim_plant/vehicles` and `vdsim_plant/tyres_data`.
"""

from __future__ import annotations

from pathlib import Path

from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.parameters.mapping import from_mapping
from vdsim_plant.parameters.tir_file import load_tir
from vdsim_plant.parameters.tyre import TyreParameters
from vdsim_plant.parameters.vehicle import VehicleParameters
from vdsim_plant.parameters.yaml_text import parse_yaml

_PACKAGE = Path(__file__).resolve().parent.parent
VEHICLE_FOLDER = _PACKAGE / "vehicles"
TYRE_FOLDER = _PACKAGE / "tyres_data"


def vehicle_names() -> tuple[str, ...]:
    """Return the names of the vehicle presets."""
    return tuple(sorted(path.stem for path in VEHICLE_FOLDER.glob("*.yaml")))


def tyre_names() -> tuple[str, ...]:
    """Return the names of the tyre presets."""
    found = [*TYRE_FOLDER.glob("*.yaml"), *TYRE_FOLDER.glob("*.tir")]
    return tuple(sorted(path.stem for path in found))


def load_vehicle(name_or_path: str | Path) -> VehicleParameters:
    """Load a vehicle by preset name (`ioniq5_awd`, `ioniq5_awd.yaml`) or by path."""
    path = _resolve(name_or_path, VEHICLE_FOLDER, (".yaml",), "vehicle", vehicle_names())
    return from_mapping(
        VehicleParameters, parse_yaml(_read(path), source=path.name), source=path.name
    )


def load_tyre(name_or_path: str | Path) -> TyreParameters:
    """Load a tyre by preset name, or by path: YAML (mf96) or `.tir` (PAC2002 / MF 5.2)."""
    path = _resolve(name_or_path, TYRE_FOLDER, (".yaml", ".tir"), "tyre", tyre_names())
    if path.suffix.lower() == ".tir":
        coefficients = load_tir(_read(path), source=path.name)
        return TyreParameters(
            name=path.stem,
            description=f"PAC2002 coefficients of {path.name}",
            model="pac2002",
            rolling_resistance=coefficients.rolling_resistance,
            tir=coefficients,
        )
    return from_mapping(TyreParameters, parse_yaml(_read(path), source=path.name), source=path.name)


def _resolve(
    given: str | Path, folder: Path, suffixes: tuple[str, ...], kind: str, names: tuple[str, ...]
) -> Path:
    if not isinstance(given, (str, Path)) or not str(given).strip():
        raise ParameterError(kind, f"={given!r}: must be a preset name or a path")
    path = Path(given).expanduser()
    if path.suffix.lower() in suffixes and path.is_file():
        return path
    if path.name == str(given):
        for suffix in suffixes:
            preset = folder / (path.stem + suffix)
            if path.suffix.lower() in ("", suffix) and preset.is_file():
                return preset
    raise ParameterError(
        kind,
        f"={str(given)!r}: must be a {' or '.join(suffixes)} file or one of {', '.join(names)}",
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ParameterError("file", f"cannot be read: {error}", source=path.name) from None
