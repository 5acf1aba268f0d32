"""The files of the dashboard, read from the package once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files

PAGE = "index.html"
_KINDS = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True)
class Asset:
    """One file as it is served."""

    content: bytes
    kind: str
    tag: str
    """Changes with the content."""


def load_assets() -> dict[str, Asset]:
    """Every file of the dashboard by its name."""
    found = {}
    for entry in (files(__package__) / "web").iterdir():
        kind = _KINDS.get(entry.name.rpartition(".")[2])
        if kind is not None:
            content = entry.read_bytes()
            tag = hashlib.sha256(content).hexdigest()[:16]
            found[entry.name] = Asset(content, kind, f'"{tag}"')
    return found
