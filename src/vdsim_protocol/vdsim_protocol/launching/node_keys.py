"""Keys of ROS parameter files: for which node a section is, by full, bare or patterned name. Pure.

ROS ignores a section whose key matches no node. `/` begins each key here, as each full name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from vdsim_protocol.shown import shown


def matches(pattern: str, node: str) -> bool:
    """Whether a section is for a node: `*` is one part of a name, `**` any number of parts."""
    parts = [part for part in pattern.split("/") if part]
    text = "".join(
        "(/[^/]+)*" if part == "**" else "/" + re.escape(part).replace(r"\*", "[^/]*")
        for part in parts
    )
    return re.fullmatch(text, node) is not None


def is_bare_name(key: str, node: str) -> bool:
    """Whether a key is a node's name without its namespace, as many tutorials have it."""
    return key != node and key == f"/{node.rpartition('/')[2]}"


def is_for(key: str, node: str) -> bool:
    """Whether a section of a file that a launch reads is for a node."""
    return matches(key, node) or is_bare_name(key, node)


def unmatched(keys: Sequence[str], nodes: Iterable[str]) -> str:
    """Why a file is for none of the nodes, with the key to write; empty when it is for one."""
    names = list(nodes)
    if not keys or any(is_for(key, node) for key in keys for node in names):
        return ""
    return _for_nobody(keys[0], names)


def with_full_names(text: str, keys: Iterable[str], nodes: Sequence[str], file: str) -> str:
    """The text of a file with the full names of nodes in place of bare ones.

    Raises RuntimeError, which names `file`, where a key is not at the beginning of a line.
    """
    for key in keys:
        for node in nodes:
            if is_bare_name(key, node):
                name = re.escape(key.removeprefix("/"))
                text, count = re.subn(rf"(?m)^([\"']?)/?{name}\1[ \t]*:", f"{node}:", text)
                if not count:
                    raise RuntimeError(f"{file}: {_for_nobody(key, [node])}")
    return text


def _for_nobody(key: str, nodes: Sequence[str]) -> str:
    known = " or ".join(f"{node}:" for node in nodes)
    return (
        f"its key {shown(key.removeprefix('/'))} is for no node of this launch; write {known} "
        "(or /**:)"
    )
