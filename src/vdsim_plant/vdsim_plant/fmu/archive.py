"""A car as the files of an FMU, and those files as CAR.fmu."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

from vdsim_plant.fmu.car_data import data_text, digest_token, equations_text, tables_text
from vdsim_plant.fmu.description import About, build_description, model_description
from vdsim_plant.fmu.variables import variables_of
from vdsim_plant.vehicle import Vehicle

VERSIONS = ("3.0", "2.0")
_SHIPPED = Path(__file__).resolve().parent.parent / "data" / "fmi"
_SHARED = ("vdsim_kernel.c", "vdsim_car.c", "vdsim_car.h", "fmi_common.h")
_ANY_DATE = (1980, 1, 1, 0, 0, 0)  # the same car gives the same bytes


def fmu_files(vehicle: Vehicle, version: str = "3.0") -> dict[str, bytes]:
    """Return the files of the FMU of a car on its road: description and C sources."""
    variables = variables_of(vehicle)
    shipped = {
        name: (_SHIPPED / name).read_text(encoding="utf-8")
        for name in (*_SHARED, f"fmi{version[0]}.c")
    }
    equations, data = equations_text(vehicle), data_text(vehicle, variables)
    untitled = tables_text(vehicle, variables, "")
    token = digest_token([*shipped.values(), equations, data, untitled])
    texts = {
        **shipped,
        "vdsim_equations.h": equations,
        "vdsim_tables.c": data,
        "vdsim_tables.h": tables_text(vehicle, variables, token),
    }
    about = _about(vehicle, token)
    files = {f"sources/{name}": text.encode() for name, text in texts.items()}
    files["modelDescription.xml"] = model_description(version, about, variables)
    if version == "3.0":
        files["sources/buildDescription.xml"] = build_description(about)
    return files


def token_of(files: Mapping[str, bytes]) -> str:
    """Return the token that an importer has to give to instantiate the car of these files."""
    root = ElementTree.fromstring(files["modelDescription.xml"])
    return root.get("instantiationToken") or root.get("guid") or ""


def identifier_of(vehicle: Vehicle) -> str:
    """Return the name of the shared library, without its ending."""
    name = re.sub(r"\W", "_", vehicle.parameters.name, flags=re.ASCII)
    return f"vdsim_{name}"


def archived(files: Mapping[str, bytes]) -> bytes:
    """Return the files as a zip archive; the same files give the same bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, _ANY_DATE), files[name], zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _about(vehicle: Vehicle, token: str) -> About:
    parameters = vehicle.parameters
    return About(
        name=parameters.name,
        identifier=identifier_of(vehicle),
        token=token,
        doc=f"{parameters.description}; tyre {vehicle.tyre.name}, level {vehicle.level}",
        substep_s=vehicle.substep_s,
    )
