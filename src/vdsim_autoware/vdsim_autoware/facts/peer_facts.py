"""Facts about a peer, by release: the form of the YAML files of this folder, and their reader.

    peer: Autoware                  its name
    page: docs/autoware.md          the page that is about it
    releases:                       the oldest first
    - name: 0.52.0
      released: '2026-07-13'        or "not read"
      sources:                      what was read: repository, commit, on which day, which parts
      - {repository: autowarefoundation/autoware_launch, commit: ..., read: '2026-11-25', of: ...}
      ...                           any further keys: topics, remaps, sizes, fields of packets

Facts carry over, files do not. What could not be read is "not read" in place of its value, and is
never filled in. A source without a repository (a manual, a page) names itself as `repository` and
its edition as `commit`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from vdsim_protocol.checked_file import FileError, read_yaml

FOLDER = Path(__file__).parent
NOT_READ = "not read"
LONGEST_DAYS = 365
"""A fact that was read longer ago is to be read again."""
_OWN_KEYS = ("name", "released", "sources")


class FactsError(ValueError):
    """A file that does not have the form."""


@dataclass(frozen=True)
class Source:
    """What was read, and when."""

    repository: str
    commit: str
    read: date
    of: str = ""


@dataclass(frozen=True)
class Release:
    """One state of a peer. `facts`: everything else of the file, by its key."""

    name: str
    released: date | None
    sources: tuple[Source, ...]
    facts: Mapping[str, Any]

    @property
    def read(self) -> date:
        """The day on which the oldest of its facts was read."""
        return min(source.read for source in self.sources)

    def get(self, key: str) -> Any:
        """Return a fact; None where it was not read."""
        value = self.facts.get(key, NOT_READ)
        return None if value == NOT_READ else value


@dataclass(frozen=True)
class Peer:
    """Everything that is known about a peer."""

    name: str
    page: str
    releases: tuple[Release, ...]

    @property
    def latest(self) -> Release:
        """The newest state that was read."""
        return self.releases[-1]

    @property
    def read(self) -> date:
        """The day on which the newest state was read."""
        return self.latest.read

    def is_old(self, today: date) -> bool:
        """Whether its newest state was read too long ago."""
        return (today - self.read).days > LONGEST_DAYS

    def checked_against(self) -> str:
        """Return the words of its page."""
        release, source = self.latest, self.latest.sources[0]
        commit = source.commit if " " in source.commit else source.commit[:8]
        return (
            f"Checked against {self.name} {release.name} ({source.repository} {commit}) "
            f"on {self.read}."
        )


def peers(folder: Path = FOLDER) -> tuple[Peer, ...]:
    """Return all peers by name; raises FactsError for a file that does not have the form."""
    found = [load(path) for path in sorted(folder.glob("*.yaml"))]
    return tuple(sorted(found, key=lambda peer: peer.name.lower()))


def peer(name: str) -> Peer:
    """Return the peer of one file."""
    return load(FOLDER / f"{name}.yaml")


def load(path: Path) -> Peer:
    """Read one file."""
    try:
        content = read_yaml(path)
    except FileError as error:
        raise FactsError(f"{path.name}: {error.problem}") from None
    if not isinstance(content, dict):
        raise FactsError(f"{path.name}: must be a mapping with peer, page, releases")
    releases = content.get("releases")
    if not isinstance(releases, list) or not releases:
        raise FactsError(f"{path.name}: releases: must be a list of at least one")
    return Peer(
        _word(content, "peer", path.name),
        _word(content, "page", path.name),
        tuple(_release(item, path.name) for item in releases),
    )


def _release(item: Any, file: str) -> Release:
    name = _word(item, "name", file)
    where = f"{file}: {name}"
    sources = item.get("sources")
    if not isinstance(sources, list) or not sources:
        raise FactsError(f"{where}: sources: must be a list of at least one")
    released = item.get("released")
    return Release(
        name,
        None if released == NOT_READ else _day(item, "released", where),
        tuple(
            Source(
                _word(source, "repository", where),
                _word(source, "commit", where),
                _day(source, "read", where),
                str(source.get("of", "")),
            )
            for source in sources
        ),
        {key: value for key, value in item.items() if key not in _OWN_KEYS},
    )


def _word(item: Any, key: str, where: str) -> str:
    value = item.get(key) if isinstance(item, dict) else None
    if not isinstance(value, str) or not value:
        raise FactsError(f"{where}: {key}={value}: must be text")
    return value


def _day(item: Mapping[str, Any], key: str, where: str) -> date:
    value = item.get(key)
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise FactsError(f"{where}: {key}={value}: must be a day as 2026-11-25") from None
