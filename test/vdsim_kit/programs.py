"""Every program that the packages install, and which of them are ROS processes; by the sources."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from size.source_tree import Module, modules_of

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Program:
    """A console script of a setup.py."""

    package: str
    name: str
    module: str
    function: str


@cache
def our_modules() -> dict[str, Module]:
    """Every module of the packages under src, by name."""
    found = {}
    for init in sorted(ROOT.glob("src/*/*/__init__.py")):
        if not init.parent.name.endswith("_kit"):
            found.update({module.name: module for module in modules_of(init.parent)})
    return found


def programs() -> list[Program]:
    """The console scripts of all packages."""
    found = []
    for setup in sorted(ROOT.glob("src/*/setup.py")):
        for node in ast.walk(ast.parse(setup.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == "console_scripts":
                        found += [
                            _program(setup.parent.name, line) for line in ast.literal_eval(value)
                        ]
    return found


def _program(package: str, line: str) -> Program:
    name, _, target = line.partition(" = ")
    module, _, function = target.partition(":")
    return Program(package, name, module, function)


def is_of_ros(program: Program, modules: dict[str, Module]) -> bool:
    """Whether running it imports rclpy: by its imports, and by modules that it names in texts."""
    start = modules[program.module]
    [function] = [
        node
        for node in ast.walk(start.tree)
        if isinstance(node, ast.FunctionDef) and node.name == program.function
    ]
    waiting = _named(function, modules) or {program.module}
    if waiting != {program.module}:
        # A function of an entry module: only what it starts counts, not its neighbours.
        waiting |= {name for name in _imported(function) if name in modules}
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        if "rclpy" in modules[name].top_level_imports:
            return True
        waiting |= modules[name].modules_imported(modules.keys()) - seen
    return False


def _named(function: ast.AST, modules: dict[str, Module]) -> set[str]:
    """Modules that a function imports by itself or names for import_module."""
    texts = {
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    full = {f"{name.partition('.')[0]}.nodes.{text}" for name in modules for text in texts}
    return ((texts | full) & modules.keys()) | (_imported(function) & modules.keys())


def _imported(function: ast.AST) -> set[str]:
    return {
        node.module
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
    }
