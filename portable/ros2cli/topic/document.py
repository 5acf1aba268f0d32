"""A message as `ros2 topic echo` prints it: a YAML document, a line of CSV, or one field."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from rosidl_runtime_py import message_to_csv, message_to_ordereddict, message_to_yaml
from rosidl_runtime_py.convert import plain_to_yaml
from rosidl_runtime_py.slot_types import is_message

from ros2cli.errors import CliError

DOCUMENT_END = "---\n"


@dataclass(frozen=True)
class Style:
    """How much of a message is shown, and in which form."""

    field: tuple[str, ...] = ()
    csv: bool = False
    flow_style: bool = False
    truncate_length: int | None = None
    no_arr: bool = False
    no_str: bool = False


def style_of(args: argparse.Namespace) -> Style:
    """Return the style that the options of `ros2 topic echo` ask for."""
    field = tuple(part for part in (args.field or "").split(".") if part)
    if args.field is not None and not field:
        raise CliError(f"Invalid field value '{args.field}'")
    return Style(
        field=field,
        csv=args.csv,
        flow_style=args.flow_style,
        truncate_length=None if args.full_length else args.truncate_length,
        no_arr=args.no_arr,
        no_str=args.no_str,
    )


def render(msg: Any, style: Style, info: Mapping[str, int | None] | None = None) -> str:
    """Return the text of one message, ending in a newline."""
    if style.csv:
        cells = [str(info[key]) for key in _CSV_INFO] if info else []
        return ",".join([*cells, _body(msg, style)]) + "\n"
    head = yaml.safe_dump(dict(info)) + DOCUMENT_END if info else ""
    body = _body(msg, style)
    return head + body + ("" if body.endswith("\n") else "\n") + DOCUMENT_END


_CSV_INFO = (
    "source_timestamp",
    "received_timestamp",
    "publication_sequence_number",
    "reception_sequence_number",
)


def _body(msg: Any, style: Style) -> str:
    limits: dict[str, Any] = {
        "truncate_length": style.truncate_length,
        "no_arr": style.no_arr,
        "no_str": style.no_str,
    }
    parent, value = _select(msg, style.field)
    if not is_message(value):
        return _value_text(message_to_ordereddict(parent, **limits)[style.field[-1]], style)
    if style.csv:
        return message_to_csv(value, **limits)
    return message_to_yaml(value, **limits, flow_style=style.flow_style)


def _select(msg: Any, field: tuple[str, ...]) -> tuple[Any, Any]:
    """Return the message that holds the selected field, and the field's value."""
    parent, value = msg, msg
    for name in field:
        if not is_message(value) or name not in value.get_fields_and_field_types():
            raise CliError(
                f"Invalid field '{'.'.join(field)}': "
                f"'{type(value).__name__}' object has no attribute '{name}'"
            )
        parent, value = value, getattr(value, name)
    return parent, value


def _value_text(value: Any, style: Style) -> str:
    if not isinstance(value, list):
        return str(value)
    if style.csv:
        return ",".join(map(str, value))
    return plain_to_yaml(value, flow_style=style.flow_style)
