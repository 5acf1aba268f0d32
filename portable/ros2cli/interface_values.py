"""Interface names -> Python classes, and YAML values -> fields."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import yaml
from rosidl_runtime_py.set_message import StampSetter, set_message_fields
from rosidl_runtime_py.utilities import get_message, get_service

from ros2cli.arguments import CliError


def message_class(name: str) -> Any:
    """Return the class of a message type."""
    return _class_of(name, "message", get_message)


def service_class(name: str) -> Any:
    """Return the class of a service type."""
    return _class_of(name, "service", get_service)


def fill_from_yaml(msg: Any, text: str) -> list[StampSetter]:
    """Set a message's fields from a YAML mapping; return the setters of its automatic stamps."""
    try:
        values = yaml.safe_load(text)
    except yaml.YAMLError as error:
        reason = getattr(error, "problem", None) or error
        raise CliError(f"The passed value is not valid YAML: {reason}") from error
    if not isinstance(values, dict):
        raise CliError("The passed value needs to be a dictionary in YAML format")
    try:
        return set_message_fields(msg, values, expand_header_auto=True, expand_time_now=True)
    except (AttributeError, TypeError, ValueError) as error:
        raise CliError(f"Failed to populate field: {error}") from error


def _class_of(name: str, kind: str, import_class: Callable[[str], Any]) -> Any:
    try:
        return import_class(name)
    except (AttributeError, ModuleNotFoundError, ValueError) as error:
        raise CliError(f"The passed {kind} type is invalid: {error}") from error


def add_values_argument(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the optional YAML values, or `--stdin` in their place."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "values",
        nargs="?",
        default="{}",
        help=f"Values to fill the {what} with in YAML format (e.g. 'data: Hello World'), "
        "default values otherwise",
    )
    group.add_argument("--stdin", action="store_true", help="Read values from standard input")


def values_text(args: argparse.Namespace) -> str:
    """Return the YAML text."""
    return sys.stdin.read() if args.stdin else str(args.values)
