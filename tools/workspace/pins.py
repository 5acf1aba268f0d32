"""Pinned requirements and the SHA-256 of every file that pip may install for them.

`tools/requirements/hashes.txt` is written by `./ws pins`; pip gets its lines as constraints, so
that a requirement file stays a list of versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from workspace.layout import WorkspaceError

HASHES = "hashes.txt"
_PIN = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;]+)\s*(?:;\s*(.*))?$")
_PLATFORM = re.compile(r"any|(many)?linux.*_(x86_64|aarch64)")
_PYTHONS = ("cp310", "cp311", "cp312", "cp313", "cp314")


def name_of(package: str) -> str:
    """The normalised name of a package."""
    return re.sub(r"[-_.]+", "-", package).lower()


def pins_of(files: Iterable[Path]) -> dict[str, str]:
    """`name==version` of each requirement -> its marker, which is empty for most."""
    found: dict[str, str] = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            match = _PIN.match(line)
            if match:
                package, version, marker = match.groups()
                found[f"{name_of(package)}=={version}"] = marker or ""
    return found


def requirement_files(folder: Path) -> list[Path]:
    """Every file of pins in a folder."""
    return sorted(file for file in folder.glob("*.txt") if file.name != HASHES)


def is_usable(file: str) -> bool:
    """Whether pip could choose this file on Linux with a Python that is supported."""
    if not file.endswith(".whl"):
        return file.endswith(".tar.gz")
    python, abi, platform = file[: -len(".whl")].split("-")[-3:]
    if not _PLATFORM.fullmatch(platform) or abi.endswith("t"):
        return False
    return "py3" in python or python in _PYTHONS or abi == "abi3"


def read(path: Path) -> dict[str, dict[str, str]]:
    """`name==version` -> file -> SHA-256."""
    found: dict[str, dict[str, str]] = {}
    files: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            digest, file = line.split()
            files[file] = digest
        elif line and not line.startswith("#"):
            files = found.setdefault(line, {})
    return found


def text(hashes: Mapping[str, Mapping[str, str]]) -> str:
    """Return the content of hashes.txt."""
    lines = ["# The SHA-256 of every file that pip may install, written by `./ws pins`."]
    for pin in sorted(hashes):
        lines.append(pin)
        lines += [f"  {digest}  {file}" for file, digest in sorted(hashes[pin].items())]
    return "\n".join(lines) + "\n"


def options(folder: Path, files: Iterable[Path], target: Path) -> list[str]:
    """Return the options with which pip installs nothing that has another hash.

    They hold for what a source package is built with, too. Writes the constraints to `target`.
    """
    _write(target, _constraints(folder, files))
    build = target.with_name(f"build-{target.name}")
    _write(build, _constraints(folder, [folder / "build.txt"]))
    return ["--require-hashes", "--constraint", str(target), "--build-constraint", str(build)]


def options_beside_others(folder: Path, files: Iterable[Path], target: Path) -> list[str]:
    """As `options`; but a package that is installed already keeps its version."""
    lines = _constraints(folder, files)
    _write(target, [re.sub(r"==[^\s;]+", "", line, count=1) for line in lines])
    return ["--require-hashes", "--constraint", str(target)]


def pinned(folder: Path, file: Path, target: Path) -> Path:
    """Write the requirements of `file` with their hashes, which an old pip can read too."""
    _write(target, _constraints(folder, [file]))
    return target


def _constraints(folder: Path, files: Iterable[Path]) -> list[str]:
    hashes = read(folder / HASHES)
    lines = []
    for pin, marker in pins_of(files).items():
        if not hashes.get(pin):
            raise WorkspaceError(f"{HASHES} has no entry for {pin}: run ./ws pins")
        digests = " ".join(f"--hash=sha256:{digest}" for digest in hashes[pin].values())
        lines.append(f"{pin}{f'; {marker}' if marker else ''} {digests}")
    return lines


def _write(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
