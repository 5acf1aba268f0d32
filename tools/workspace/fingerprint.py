"""Fingerprints that show whether an environment or a build still matches the sources."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

# The build copies these or generates from them; --symlink-install links to all others, so those
# may change without a build.
_BUILT_NAMES = {"setup.py", "setup.cfg", "package.xml", "CMakeLists.txt", "colcon.meta"}
_BUILT_SUFFIXES = {".msg", ".srv", ".action"}
_SKIPPED_ENDINGS = (".pyc", ".nbi", ".nbc", "~", ".swp")
_SKIPPED_FOLDERS = {"__pycache__", "build", "dist", "test"}


def of_files(paths: Iterable[Path], *extra: str) -> str:
    """Digest of the contents of `paths` and of the texts in `extra`."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    for text in extra:
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()


def of_sources(folders: Iterable[Path], *extra: str) -> str:
    """Digest over the inputs of a build: names of all files, contents of the built ones.

    A file that is installed as its own link (launch files, configuration) counts by name only, so
    that an edit needs no build; modules do not count, because their package is one link. Neither
    the place of the workspace nor the time of a file counts.
    """
    digest = hashlib.sha256()
    for folder in folders:
        for path in _walk(str(folder)):
            digest.update(folder.name.encode() + path[len(str(folder)) :].encode() + b"\0")
            if _is_built(path):
                with open(path, "rb") as file:  # noqa: PTH123 - a Path for each takes longer
                    digest.update(file.read() + b"\0")
    for text in extra:
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()


def _is_built(path: str) -> bool:
    name = os.path.basename(path)  # noqa: PTH119 - see above
    return name in _BUILT_NAMES or os.path.splitext(name)[1] in _BUILT_SUFFIXES  # noqa: PTH122


def _walk(folder: str) -> Iterator[str]:
    """Every file below `folder`, sorted."""
    if os.path.isfile(folder):  # noqa: PTH113
        yield folder
        return
    for base, folders, files in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if name not in _SKIPPED_FOLDERS and not name.endswith(".egg-info") and name[0] != "."
        )
        for file in sorted(files):
            if not file.endswith(_SKIPPED_ENDINGS) and (not _is_module(file) or "/launch" in base):
                yield f"{base}/{file}"


def _is_module(name: str) -> bool:
    return name.endswith(".py") and name not in _BUILT_NAMES
