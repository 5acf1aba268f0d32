"""Which comparisons mean the same with and without the equality."""

import importlib.util
from pathlib import Path

import pytest

_FILE = Path(__file__).with_name("limits_by_assignment.py")
_SPEC = importlib.util.spec_from_file_location(_FILE.stem, _FILE)
assert _SPEC is not None
assert _SPEC.loader is not None
limits = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(limits)


@pytest.mark.parametrize(
    "source",
    [
        "if a > b:\n    a = b",
        "if a < -self.b:\n    a = -self.b",
        "if self.a.b >= c:\n    c = self.a.b",
        "x = a if a < b else b",
        "x = b if a <= b else a",
    ],
)
def test_what_is_compared_is_what_is_assigned(source: str) -> None:
    assert len(limits.operators_at(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "if a > b:\n    a = c",
        "if a > b:\n    a = b\nelse:\n    d = 1",
        "if a > b:\n    a = b\n    d = 1",
        "if a > b:\n    a += b",
        "if a > b > c:\n    a = b",
        "if a == b:\n    a = b",
        "if a > f():\n    a = f()",
        "if a > b:\n    raise b",
        "x = a if a < b else c",
        "while a > b:\n    a = b",
    ],
)
def test_whatever_else_happens_counts(source: str) -> None:
    assert limits.operators_at(source) == frozenset()


def test_the_place_is_that_of_the_operator() -> None:
    source = "def given():\n    if (self.value) >  bound:\n        self.value = bound\n"
    assert limits.operators_at(source) == {(2, source.splitlines()[1].index(">"))}


@pytest.mark.parametrize(
    ("operator", "moves"),
    [("Gt_GtE", True), ("LtE_Lt", True), ("Gt_Lt", False), ("GtE_LtE", False), ("Eq_IsNot", False)],
)
def test_only_the_equality_may_move(operator: str, moves: bool) -> None:
    assert limits.moves_equality(f"core/ReplaceComparisonOperator_{operator}") is moves
