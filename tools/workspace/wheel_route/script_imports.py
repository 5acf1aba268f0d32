"""What a Python script imports, as far as its text says so."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

_FIRST = ("launch", "launch_ros", "numpy", "rclpy", "std_srvs", "vdsim_plant", "vdsim_protocol")
"""What the first sets have, beside the standard library and messages."""
_ADDITIONAL = ("crg", "matplotlib", "scipy", "vdsim_plant.study")
"""Words of a script that may plot, fit, or load a road of OpenCRG."""


def needs_first_sets_only(arguments: list[str]) -> bool:
    """Whether `python ARGUMENTS` certainly needs no packages for plots, filters and fits.

    False also where the text does not tell: a module, a script that cannot be read, or one that
    imports anything that is not known here.
    """
    text = _text(arguments)
    if text is None or any(word in text for word in _ADDITIONAL):
        return False
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return all(
        root in _FIRST or root in sys.stdlib_module_names or root.endswith("_msgs")
        for root in _roots(tree)
    )


def names_one_of(arguments: list[str], words: tuple[str, ...]) -> bool:
    """Whether the text of a script or of `-c` has one of these words; true if it is not known."""
    text = _text(arguments)
    return text is None or any(word in text for word in words)


def _text(arguments: list[str]) -> str | None:
    if arguments[:1] == ["-c"] and len(arguments) > 1:
        return arguments[1]
    if not arguments or not arguments[0].endswith(".py"):
        return None
    try:
        return Path(arguments[0]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _roots(tree: ast.Module) -> set[str]:
    """The top-level packages that a script imports anywhere; "" for a relative import."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("" if node.level else (node.module or "").partition(".")[0])
    return found
