"""The house grows no further: each figure of `./ws size` is at least as good as what is held."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from size.figures import Figure, House, figures
from size.lines import Lines, count_lines
from size.plan import closure, plan_of
from size.source_tree import Module, modules_of

ROOT = Path(__file__).resolve().parents[1]

SOURCE = '''"""Docstring
of two lines."""
# comment

X = """text
that counts"""


def f() -> int:
    """Docstring."""
    return 1  # comment behind code
'''

HOUSE = {
    "__init__.py": "",
    "top.py": "def later():\n    from car.middle.a import x\n",
    "middle/__init__.py": "",
    "middle/a.py": "from car.ground import y\nimport car.middle.b\n",
    "middle/b.py": "POINT = 'car.ground:main'\n",
    "ground.py": "",
}


@pytest.fixture(scope="module")
def measured() -> list[Figure]:
    return figures(House(ROOT))


def test_no_figure_is_worse_than_what_is_held(measured: list[Figure]) -> None:
    worse = [f for f in measured if not f.is_held]
    assert not worse, "\n".join(
        f"{f.name}: {f.value:g}, held {f.held}, goal {f.goal}" for f in worse
    )


def test_a_figure_that_is_worse_is_told() -> None:
    assert not Figure("lines", 101, 90, 100).is_held
    assert Figure("lines", 100, 90, 100).is_held
    assert not Figure("share", 10.9, 12, 11, more_is_better=True).is_held
    assert Figure("printed only", 101, 90, None).is_held


def test_blank_lines_comments_and_docstrings_are_no_code() -> None:
    assert count_lines(SOURCE, ast.parse(SOURCE)) == Lines(code=4, docstrings=3, all=11)


def _write(folder: Path, sources: dict[str, str]) -> list[Module]:
    for name, text in sources.items():
        path = folder / "car" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return modules_of(folder / "car")


def test_imports_in_functions_and_names_of_entry_points_are_arrows(tmp_path: Path) -> None:
    plan = plan_of(_write(tmp_path, HOUSE))
    assert plan.arrows == {("top", "middle"): 1, ("middle", "ground"): 2}
    assert plan.floors == {"ground": 1, "middle": 2, "top": 3}
    assert not plan.upward


def test_of_a_circle_the_thinnest_arrow_runs_upward(tmp_path: Path) -> None:
    plan = plan_of(_write(tmp_path, {**HOUSE, "ground.py": "import car.middle.b\n"}))
    assert plan.upward == {("ground", "middle")}
    assert plan.height == 3


def test_a_closure_holds_what_an_import_loads(tmp_path: Path) -> None:
    modules = {module.name: module for module in _write(tmp_path, HOUSE)}
    assert closure("car.middle.a", modules) == {
        *("car", "car.middle", "car.middle.a", "car.middle.b", "car.ground")
    }
