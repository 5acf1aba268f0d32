"""From an interface's name to its Python class."""

from __future__ import annotations

import importlib
from typing import Any


def get_message(identifier: str) -> Any:
    """Return the class of `package/msg/Name` (or the short `package/Name`)."""
    return _import_interface(identifier, "msg")


def get_service(identifier: str) -> Any:
    """Return the class of `package/srv/Name` (or the short `package/Name`)."""
    return _import_interface(identifier, "srv")


def get_action(identifier: str) -> Any:
    """Return the class of `package/action/Name` (or the short `package/Name`)."""
    return _import_interface(identifier, "action")


def get_interface(identifier: str) -> Any:
    """Return the class of a three-part name of any kind."""
    parts = identifier.split("/")
    if len(parts) != 3:
        raise ValueError(f"Expected the full name of an interface, got '{identifier}'")
    return _import_interface(identifier, parts[1])


def _import_interface(identifier: str, kind: str) -> Any:
    """Import a class; raise ValueError, ModuleNotFoundError or AttributeError as upstream does."""
    package, _, rest = identifier.partition("/")
    folder, _, name = rest.rpartition("/")
    if not package or not name or (folder or kind) != kind:
        raise ValueError(f"'{identifier}' is not of the form 'package/{kind}/Name'")
    try:
        module = importlib.import_module(f"{package}.{kind}")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"No package '{package}' with {kind} interfaces") from error
    try:
        return getattr(module, name)
    except AttributeError as error:
        raise AttributeError(f"Package '{package}' has no {kind} '{name}'") from error
