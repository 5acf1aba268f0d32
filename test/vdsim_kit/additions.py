"""One addition for each row of "To add X, touch Y" in docs/architecture.md.

An addition is what somebody would write: pieces of text, each put before what stands in a file.
`rows` reads the table; `made` makes all of them in a copy of the repository, one after the other.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/architecture.md"
INTERFACE = "src/vdsim_interface/vdsim_interface"
PACKAGES = tuple(sorted(path.parent.name for path in (ROOT / "src").glob("*/setup.py")))
_PATH = re.compile(r"\w[\w./*-]*(\.(py|md|js|json|yaml|c)|/)")
LEFT_OUT = shutil.ignore_patterns(".git", ".ros", ".*_cache", "__pycache__", "build", "dist")


class Put(NamedTuple):
    """`text` before what stands once in a file, or at its end; one that is not there is begun."""

    file: str
    place: str
    text: str


class Addition(NamedTuple):
    """What is added. `row`: its row of the table; `put`: what is written.

    `makes`: the generated files that change with it, and what of it then stands in each. `tests`:
    what must pass, those that the row names and those that would notice a file that it does not
    name. `spared`: files that the row names for another case than this one, or that the user of
    this one is in. `commands`: words for Python that must end with 0.
    """

    row: str
    put: tuple[Put, ...]
    makes: dict[str, str]
    tests: tuple[str, ...]
    spared: tuple[str, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()


class Row(NamedTuple):
    """A row of the table: what is to be touched, and what follows."""

    name: str
    touch: str
    then: str

    @property
    def words(self) -> tuple[str, ...]:
        """What stands in backticks."""
        return tuple(re.findall(r"`([^`]+)`", self.touch))

    @property
    def pages(self) -> tuple[str, ...]:
        """The pages of what follows."""
        return tuple(re.findall(r"docs/[\w.-]+", self.then))

    def names(self, file: str) -> bool:
        """Whether it names a file, by itself, its folder, its pattern, or in a package of its own.

        A row that says `cli/` and `setup.py` without a package means that of the addition.
        """
        for word, path in self.paths.items():
            if path is not None:
                place = str(path.relative_to(ROOT))
                if fnmatchcase(file, place) or file.startswith(f"{place.rstrip('/')}/"):
                    return True
            if file.endswith(f"/{word}") or (word.endswith("/") and f"/{word}" in file):
                return True
        return False

    def alike(self, files: set[str]) -> set[str]:
        """The files of its words without a package, where the addition has one in its own."""
        return {
            str(path.relative_to(ROOT))
            for word, path in self.paths.items()
            if path is not None
            and any(file.endswith(f"/{word}") or f"/{word}" in file for file in files)
        }

    @property
    def paths(self) -> dict[str, Path | None]:
        """The file or folder of each word that names one; None: there is no such file."""
        paths: dict[str, Path | None] = {}
        near = ROOT
        for word in (*self.words, *re.findall(r"docs/[\w.-]*", self.touch)):
            if _PATH.fullmatch(word):
                paths[word] = found = _found(word, near)
                near = near if found is None else found.parent
        return paths


def rows() -> dict[str, Row]:
    """The table, by name."""
    text = PAGE.read_text(encoding="utf-8")
    part = text.split("## To add X, touch Y", 1)[1].split("\n## ", 1)[0]
    lines = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("| ")]
    found = [Row(*(cell.strip(" |") for cell in (*cells, "")[:3])) for cells in lines[1:]]
    return {row.name: row for row in found}


def _found(word: str, near: Path) -> Path | None:
    package = word.partition("/")[0]
    places = [ROOT / word, ROOT / INTERFACE / word, near / word, near.parent / word]
    if package in PACKAGES:
        places.append(ROOT / "src" / package / word)
    places += [ROOT / "src" / name / name / word for name in PACKAGES]
    for place in places:
        if "*" in word and list(place.parent.glob(place.name)):
            return place
        if place.exists():
            return place
    tests = [path for path in _tests() if path.name == word]
    kits = [ROOT / "src" / name / word for name in PACKAGES]
    return next((path for path in (*tests, *kits) if path.exists()), None)


def _tests() -> Iterator[Path]:
    for folder in ("src", "test", "simulate", "campaign"):
        yield from (ROOT / folder).rglob("test_*.py")


def copied(folder: Path) -> Path:
    """A copy of the repository that may be changed."""
    copy = folder / "copy"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=LEFT_OUT)
    return copy


def made(addition: Addition, copy: Path) -> None:
    """Make an addition in the copy."""
    for put in addition.put:
        file = copy / put.file
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        assert text.count(put.place) == 1 or not put.place, (put.file, put.place)
        new = text.replace(put.place, put.text + put.place, 1) if put.place else text + put.text
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(new, encoding="utf-8")
