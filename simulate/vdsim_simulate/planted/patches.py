"""What a planted defect is: a sentence, and what is replaced in memory."""

from __future__ import annotations

import inspect
import textwrap
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


def edited(*changes: tuple[str, str]) -> Callable[[Any], Any]:
    """Return what makes a function, or a property, with these texts of its source replaced."""

    def make(before: Any) -> Any:
        function: Any = before.fget if isinstance(before, property) else before
        source = textwrap.dedent(inspect.getsource(function))
        for shipped, instead in changes:
            assert source.count(shipped) == 1, f"{function.__qualname__}: not once: {shipped}"
            source = source.replace(shipped, instead)
        made: dict[str, Any] = {}
        code = compile(source, f"planted {function.__qualname__}", "exec")
        exec(code, function.__globals__, made)
        return made[function.__name__]

    return make
