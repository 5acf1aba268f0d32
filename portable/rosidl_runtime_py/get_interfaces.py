"""The interfaces that installed packages registered in the ament index."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from ament_index_python.resources import get_resource, get_resources

RESOURCE_TYPE = "rosidl_interfaces"
SOURCE_SUFFIXES = {"msg": ".msg", "srv": ".srv", "action": ".action"}


def get_interface_packages() -> dict[str, str]:
    """Return every package that provides interfaces, with its prefix."""
    packages: dict[str, str] = get_resources(RESOURCE_TYPE)
    return packages


def get_interfaces(package_names: Iterable[str] = ()) -> dict[str, list[str]]:
    """Return `kind/Name` of every interface of the packages (of all packages when none is given).

    Raises LookupError for a package without interfaces.
    """
    names = list(package_names) or sorted(get_interface_packages())
    return {name: _interfaces_of(name) for name in names}


def get_message_interfaces(package_names: Iterable[str] = ()) -> dict[str, list[str]]:
    """Return the messages of the packages that have any."""
    return _of_kind("msg", package_names)


def get_service_interfaces(package_names: Iterable[str] = ()) -> dict[str, list[str]]:
    """Return the services of the packages that have any."""
    return _of_kind("srv", package_names)


def get_action_interfaces(package_names: Iterable[str] = ()) -> dict[str, list[str]]:
    """Return the actions of the packages that have any."""
    return _of_kind("action", package_names)


def get_interface_path(interface_name: str) -> str:
    """Return the file that defines `package/kind/Name`; raise ValueError or LookupError."""
    parts = interface_name.split("/")
    if len(parts) != 3 or not all(parts):
        raise ValueError(f"Invalid name '{interface_name}'. Expected three parts separated by '/'")
    package, kind, name = parts
    try:
        share = Path(get_package_share_directory(package))
    except LookupError as error:
        raise LookupError(f"Unknown package '{package}'") from error
    path = share / kind / (name + SOURCE_SUFFIXES.get(kind, ".idl"))
    if not path.is_file():
        raise LookupError(f"Could not find the interface '{path}'")
    return str(path)


def _of_kind(kind: str, package_names: Iterable[str]) -> dict[str, list[str]]:
    chosen = {
        package: [name for name in names if name.startswith(f"{kind}/")]
        for package, names in get_interfaces(package_names).items()
    }
    return {package: names for package, names in chosen.items() if names}


def _interfaces_of(package: str) -> list[str]:
    """Return the interfaces of one package; the index lists the .idl and the source of each."""
    try:
        content, _ = get_resource(RESOURCE_TYPE, package)
    except LookupError as error:
        raise LookupError(f"Unknown package '{package}'") from error
    paths = (Path(line) for line in content.splitlines() if line.endswith(".idl"))
    return sorted({f"{path.parent.as_posix()}/{path.stem}" for path in paths})
