"""The interface packages in the source tree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

KINDS = ("msg", "srv", "action")


@dataclass(frozen=True)
class InterfacePackage:
    """One package, and its interfaces as paths below its folder: `msg/SafeCommand.msg`."""

    folder: Path
    name: str
    depends: tuple[str, ...]
    interfaces: tuple[Path, ...]


def read(folder: Path) -> InterfacePackage:
    """Read the package in `folder`."""
    root = ElementTree.parse(folder / "package.xml").getroot()
    found = [path for kind in KINDS for path in sorted((folder / kind).glob(f"*.{kind}"))]
    return InterfacePackage(
        folder=folder,
        name=(root.findtext("name") or folder.name).strip(),
        depends=tuple((depend.text or "").strip() for depend in root.iter("depend")),
        interfaces=tuple(path.relative_to(folder) for path in found),
    )


def in_order(packages: list[InterfacePackage]) -> list[InterfacePackage]:
    """Each package after those that it depends on."""
    ordered: list[InterfacePackage] = []
    waiting = sorted(packages, key=lambda package: package.name)
    while waiting:
        names = {package.name for package in waiting}
        ready = [package for package in waiting if not names & set(package.depends)]
        if not ready:
            raise ValueError(f"{', '.join(sorted(names))}: depend on each other")
        ordered += ready
        waiting = [package for package in waiting if package not in ready]
    return ordered
