"""Which keys of package.xml the database of rosdep has, read from a clone of ros/rosdistro.

./ws python tools/workspace/rosdep_keys.py CLONE

What was found is kept in test/data/rosdep_keys.yaml with commit and day, and a test compares every
package.xml with it. The rules of extras/rosdep.yaml are ours.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import yaml

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "test/data/rosdep_keys.yaml"
OWN_RULES = ROOT / "extras/rosdep.yaml"
DISTROS = ("humble", "jazzy", "kilted")
FILES = ("base.yaml", "python.yaml")
UBUNTU = {"humble": "jammy", "jazzy": "noble", "kilted": "noble"}


def package_files(root: Path = ROOT) -> list[Path]:
    """Every package.xml that a user builds."""
    folders = ("src", "examples", "extras")
    return sorted(path for name in folders for path in (root / name).rglob("package.xml"))


def needed(files: Iterable[Path]) -> dict[str, set[str]]:
    """The keys that these files name, and the packages that name each; not these packages."""
    keys: dict[str, set[str]] = {}
    names: set[str] = set()
    for path in files:
        tree = ElementTree.parse(path).getroot()
        name = tree.findtext("name") or ""
        names.add(name)
        for item in tree:
            if item.tag == "depend" or item.tag.endswith("_depend"):
                keys.setdefault((item.text or "").strip(), set()).add(name)
    return {key: by for key, by in sorted(keys.items()) if key not in names}


def released(distribution: dict[str, Any]) -> set[str]:
    """The packages that a distribution releases."""
    found: set[str] = set()
    for name, repository in distribution["repositories"].items():
        if "release" in repository:
            found |= set(repository["release"].get("packages", [name]))
    return found


def has_rule(rule: Any, codename: str) -> bool:
    """Whether a rule of rosdep says anything for this Ubuntu."""
    if not isinstance(rule, dict) or "ubuntu" not in rule:
        return False
    found = rule["ubuntu"]
    if isinstance(found, dict) and ("*" in found or codename in found):
        found = found.get(codename, found.get("*"))
        return found is not None
    return bool(found)


def known(clone: Path, distro: str) -> set[str]:
    """The keys that a distribution and its Ubuntu have."""
    rules: dict[str, Any] = {}
    for name in FILES:
        rules |= _read(clone / "rosdep" / name)
    found = {key for key, rule in rules.items() if has_rule(rule, UBUNTU[distro])}
    return found | released(_read(clone / distro / "distribution.yaml"))


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return content


def main(arguments: list[str]) -> int:
    """Read a clone and store what it has of our keys; 1 where a key has no rule at all."""
    if len(arguments) != 1 or not (Path(arguments[0]) / "rosdep").is_dir():
        print("usage: rosdep_keys.py CLONE    a clone of ros/rosdistro with its work tree")
        return 2
    clone = Path(arguments[0])
    keys = needed(package_files())
    commit = subprocess.run(
        ["git", "-C", str(clone), "rev-parse", "HEAD"], text=True, check=True, capture_output=True
    ).stdout.strip()
    found = {distro: sorted(set(keys) & known(clone, distro)) for distro in DISTROS}
    content = {"repository": "ros/rosdistro", "commit": commit, "read": date.today(), **found}
    DATA.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    everywhere = set.intersection(*(set(found[distro]) for distro in DISTROS))
    missing = {key: by for key, by in keys.items() if key not in everywhere | set(_read(OWN_RULES))}
    for key, by in missing.items():
        print(f"{key}: no rule; named by {', '.join(sorted(by))}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
