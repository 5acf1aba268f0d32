"""Checks of launch arguments: a text in, the rule that it breaks out; empty where it is allowed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

from vdsim_protocol.checked_file import is_file, is_folder
from vdsim_protocol.port_rule import NamedPort, equal_ports

from vdsim_interface.parameters.fields import Allowed, Parameters, bounded
from vdsim_interface.parameters.flat import declarations
from vdsim_interface.ros.launching.parameter_files import load

Check: TypeAlias = Callable[[str], str]
_NAMESPACE = re.compile(r"/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*/?")
_PREFIX = re.compile(r"[A-Za-z_][A-Za-z0-9_/]*")
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_WORDS = {float: "a number", int: "a whole number"}


def number(kind: type[float] | type[int], **bounds: float) -> Check:
    """A number within bounds: `above`, `at_least`, `below`, `at_most`."""
    return _number(kind, bounded(bounds))


def _number(kind: type, allowed: Allowed) -> Check:
    def check(text: str) -> str:
        if text in allowed.also:
            return ""
        try:
            value = kind(text)
        except ValueError:
            return allowed.words() if allowed.also else f"must be {_WORDS[kind]}"
        return "" if allowed.holds(value) else allowed.words()

    return check


def like(parameters: Parameters, name: str) -> Check:
    """What a parameter of a node allows."""
    [item] = (item for item in declarations(parameters) if item.name == name)
    if item.kind is not str:
        return _number(item.kind, item.allowed)
    return lambda text: "" if item.allowed.holds(text) else item.allowed.words()


def optional(check: Check) -> Check:
    """The same, or empty."""
    return lambda text: check(text) if text else ""


def refuse_equal_ports(given: Mapping[str, str], hosts_of: Mapping[str, str]) -> None:
    """Raise for two arguments with the same UDP port; `hosts_of`: the argument of each's host."""
    found = equal_ports(
        NamedPort(name, given[host], int(given[name])) for name, host in hosts_of.items()
    )
    if found is not None:
        names = " ".join(f"{port.option}:={port.port}" for port in found)
        raise RuntimeError(f"{names}: must be different UDP ports")


def refuse_without_packages(what: str, names: Iterable[str]) -> None:
    """Raise when packages of messages are missing that not every ROS 2 has; `what` needs them."""
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        raise RuntimeError(
            f"{what} needs {', '.join(missing)}: not installed; install or source what brings it "
            "(Autoware has its messages), or build it from portable/interfaces (docs/autoware.md)"
        )


def a_switch(text: str) -> str:
    """True or false, in capitals too."""
    return "" if text.lower() in ("true", "false") else "must be true or false"


def a_namespace(text: str) -> str:
    """A ROS namespace, or empty."""
    if not text or (_NAMESPACE.fullmatch(text) and "__" not in text):
        return ""
    return "must be names of letters, digits and _, separated by /, such as fleet/car_1"


def a_prefix(text: str) -> str:
    """The beginning of frame names, or empty."""
    if not text or _PREFIX.fullmatch(text):
        return ""
    return "must be letters, digits, _ and / and begin with a letter, such as car_1/"


def a_host(text: str) -> str:
    """An IPv4 address or a host's name."""
    return "" if _HOST.fullmatch(text) else "must be an IPv4 address or a host name"


def a_file(text: str) -> str:
    """A file that exists."""
    return "" if is_file(Path(text)) else "there is no such file"


def a_folder(text: str) -> str:
    """A folder that exists."""
    return "" if is_folder(Path(text)) else "there is no such folder"


def a_parameter_file(text: str) -> str:
    """A file with parameters of nodes."""
    return load(text).fault if is_file(Path(text)) else "there is no such file"
