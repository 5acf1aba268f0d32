"""The files of the dashboard, read from the package once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.abc import Traversable

PAGE = "index.html"
_KINDS = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "txt": "text/plain",
}


@dataclass(frozen=True)
class Vendored:
    """A file of another project, byte for byte as its registry has it."""

    file: str
    package: str
    version: str
    member: str
    """Its name inside the package."""
    licence: str
    sha256: str


_VIEW_LIBRARY = {"package": "three", "version": "0.170.0", "licence": "MIT"}
VENDORED = (
    Vendored(
        file="vendor/three.module.min.js",
        member="build/three.module.min.js",
        sha256="08fd7545d13d2c7fb65ab691530a802dafefd638596501854f267d0fb13c39e7",
        **_VIEW_LIBRARY,
    ),
    Vendored(
        file="vendor/three.LICENSE.txt",
        member="LICENSE",
        sha256="4c40a1ef62450b857c3b2aaf294936304cd552d965fbcd9d32d4c5bcf4ba4454",
        **_VIEW_LIBRARY,
    ),
)
"""What comes from the npm registry; to change a version, replace file and hash."""


@dataclass(frozen=True)
class Asset:
    """One file as it is served."""

    content: bytes
    kind: str
    tag: str
    """Changes with the content."""


def load_assets() -> dict[str, Asset]:
    """Every file of the dashboard by its name, folder included."""
    return dict(_assets(files(__package__) / "web"))


def _assets(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Asset]]:
    for entry in folder.iterdir():
        name = prefix + entry.name
        kind = _KINDS.get(entry.name.rpartition(".")[2])
        if entry.is_dir():
            yield from _assets(entry, f"{name}/")
        elif kind is not None:
            content = entry.read_bytes()
            tag = hashlib.sha256(content).hexdigest()[:16]
            yield name, Asset(content, kind, f'"{tag}"')
