"""The prefix that ROS 2 finds the packages in: Python modules, interface files, index entries."""

from __future__ import annotations

import os
import shutil
import sysconfig
from pathlib import Path

from workspace.wheel_route.messages.generate import ENTRY_POINT, TYPE_SUPPORTS, Workspace
from workspace.wheel_route.messages.packages import InterfacePackage

LIBRARY = Path("lib") / "libworkspace_interfaces.so"


def site_packages(prefix: Path) -> Path:
    """The folder for Python modules of a prefix."""
    return Path(sysconfig.get_path("purelib", vars={"base": str(prefix), "platbase": str(prefix)}))


def install(space: Workspace, prefix: Path) -> None:
    """Write everything but the library."""
    for package in space.packages:
        _install_module(space, package, prefix)
        _install_interfaces(space, package, prefix)
        _register(package, prefix)


def _install_module(space: Workspace, package: InterfacePackage, prefix: Path) -> None:
    module = site_packages(prefix) / package.name
    generated = space.output(package, "rosidl_generator_py")
    shutil.copytree(generated, module, ignore=shutil.ignore_patterns("*.c", "arguments.json"))
    (module / "__init__.py").touch()
    link = module / f"{package.name}_s__{ENTRY_POINT}.so"
    link.symlink_to(os.path.relpath(prefix / LIBRARY, module))
    for name in TYPE_SUPPORTS:  # looked up by this name on the library path
        (prefix / "lib" / f"lib{package.name}__{name}.so").symlink_to(LIBRARY.name)


def _install_interfaces(space: Workspace, package: InterfacePackage, prefix: Path) -> None:
    share = prefix / "share" / package.name
    descriptions = space.output(package, "rosidl_generator_type_description")
    for interface in package.interfaces:
        folder = share / interface.parent
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(package.folder / interface, folder / interface.name)
        for file in (
            space.idl(package, interface),
            descriptions / interface.with_suffix(".json"),
        ):
            shutil.copyfile(file, folder / file.name)
    shutil.copyfile(package.folder / "package.xml", share / "package.xml")


def _register(package: InterfacePackage, prefix: Path) -> None:
    """Entries of the ament index."""
    files = [str(path) for path in package.interfaces]
    files += [str(path.with_suffix(".idl")) for path in package.interfaces]
    entries = {"packages": "", "rosidl_interfaces": "\n".join(sorted(files))}
    for kind, content in entries.items():
        folder = prefix / "share" / "ament_index" / "resource_index" / kind
        folder.mkdir(parents=True, exist_ok=True)
        (folder / package.name).write_text(content, encoding="utf-8")
