"""`vdsim_fmu`: makes an FMU of a car, for co-simulation by FMI 3.0 or 2.0; no Python inside."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from vdsim_plant.cli.c_compiler import find_compiler, shared_library
from vdsim_plant.cli.console import finish
from vdsim_plant.fmu.archive import VERSIONS, archived, fmu_files, identifier_of
from vdsim_plant.fmu.libraries import library_name
from vdsim_plant.ground import flat, ground_names, load_ground
from vdsim_plant.parameters import ParameterError, load_tyre, load_vehicle, tyre_names
from vdsim_plant.parameters.substep import COARSE_SUBSTEP_S, check_substep
from vdsim_plant.vehicle import LEVELS, Vehicle


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 2 after one line about what is wrong."""
    parser = argparse.ArgumentParser(prog="vdsim_fmu", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    export = commands.add_parser("export", help="write a car as an FMU")
    export.add_argument("vehicle", help="preset name or path of a vehicle file")
    export.add_argument("--out", type=Path, help="file to write; default: VEHICLE.fmu")
    export.add_argument("--fmi", choices=VERSIONS, default="3.0", help="version; default: 3.0")
    export.add_argument("--tyre", help=f"a tyre file or one of {', '.join(tyre_names())}")
    export.add_argument("--ground", help=f"a ground file or one of {', '.join(ground_names())}")
    export.add_argument(
        "--level",
        choices=LEVELS,  # l3 too: what refuses it says why
        default="l2",
        metavar="{" + ",".join(level for level in LEVELS if level != "l3") + "}",
        help="level of detail; default: l2",
    )
    export.add_argument(
        "--substep",
        type=float,
        default=5e-4,
        metavar="S",
        help=f"fixed step [s], up to {COARSE_SUBSTEP_S:g}; default: 0.0005",
    )
    export.add_argument(
        "--limit-to-motor",
        action="store_true",
        help="force and torques are reduced to what the motor gives",
    )
    export.add_argument(
        "--sources-only",
        action="store_true",
        help="C sources without a binary: the importing tool compiles them",
    )
    export.add_argument("--compiler", help="C compiler; default: $CC, cc, gcc or clang")
    options = parser.parse_args(arguments)
    return finish("vdsim_fmu", lambda: print(_export(options)))


def _export(options: argparse.Namespace) -> str:
    compiler = None if options.sources_only else find_compiler(options.compiler)
    check_substep("--substep", options.substep, allow=None)
    parameters = load_vehicle(options.vehicle)
    vehicle = Vehicle(
        parameters,
        load_tyre(options.tyre or parameters.axles.tyre),
        flat() if options.ground is None else load_ground(options.ground),
        level=options.level,
        substep_s=options.substep,
        limit_to_motor=options.limit_to_motor,
    )
    files = fmu_files(vehicle, options.fmi)
    identifier = identifier_of(vehicle)
    inside = "C sources"
    if compiler is not None:
        sources = {
            name.removeprefix("sources/"): content
            for name, content in files.items()
            if name.startswith("sources/")
        }
        library = library_name(options.fmi, identifier)
        files[library] = shared_library(compiler, sources)
        inside = f"C sources and {library}"
    out: Path = options.out or Path(f"{parameters.name}.fmu")
    try:
        out.write_bytes(archived(files))
    except OSError as error:
        raise ParameterError("out", f"={out}: {error.strerror}") from None
    return f"{out}: FMI {options.fmi} for co-simulation, with {inside}"
