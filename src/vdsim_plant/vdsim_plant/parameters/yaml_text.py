"""Reads YAML strictly: no duplicate keys, and 2.2e5 is a number as everywhere else.

Any text is answered in bounded time and memory, by a value or by one ParameterError that names the
line. Aliases are counted as what they stand for: a few lines of them can mean gigabytes.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any

import yaml

from vdsim_plant.parameters.errors import ParameterError

LARGEST_YAML_BYTES = 1 << 20
MOST_VALUES = 200_000
"""Of a document, with every alias counted as what it stands for."""
_MOST_BITS = 1000
_FAULTS = (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError)
"""What the constructors of YAML's own types raise."""


class _StrictLoader(yaml.SafeLoader):  # type: ignore[misc, unused-ignore]
    """Safe loader that refuses a key given twice in one group."""

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            value = super().construct_object(node, deep)
        except ParameterError:
            raise
        except _FAULTS:
            kind = str(node.tag).rpartition(":")[2]
            raise ParameterError(_line(node), f"cannot be read as {kind[:40]}") from None
        if isinstance(value, int) and value.bit_length() > _MOST_BITS:
            raise ParameterError(_line(node), "holds a number beyond every float")
        return value

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise ParameterError(_line(key_node), "a key must be plain text")
            if key_node.value in seen:
                line = key_node.start_mark.line + 1
                raise ParameterError(str(key_node.value), f"given twice (line {line})")
            seen.add(key_node.value)
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return mapping


# YAML 1.1 takes 2.2e5 (no sign in the exponent) for text; everyone who writes it means a number.
_StrictLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(\d+(\.\d*)?|\.\d+)[eE][-+]?\d+$"),
    list("-+0123456789."),
)


def parse_yaml(content: str, *, source: str) -> Any:
    """Return the document's value; a fault is one ParameterError that names the line."""
    if len(content) > LARGEST_YAML_BYTES:
        problem = f"has more than {LARGEST_YAML_BYTES >> 20} MiB"
        raise ParameterError("the document", problem, source=source)
    try:
        return _value(content)
    except ParameterError as error:
        raise error.in_file(source) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark is not None else "the document"
        problem = getattr(error, "problem", None) or "cannot be read"
        raise ParameterError(where, f"not YAML: {problem}", source=source) from None
    except RecursionError:
        raise ParameterError("the document", "is nested too deeply", source=source) from None
    except _FAULTS:
        raise ParameterError("the document", "cannot be read", source=source) from None


def _value(content: str) -> Any:
    loader = _StrictLoader(content)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if _size(node, {}) > MOST_VALUES:
            raise ParameterError("the document", f"has more than {MOST_VALUES} values")
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _size(node: Any, sizes: dict[int, int]) -> int:
    """How many values a node stands for, aliases included; 0 marks one that is being counted."""
    known = sizes.get(id(node))
    if known == 0:
        raise ParameterError(_line(node), "an alias stands for itself")
    if known is not None:
        return known
    sizes[id(node)] = 0
    total = 1
    if isinstance(node, yaml.SequenceNode):
        total += sum(_size(item, sizes) for item in node.value)
    elif isinstance(node, yaml.MappingNode):
        total += sum(_size(key, sizes) + _size(value, sizes) for key, value in node.value)
    sizes[id(node)] = total
    return total


def _line(node: Any) -> str:
    return f"line {node.start_mark.line + 1}"
