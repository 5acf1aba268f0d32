"""The threat model: every way in has its row, and what a row names exists."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from generate.threats import page
from generate.threats.rows import GROUPS, NO_ENTRY, Entry
from vdsim_kit.programs import our_modules

MODULES = our_modules()
DOORS = {
    *("bind", "create_datagram_endpoint", "create_server", "start_server"),
    *("create_subscription", "create_service", "create_checked_subscription"),
    *("add_get", "add_post", "add_route", "LocalCluster"),
}
"""Attributes that open a way in; `CDLL` of a named file is one more."""


def doors(tree: ast.AST) -> Iterator[int]:
    """The lines on which a module opens a way in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in DOORS:
            yield node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            named = node.args and not isinstance(node.args[0], ast.Constant | ast.IfExp)
            if node.func.attr == "CDLL" and named:
                yield node.lineno


def may_open(text: str) -> bool:
    """Whether a module has one of the words; the others are not worth parsing."""
    return any(word in text for word in (*DOORS, "CDLL"))


OPENING = {
    name.replace(".", "/"): lines
    for name, each in MODULES.items()
    if may_open(each.file.read_text(encoding="utf-8")) and (lines := [*doors(each.tree)])
}
NAMED = [module for entry in page.entries() for module in entry.where]


def test_the_ways_in_are_really_found() -> None:
    assert len(OPENING) > 20
    source = "import socket\ns = socket.socket()\ns.bind(('', 1))\nctypes.CDLL(None)\nx.CDLL(p)\n"
    assert sorted(doors(ast.parse(source))) == [3, 5]


@pytest.mark.parametrize("module", sorted(OPENING))
def test_a_module_that_opens_a_way_in_has_its_row(module: str) -> None:
    assert (module in NAMED) + (module in NO_ENTRY) == 1, (
        f"src: {module} line {OPENING[module]}: no row in tools/generate/threats/rows.py"
    )


def test_a_row_names_modules_that_open_it() -> None:
    assert sorted(NAMED) == sorted(set(NAMED))
    assert not {*NAMED, *NO_ENTRY} - OPENING.keys()


@pytest.mark.parametrize("entry", [*page.entries()], ids=lambda entry: entry.name[:40])
def test_a_row_is_whole(entry: Entry) -> None:
    assert all((entry.listens, entry.who, entry.checked, entry.not_protected))
    assert entry.tests
    assert all(page.shown_test(name) for name in entry.tests)


def test_what_does_not_exist_is_an_error() -> None:
    with pytest.raises(ValueError, match="no lane weather"):
        page.shown_test("lane:weather")
    with pytest.raises(ValueError, match=r"no test test_weather\.py::test_rain"):
        page.shown_test("test_weather.py::test_rain")


def test_counts_of_an_attack_are_those_of_its_kinds() -> None:
    [first, *_] = next(iter(GROUPS.values()))
    assert page.tried(first._replace(attacks=()), {}) == "by its tests"
    of_two = first._replace(attacks=("one", "other"))
    assert page.tried(of_two, {"one": [400, 0], "other": [20, 1]}) == "420, 1"
    with pytest.raises(ValueError, match="no attack other"):
        page.tried(of_two, {"one": [400, 0]})
