"""The class diagram of docs/architecture.md is that of the code: classes, methods, parts."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
DIAGRAM = PAGE.partition("classDiagram\n")[2].partition("```")[0]
PACKAGE = ROOT / "src/vdsim_interface/vdsim_interface"


def classes() -> dict[str, ast.ClassDef]:
    found = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found[node.name] = node
    return found


CLASSES = classes()


def test_every_class_and_method_of_the_diagram_exists() -> None:
    drawn = re.findall(r"class (\w+) \{(.*?)\}", DIAGRAM, re.DOTALL)
    assert len(drawn) >= 8
    for name, body in drawn:
        known = {each.name for each in CLASSES[name].body if isinstance(each, ast.FunctionDef)}
        methods = set(re.findall(r"(\w+)\(", body))
        assert methods <= known, f"{name}: {methods - known}"


def test_every_part_of_the_diagram_is_made_or_used_by_its_whole() -> None:
    arrows = re.findall(r"(\w+) [*o]-- (\w+)", DIAGRAM)
    assert len(arrows) >= 7
    for whole, part in arrows:
        used = {each.id for each in ast.walk(CLASSES[whole]) if isinstance(each, ast.Name)}
        assert part in used, f"{whole} has no {part}"


def test_the_platform_that_is_drawn_has_every_method_of_a_platform() -> None:
    (name,) = re.findall(r"Platform <\|\.\. (\w+)", DIAGRAM)
    methods = [
        {each.name for each in CLASSES[kind].body if isinstance(each, ast.FunctionDef)}
        for kind in ("Platform", name)
    ]
    assert methods[0] <= methods[1]
