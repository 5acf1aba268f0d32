"""`vdsim_vehicle import`: VDSim's flat vehicle or tyre YAML -> files of this plant."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from vdsim_plant.conversion import convert_tyre, convert_vehicle, read_flat
from vdsim_plant.conversion.flat_file import FlatFile
from vdsim_plant.conversion.written import property_text, tyre_text, vehicle_text
from vdsim_plant.parameters import load_tyre, load_vehicle
from vdsim_plant.parameters.errors import ParameterError

_RADIUS_OF_A_TYRE_ALONE_M = 0.33
"""Of the property file of a tyre that is converted without a vehicle; no force depends on it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the subcommand."""
    parser.add_argument("file", type=Path, help="flat vehicle or tyre YAML of VDSim")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the file to write, .yaml")
    parser.add_argument("--tyre", type=Path, help="tyre YAML, instead of the vehicle's tire_yaml")
    parser.add_argument(
        "--ignore", action="append", default=[], metavar="KEY", help="leave an unknown key out"
    )
    parser.add_argument("--force", action="store_true", help="write over existing files")


def import_files(options: argparse.Namespace) -> str:
    """Convert, write, read the result back; return what was done, for people."""
    output: Path = options.output
    if output.suffix != ".yaml":
        raise ParameterError("output", f"={str(output)!r}: must be a .yaml file")
    flat = read_flat(options.file, ignore=options.ignore)
    tyre_yaml = output.with_name(f"{output.stem}_tyre.yaml")
    if flat.kind == "tyre":
        if options.tyre is not None:
            raise ParameterError("tyre", f"={str(options.tyre)!r}: {flat.path.name} is a tyre")
        tyre_yaml = output
    tyre_flat = _tyre_of(flat, options.tyre, options.ignore)
    property_file = tyre_yaml.with_suffix(".tir")
    radius_m = flat.values.get("wheel_radius_nominal", _RADIUS_OF_A_TYRE_ALONE_M)
    tyre = convert_tyre(tyre_flat, radius_m)
    source = tyre_flat.path.name
    texts = {
        property_file: property_text(tyre, source),
        tyre_yaml: tyre_text(
            tyre, name=tyre_yaml.stem, source=source, property_file=property_file.name
        ),
    }
    notes = tyre.notes
    if flat.kind == "vehicle":
        vehicle = convert_vehicle(flat, tyre, tyre_yaml.name)
        texts[output] = vehicle_text(vehicle, name=output.stem, source=flat.path.name)
        notes = vehicle.notes
    _write(texts, force=options.force)
    load_tyre(tyre_yaml)
    if flat.kind == "vehicle":
        load_vehicle(output)
    done = [f"{path}: written" for path in texts]
    return "\n".join([*done, *(f"note: {note}" for note in notes)])


def _tyre_of(flat: FlatFile, given: Path | None, ignore: Sequence[str]) -> FlatFile:
    if flat.kind == "tyre":
        return flat
    path = given
    if path is None:
        named = flat.values["tire_yaml"]
        if not named:
            problem = "missing: name the tyre's file with --tyre"
            raise ParameterError("tire_yaml", problem, source=flat.path.name)
        path = _found(flat.path, named)
    tyre = read_flat(path, ignore=ignore)
    if tyre.kind != "tyre":
        raise ParameterError("tyre", f"={str(path)!r}: must be a tyre file", source=flat.path.name)
    return tyre


def _found(vehicle: Path, named: str) -> Path:
    """The tyre of a vehicle: named from its folder, or from one of the folders above it."""
    for folder in vehicle.resolve().parents[:3]:
        if (folder / named).is_file():
            return folder / named
    problem = f"={named!r}: no such file from {vehicle.parent} upwards; --tyre FILE names it"
    raise ParameterError("tire_yaml", problem, source=vehicle.name)


def _write(texts: dict[Path, str], *, force: bool) -> None:
    for path in texts:
        if path.exists() and not force:
            raise ParameterError("output", f"={str(path)!r}: exists; --force writes over it")
    for path, text in texts.items():
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            problem = f"={str(path)!r}: cannot be written: {error.strerror}"
            raise ParameterError("output", problem) from None
