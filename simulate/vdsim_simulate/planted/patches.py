"""What a planted defect is: a sentence, and what is replaced in memory."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from vdsim_interface.safety import rule_runner


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


def in_rule(name: str, *changes: tuple[str, str]) -> Patch:
    """Return the patch of a motion rule: the runner gets it from the table of rules."""
    edit = cache(edited(*changes))

    def make(before: Any) -> Any:
        def rules_for(situations: int, enabled: bool, disabled: str = "") -> Any:
            rules = before(situations, enabled, disabled)
            return tuple((kind, edit(f) if f.__name__ == name else f) for kind, f in rules)

        return rules_for

    return Patch(rule_runner, "rules_for", make)
