"""Reads YAML strictly: no duplicate keys, and 2.2e5 is a number as everywhere else."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any

import yaml

from vdsim_plant.parameters.errors import ParameterError


class _StrictLoader(yaml.SafeLoader):  # type: ignore[misc, unused-ignore]
    """Safe loader that refuses a key given twice in one group."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key_node, _ in node.value:
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
    try:
        return yaml.load(content, Loader=_StrictLoader)
    except ParameterError as error:
        raise error.in_file(source) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark is not None else "the document"
        problem = getattr(error, "problem", None) or "cannot be read"
        raise ParameterError(where, f"not YAML: {problem}", source=source) from None
