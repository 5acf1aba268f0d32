"""The rows of values/speeds.py: each speed with its text, and with the modules that import it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from size.source_tree import modules_of

PACKAGE = Path(__file__).resolve().parents[2] / "src/vdsim_interface/vdsim_interface"
SPEEDS = "vdsim_interface.values.speeds"
MEANINGS = ("stands", "creeps", "moves")


class Speed(NamedTuple):
    """One row. `means`: what a car does at this speed. `users`: modules below vdsim_interface/."""

    name: str
    value_mps: float
    means: str
    why: str
    users: tuple[str, ...]


def rows() -> Iterator[Speed]:
    """Every row, in the order of the file."""
    modules = list(modules_of(PACKAGE))
    users: dict[str, list[str]] = {}
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom) and node.module == SPEEDS:
                for alias in node.names:
                    short = module.path.split("/", 1)[1].removesuffix(".py")
                    users.setdefault(alias.name, []).append(short)
    (tree,) = (module.tree for module in modules if module.name == SPEEDS)
    for constant, text in pairwise(tree.body):
        if not isinstance(constant, ast.Assign):
            continue
        (name,) = (target.id for target in constant.targets if isinstance(target, ast.Name))
        assert isinstance(text, ast.Expr), f"{name} has no text"
        means, _, why = str(ast.literal_eval(text.value)).partition(": ")
        assert means in MEANINGS, f"{name}: a text begins with one of {', '.join(MEANINGS)}"
        value = float(ast.literal_eval(constant.value))
        yield Speed(name, value, means, why, tuple(users.get(name, ())))
