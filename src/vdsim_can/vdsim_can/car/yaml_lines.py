"""A file of YAML with the line of everything in it, for errors that name the line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from vdsim_protocol.checked_file import LARGEST_YAML_BYTES, parse_yaml, read_text


def read_yaml_lines(path: Path) -> tuple[Any, dict[tuple[Any, ...], int]]:
    """Return the value of a file of YAML, and the line of everything in it by its path.

    A path is of keys and of indexes in lists; it begins at the document.
    """
    text = read_text(path, largest_bytes=LARGEST_YAML_BYTES)
    document = parse_yaml(text, source=str(path))
    # What it stands for has been measured, and read, just before.
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    lines: dict[tuple[Any, ...], int] = {}
    waiting: list[tuple[tuple[Any, ...], Any, Any]] = [((), node, document)]
    while waiting:
        at, node, value = waiting.pop()
        for key, marked, item in _items(node, value):
            place = (*at, key)
            lines[place] = marked.start_mark.line + 1
            waiting.append((place, item, value[key]))
    return document, lines


def _items(node: Any, value: Any) -> list[tuple[Any, Any, Any]]:
    """(key, where it stands, what it names) of a group or list.

    Where a key stands for others (<<), they have the line of the group.
    """
    if isinstance(value, dict) and len(node.value) == len(value) and not _merges(node):
        pairs = zip(node.value, value, strict=True)
        return [(key, key_node, item) for (key_node, item), key in pairs]
    if isinstance(value, list) and node.id == "sequence":
        return [(index, item, item) for index, item in enumerate(node.value)]
    return []


def _merges(node: Any) -> bool:
    return any(str(key.tag).endswith(":merge") for key, _ in node.value)
