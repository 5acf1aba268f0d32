"""An FMU file: its description read, its shared library for this machine unpacked."""

from __future__ import annotations

import os
import platform
import shutil
import struct
import weakref
import zipfile
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import Any, BinaryIO
from xml.etree import ElementTree

from vdsim_plant.fmu.libraries import library_name
from vdsim_plant.parameters.checked_file import FileError, open_checked
from vdsim_plant.parameters.errors import ParameterError

LARGEST_BYTES = 2 * 1024**3
"""Of an FMU, unpacked."""

LARGEST_DESCRIPTION_BYTES = 64 << 20
MOST_MEMBERS = 10_000
_LARGEST_DIRECTORY = 8 << 20
_DESCRIPTION = "modelDescription.xml"
_FOLDER = "vdsim-fmu-"
_ENCRYPTED = 0x1
_END_MARK = b"PK\5\6"
_END = struct.Struct("<10sHI")
"""Up to and with how many members the archive has, and the size of its directory."""
_LONGEST_END = 22 + 0xFFFF
_DAMAGED = (
    *(OSError, zipfile.BadZipFile, zlib.error, EOFError, struct.error),
    *(RuntimeError, NotImplementedError, ValueError, OverflowError),
)
"""Whatever zipfile makes of a damaged archive."""
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
        with open_checked(path, largest_bytes=LARGEST_BYTES) as file:
            _check_directory(file)
            with zipfile.ZipFile(file) as archive:
                _check_members(archive)
                root = ElementTree.fromstring(archive.read(_DESCRIPTION))
                return _opened(path, archive, root)
    except ParameterError:
        raise
    except FileError as fault:
        raise ParameterError("fmu", f"={path}: {fault.problem}") from None
    except (KeyError, ElementTree.ParseError):
        raise ParameterError("fmu", f"={path}: is no FMU: no readable {_DESCRIPTION}") from None
    except _DAMAGED as error:
        reason = getattr(error, "strerror", None) or "is no FMU: not a zip archive"
        raise ParameterError("fmu", f"={path}: {reason}") from None


def _check_directory(file: BinaryIO) -> None:
    """Measure the archive's directory, of which zipfile makes an object a member."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _LONGEST_END))
    end = file.read(_LONGEST_END)
    place = end.rfind(_END_MARK)
    if place < 0 or len(end) < place + _END.size:
        raise zipfile.BadZipFile
    _, members_n, directory_bytes = _END.unpack_from(end, place)
    if members_n > MOST_MEMBERS or directory_bytes > _LARGEST_DIRECTORY:
        raise FileError("", "", f"holds more than {MOST_MEMBERS} files")
    file.seek(0)


def _check_members(archive: zipfile.ZipFile) -> None:
    """Refuse what cannot be unpacked, or not within bounds, before anything is."""
    members = archive.infolist()
    for item in members:
        if item.flag_bits & _ENCRYPTED:
            raise FileError("", "", f"{item.filename[:60]!r} is encrypted")
        if item.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            problem = f"compression method {item.compress_type}: must be 0 or 8 (deflate)"
            raise FileError("", "", f"{item.filename[:60]!r} has {problem}")
    if sum(item.file_size for item in members) > LARGEST_BYTES:
        raise FileError("", "", f"holds more than {LARGEST_BYTES >> 30} GB")
    described = archive.getinfo(_DESCRIPTION).file_size
    if described > LARGEST_DESCRIPTION_BYTES:
        problem = f"has more than {LARGEST_DESCRIPTION_BYTES >> 20} MiB"
        raise FileError("", "", f"{_DESCRIPTION} {problem}")


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
    folder = _unpacked(archive)
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


def _unpacked(archive: zipfile.ZipFile) -> Path:
    """Unpack into a folder of this process; none stays behind, also not of a process that died."""
    for left in Path(gettempdir()).glob(f"{_FOLDER}*"):
        with suppress(OSError, ValueError):
            if not _lives(int(left.name.removeprefix(_FOLDER).partition("-")[0])):
                shutil.rmtree(left, ignore_errors=True)
    folder = Path(mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-"))
    try:
        archive.extractall(folder)  # which keeps every file inside the folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder


def _lives(pid: int) -> bool:
    if not Path("/proc/self").exists():
        return True  # not known on this system
    return Path(f"/proc/{pid}").exists()


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
