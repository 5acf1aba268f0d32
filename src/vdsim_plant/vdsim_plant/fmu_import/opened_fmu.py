"""An FMU file: its description read, its shared library for this machine unpacked."""

from __future__ import annotations

import platform
import shutil
import weakref
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from xml.etree import ElementTree

from vdsim_plant.fmu.libraries import library_name
from vdsim_plant.parameters.errors import ParameterError

LARGEST_BYTES = 2 * 1024**3
"""Of an FMU, unpacked."""

_DESCRIPTION = "modelDescription.xml"
_KINDS = {
    "Float64": "d",
    "Real": "d",
    "Int32": "i",
    "Integer": "i",
    "Boolean": "b",
}


@dataclass(frozen=True)
class ForeignVariable:
    """A variable of the FMU; `kind`: d double, i integer, b truth value, empty: none of these."""

    name: str
    reference: int
    kind: str
    causality: str


@dataclass(frozen=True, kw_only=True)
class OpenedFmu:
    """What is known of an FMU. Its folder is removed when nobody refers to this any more."""

    source: str
    version: str
    token: str
    library: Path
    keeps_state: bool
    variables: Mapping[str, ForeignVariable]


def open_fmu(path: Path) -> OpenedFmu:
    """Read and unpack an FMU for co-simulation, or raise a ParameterError that names the fault."""
    try:
        with zipfile.ZipFile(path) as archive:
            root = ElementTree.fromstring(archive.read(_DESCRIPTION))
            return _opened(path, archive, root)
    except (OSError, zipfile.BadZipFile) as error:
        reason = getattr(error, "strerror", None) or "is no FMU: not a zip archive"
        raise ParameterError("fmu", f"={path}: {reason}") from None
    except (KeyError, ElementTree.ParseError):
        raise ParameterError("fmu", f"={path}: is no FMU: no readable {_DESCRIPTION}") from None


def _opened(path: Path, archive: zipfile.ZipFile, root: ElementTree.Element) -> OpenedFmu:
    stated = root.get("fmiVersion", "")
    version = "3.0" if stated.startswith("3.") else stated
    if version not in ("2.0", "3.0"):
        raise ParameterError("fmu", f"={path}: fmiVersion={stated[:20]!r}: must be 2.0 or 3.0")
    simulation = root.find("CoSimulation")
    if simulation is None:
        raise ParameterError("fmu", f"={path}: must be for co-simulation")
    member = library_name(version, simulation.get("modelIdentifier", ""))
    if member not in archive.namelist():
        system = f"{platform.system()} on {platform.machine()}"
        raise ParameterError("fmu", f"={path}: holds no {member}, the library for {system}")
    if sum(item.file_size for item in archive.infolist()) > LARGEST_BYTES:
        raise ParameterError("fmu", f"={path}: holds more than {LARGEST_BYTES >> 30} GB")
    folder = Path(mkdtemp(prefix="vdsim-fmu-"))
    archive.extractall(folder)  # which keeps every file inside the folder
    state = "FMUState" if version == "3.0" else "FMUstate"
    abilities = (f"canGetAndSet{state}", f"canSerialize{state}")
    opened = OpenedFmu(
        source=str(path),
        version=version,
        token=root.get("instantiationToken" if version == "3.0" else "guid", ""),
        library=folder / member,
        keeps_state=all(simulation.get(ability) in ("true", "1") for ability in abilities),
        variables={item.name: item for item in _variables(root, version)},
    )
    weakref.finalize(opened, shutil.rmtree, folder, ignore_errors=True)
    return opened


def _variables(root: ElementTree.Element, version: str) -> list[ForeignVariable]:
    listed = root.find("ModelVariables")
    found = []
    for item in () if listed is None else listed:
        typed: Any = item
        if version == "2.0":
            typed = next((child for child in item if child.tag in _KINDS), item)
        kind = _KINDS.get(typed.tag, "")
        if item.find("Dimension") is not None:
            kind = ""  # an array
        try:
            reference = int(item.get("valueReference", ""))
        except ValueError:
            continue
        name, causality = item.get("name", ""), item.get("causality", "local")
        found.append(ForeignVariable(name, reference, kind, causality))
    return found
