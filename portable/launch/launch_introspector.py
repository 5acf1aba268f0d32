"""Show a launch description as a tree of text."""

from __future__ import annotations

from collections.abc import Iterable

from .base import LaunchDescriptionEntity
from .launch_description import LaunchDescription


class LaunchIntrospector:
    """Formats launch descriptions as text."""

    def format_launch_description(self, launch_description: LaunchDescription) -> str:
        """Return the tree of the description."""
        lines = ["LaunchDescription", *_children(launch_description)]
        return "\n".join(lines)


def _children(entity: LaunchDescriptionEntity) -> list[str]:
    branches = [(child.describe(), _children(child)) for child in entity.describe_sub_entities()]
    for text, children in entity.describe_conditional_sub_entities():
        branches.append((f"when {text}:", _branches(children)))
    return _join(branches)


def _branches(entities: Iterable[LaunchDescriptionEntity]) -> list[str]:
    return _join([(entity.describe(), _children(entity)) for entity in entities])


def _join(branches: list[tuple[str, list[str]]]) -> list[str]:
    return [
        line
        for number, (text, below) in enumerate(branches)
        for line in _branch(text, below, number == len(branches) - 1)
    ]


def _branch(text: str, below: list[str], is_last: bool) -> list[str]:
    fork, rail = ("└── ", "    ") if is_last else ("├── ", "│   ")
    return [f"{fork}{text}", *(f"{rail}{line}" for line in below)]
