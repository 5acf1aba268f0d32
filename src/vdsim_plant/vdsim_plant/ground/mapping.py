"""Reads a Ground from a mapping or a YAML file, as a server or a scenario gives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from vdsim_plant.ground.description import Ground, polygons_from, x_patches_from
from vdsim_plant.ground.grid import MuGrid, grid_from_csv
from vdsim_plant.ground.heights import HeightGrid, csv_rows
from vdsim_plant.ground.limits import ParameterError, checked_sequence
from vdsim_plant.ground.opencrg import heights_from_crg
from vdsim_plant.ground.shapes import PolygonPatch, SplitMu
from vdsim_plant.parameters.errors import wrong_value
from vdsim_plant.parameters.files import DATA_FOLDER, read_yaml, resolve
from vdsim_plant.parameters.input_file import read_text
from vdsim_plant.parameters.mapping import from_mapping

GROUND_FOLDER = DATA_FOLDER / "grounds"


def load_ground(name_or_path: str | Path, *, base_mu: float | None = None) -> Ground:
    """Load a ground by preset name (`split_mu`) or YAML file; its CSV is found relative to it.

    `base_mu` is for a file that states none; one that does is refused together with it.
    """
    path = resolve(name_or_path, GROUND_FOLDER, (".yaml",), "ground")
    return ground_from_mapping(
        read_yaml(path), source=path.name, folder=path.parent, base_mu=base_mu
    )


def ground_names() -> tuple[str, ...]:
    """Return the names of the ground presets."""
    return tuple(sorted(path.stem for path in GROUND_FOLDER.glob("*.yaml")))


def ground_from_mapping(
    values: object, *, source: str = "", folder: Path = Path(), base_mu: float | None = None
) -> Ground:
    """Build a Ground from `{base_mu, split, grid, x_patches, polygons, transition_m, slope_*,
    heights}`.

    `friction_map_2d` in place of `polygons`: `[{polygon: [[x, y], ...], mu: ...}, ...]`.
    `base_mu` is for values that state none, as in `load_ground`.
    """
    if not isinstance(values, Mapping):
        raise wrong_value("ground", values, "a group of keys").in_file(source)
    if base_mu is not None:
        if "base_mu" in values:
            where = "in the file" if source else "there"
            problem = f"is {where}, and mu={base_mu:g} is given as well: give one of them"
            raise ParameterError("base_mu", problem, source=source)
        values = {**values, "base_mu": base_mu}
    readers: dict[str, Callable[[Any], Any]] = {
        "split": lambda given: from_mapping(SplitMu, given),
        "grid": lambda given: _grid(given, folder),
        "heights": lambda given: _heights(given, folder),
        "x_patches": _x_patches,
        "polygons": _polygons,
    }
    try:
        pieces = {
            key: _within(str(key), readers[key], given) if key in readers else given
            for key, given in values.items()
        }
        if "friction_map_2d" in pieces:
            if "polygons" in pieces:
                raise ParameterError("friction_map_2d", "is given as well as polygons")
            pieces["polygons"] = polygons_from(pieces.pop("friction_map_2d"))
        return from_mapping(Ground, pieces)
    except ParameterError as error:
        raise error.in_file(source) from None


def _within(key: str, read: Callable[[Any], Any], given: object) -> Any:
    try:
        return read(given)
    except ParameterError as error:
        raise error.within(key) from None


def _x_patches(given: object) -> Any:
    return x_patches_from(checked_sequence("", given, "a list of [x0, x1, mu]"), key="")


def _polygons(given: object) -> tuple[PolygonPatch, ...]:
    entries = checked_sequence("", given, "a list of {points_m, mu}")
    return tuple(
        _within(f"[{index}]", lambda item: from_mapping(PolygonPatch, item), entry)
        for index, entry in enumerate(entries)
    )


def _grid(given: object, folder: Path) -> MuGrid:
    if not isinstance(given, Mapping) or "csv" not in given:
        return from_mapping(MuGrid, given)
    options = {key: value for key, value in given.items() if key != "csv"}
    from_csv = grid_from_csv(_csv_text(given, folder), cell_m=1.0)
    return from_mapping(MuGrid, {**options, "values": from_csv.values})


def _heights(given: object, folder: Path) -> HeightGrid:
    if isinstance(given, Mapping) and "crg" in given:
        wrong = [str(key) for key in given if key not in ("crg", "cell_m")]
        if wrong:
            raise ParameterError(wrong[0], "is given as well as crg, whose file states it")
        return heights_from_crg(folder / str(given["crg"]), cell_m=given.get("cell_m", 0.1))
    if not isinstance(given, Mapping) or "csv" not in given:
        return from_mapping(HeightGrid, given)
    options = {key: value for key, value in given.items() if key != "csv"}
    rows = csv_rows(_csv_text(given, folder))
    return from_mapping(HeightGrid, {**options, "values": rows})


def _csv_text(given: Mapping[Any, Any], folder: Path) -> str:
    try:
        return read_text(folder / str(given["csv"]))
    except ParameterError as error:
        raise ParameterError("csv", error.problem) from None
