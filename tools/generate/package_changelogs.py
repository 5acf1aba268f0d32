"""CHANGELOG.rst of each package (REP 132), which bloom puts into binary packages.

The source is CHANGELOG.md. The packages share one version, so they share its list. bloom reads the
versions with a date, `## 1.2.3 - YYYY-MM-DD`; `## Unreleased` becomes its *Forthcoming*. Only a
release needs these files: `./ws generate --release` writes them, and none is committed.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

_VERSION = re.compile(r"(?P<version>\d+\.\d+\.\d+)(?: - (?P<date>\d{4}-\d\d-\d\d))?$")
_LINK = re.compile(r"\[(?P<text>[^]]+)\]\((?P<target>[^)]+)\)")
_CODE = re.compile(r"`([^`]+)`")
_REFERENCE = re.compile(r"(?<=\w)_(?!\w)")  # in reStructuredText, name_ is a reference


def changelog_rst(package: str, markdown: str) -> str:
    """The changelog of a package, from the text of CHANGELOG.md."""
    title = f"Changelog for package {package}"
    lines = ["^" * len(title), title, "^" * len(title), ""]
    lines += ["The packages of vdsim are released together, with one version and one list.", ""]
    _, _, releases = markdown.partition("\n## ")
    for line in f"## {releases}".splitlines():
        lines += _converted(line)
    return "\n".join(lines).rstrip() + "\n"


def _converted(line: str) -> list[str]:
    if line.startswith("## "):
        heading = _heading(line.removeprefix("## "))
        return [heading, "-" * len(heading)]
    if line.startswith("### "):
        return [f"**{line.removeprefix('### ')}**"]
    text = _inline(line)
    return [f"* {text.removeprefix('- ')}"] if line.startswith("- ") else [text]


def _heading(text: str) -> str:
    if text == "Unreleased":
        return "Forthcoming"
    match = _VERSION.match(text)
    if match is None:
        raise ValueError(f"CHANGELOG.md: ## {text}: must be Unreleased or 1.2.3 - YYYY-MM-DD")
    return f"{match['version']} ({match['date']})" if match["date"] else match["version"]


def _inline(line: str) -> str:
    """Code, links and text of one line; code and links do not continue on the next one."""
    parts = _CODE.split(line)
    for index, part in enumerate(parts):
        if index % 2:
            parts[index] = f"``{part}``"
        else:
            escaped = _REFERENCE.sub(r"\\_", part)
            parts[index] = _LINK.sub(_link, escaped)
    return "".join(parts)


def _link(match: re.Match[str]) -> str:
    if "://" in match["target"]:
        return f"`{match['text']} <{match['target']}>`__"
    return match["text"]  # a page of the repository, which the package alone does not have


def write_changelogs(root: Path) -> list[str]:
    """Write the changelogs of a release; return their paths.

    ValueError where CHANGELOG.md has no heading with a date for the version of the packages.
    """
    manifests = {path.parent.name: path for path in sorted(root.glob("src/*/package.xml"))}
    versions = {ElementTree.parse(path).findtext("version") for path in manifests.values()}
    if len(versions) != 1:
        found = ", ".join(sorted(map(str, versions)))
        raise ValueError(f"package.xml: versions {found}: must be one version for all packages")
    (version,) = versions
    markdown = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(
        rf"^## {re.escape(str(version))} - \d{{4}}-\d\d-\d\d$", markdown, re.MULTILINE
    ):
        needed = f"needs ## {version} - YYYY-MM-DD"
        raise ValueError(f"CHANGELOG.md: version {version} of the packages {needed}")
    texts = {name: changelog_rst(name, markdown) for name in manifests}
    for name, text in texts.items():
        manifests[name].with_name("CHANGELOG.rst").write_text(text, encoding="utf-8")
    return [f"src/{name}/CHANGELOG.rst" for name in texts]
