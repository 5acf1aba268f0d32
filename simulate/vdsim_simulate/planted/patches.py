"""What a planted defect is: a sentence, and what is replaced in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Patch(NamedTuple):
    """`owner.name` is replaced by what `make` returns for the one that was there."""

    owner: Any
    name: str
    make: Callable[[Any], Any]


class Planted(NamedTuple):
    """A defect: a sentence, what is replaced, and where it is looked for."""

    what: str
    patches: tuple[Patch, ...]
    composition: str = "single"
    platform: str = "vds1"
