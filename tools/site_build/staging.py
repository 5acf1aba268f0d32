"""Pages of the repository -> pages of the site: links that lead out of docs/ get a new target.

On a forge a page links to any file of the repository. On the site a page links to pages; a file
becomes a download, and a folder its name.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import NamedTuple

_LINK = re.compile(r"(?<!!)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")
_IMAGE = re.compile(r"!\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
_FENCE = re.compile(r"^(```|~~~)", re.MULTILINE)


class Staged(NamedTuple):
    """A page of the site, and the files that it offers or shows."""

    text: str
    files: tuple[str, ...]  # below the root of the repository


def stage(text: str, folder: str, pages: Mapping[str, str], is_file: Mapping[str, bool]) -> Staged:
    """Rewrite the links of a page that stands in a folder of the repository.

    `pages` maps a file of the repository to the name of its page; `is_file` tells files (True)
    from folders (False) of the repository, by path.
    """
    files: list[str] = []

    def of_site(target: str) -> str | None:
        """The new target, or None where a link cannot lead."""
        path, mark, anchor = target.partition("#")
        if not path or "://" in path or path.startswith("mailto:"):
            return target
        place = posixpath.normpath(posixpath.join(folder, path))
        if place in pages:
            return f"{pages[place]}.md{mark}{anchor}"
        if is_file.get(place) and not place.endswith(".md"):
            files.append(place)
            return f"files/{place}"
        return None

    def link(match: re.Match[str]) -> str:
        target = of_site(match["target"])
        return match["text"] if target is None else f"[{match['text']}]({target})"

    def image(match: re.Match[str]) -> str:
        return f"![{match['text']}]({of_site(match['target']) or match['target']})"

    parts = _outside_of_fences(text)
    for index in range(0, len(parts), 2):
        parts[index] = _LINK.sub(link, _IMAGE.sub(image, parts[index]))
    return Staged("".join(parts), tuple(dict.fromkeys(files)))


def _outside_of_fences(text: str) -> list[str]:
    """The text in pieces: prose at even places, fenced blocks at odd ones."""
    parts, start, is_inside = [], 0, False
    for match in _FENCE.finditer(text):
        end = match.end() if is_inside else match.start()
        parts.append(text[start:end])
        start, is_inside = end, not is_inside
    return [*parts, text[start:]]
