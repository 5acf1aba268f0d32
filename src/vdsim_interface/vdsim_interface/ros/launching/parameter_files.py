"""Parameter files as the nodes read them: which parameters a file has for which node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from vdsim_protocol.checked_file import LARGEST_YAML_BYTES, FileError, parse_yaml, read_text
from vdsim_protocol.launching.copies import kept_copy
from vdsim_protocol.launching.node_keys import is_for, unmatched, with_full_names
from vdsim_protocol.shown import shown

from vdsim_interface.parameters.flat import flatten

_KEY = "ros__parameters"
COPY_OF = "# with full names of nodes, a copy of "
"""Begins the first line of a file that the launch has written for its nodes."""
_RULE = f"must have NODE: {_KEY}: ..."


class ParameterFile(NamedTuple):
    """A file, and the launch argument that names it."""

    argument: str
    path: str


@dataclass(frozen=True)
class Content:
    """The sections of a file: the pattern of node names, the parameters by full name."""

    sections: tuple[tuple[str, Mapping[str, object]], ...] = ()
    fault: str = field(default="", kw_only=True)
    """Why it is no parameter file; empty when it is one."""

    def values_for(self, node: str) -> dict[str, object]:
        """Return the values of a node, given by its full name; a later section overrides.

        A key that is the bare name of the node counts: the launch gives the node its full name.
        """
        values: dict[str, object] = {}
        for pattern, section in self.sections:
            if is_for(pattern, node):
                values.update(section)
        return values


def load(file: str) -> Content:
    """Read a parameter file; whatever is wrong with it is its `fault`."""
    try:
        return _content(read_text(Path(file), largest_bytes=LARGEST_YAML_BYTES), file)
    except FileError as fault:
        return Content(fault=": ".join(filter(None, (fault.where, fault.problem))))


@lru_cache
def _content(text: str, file: str) -> Content:
    """What a text says, kept: the checks of one launch ask for a file up to six times."""
    nodes = parse_yaml(text, source=file, unique=False)  # as ROS, which takes the last one
    if not isinstance(nodes, Mapping):
        raise FileError(file, "", _RULE)
    return Content(tuple(_sections(nodes, "")))


def _sections(tree: Mapping[Any, Any], path: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Namespaces may be nested: `car_1: vehicle_interface: ros__parameters: ...`."""
    for key, value in tree.items():
        if key == _KEY:
            if not isinstance(value, Mapping):
                raise FileError("", path, f"{_KEY} must have parameters")
            yield path, flatten(value)
        elif isinstance(value, Mapping):
            yield from _sections(value, f"{path}/{str(key).strip('/')}")
        else:
            raise FileError("", shown(str(key)), _RULE)


def refuse_unmatched(files: Iterable[ParameterFile], nodes: Sequence[str]) -> None:
    """Raise for a file of which no key is for a node of this launch: ROS ignores it silently."""
    for argument, path in files:
        if fault := unmatched([key for key, _ in load(path).sections], nodes):
            raise RuntimeError(f"{argument}:={path}: {fault}")


def for_nodes(file: ParameterFile, nodes: Sequence[str]) -> str:
    """The path of a file as the nodes read it: with full names in place of bare ones.

    A file without bare names is passed as it is; of another one a copy, which ends with the launch.
    """
    text = read_text(Path(file.path))
    keys = [key for key, _ in load(file.path).sections]
    full = with_full_names(text, keys, nodes, f"{file.argument}:={file.path}")
    if full == text:
        return file.path
    return kept_copy(f"{COPY_OF}{file.path}\n{full}", Path(file.path).name)


def value_in_files(files: Iterable[str], parameter: str) -> object:
    """The value of a parameter in the last of these files that has it; None when none has."""
    value = None
    for file in files:
        content = load(file)
        if content.fault:
            raise RuntimeError(f"parameter file {file}: {content.fault}")
        for _, section in content.sections:
            value = section.get(parameter, value)
    return value
