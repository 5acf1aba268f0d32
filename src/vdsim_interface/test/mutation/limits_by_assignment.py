"""Comparisons of which `<` and `<=` are the same code: what is compared is what is assigned.

    if value > bound:                       bound if value > bound else value
        value = bound

Where both are equal the assignment changes nothing. A mutant of such a comparison that only moves
the equality (`>` and `>=`, `<` and `<=`) is no mutant.
"""

import ast
import re

_MOVES_EQUALITY = re.compile(r"ReplaceComparisonOperator_(Gt_GtE|GtE_Gt|Lt_LtE|LtE_Lt)$")
_WITHOUT_EFFECT = (ast.Name, ast.Attribute, ast.Constant, ast.UnaryOp, ast.USub, ast.Load)


def operators_at(source: str) -> frozenset[tuple[int, int]]:
    """Return line (from 1) and column (from 0) of the operator of each such comparison."""
    lines = source.splitlines()
    found = (_comparison(node) for node in ast.walk(ast.parse(source)))
    return frozenset(_operator_at(node, lines) for node in found if node is not None)


def moves_equality(operator: str) -> bool:
    """Whether an operator of cosmic-ray changes only what holds where both sides are equal."""
    return bool(_MOVES_EQUALITY.search(operator))


def _comparison(node: ast.AST) -> ast.Compare | None:
    if isinstance(node, ast.If) and not node.orelse and len(node.body) == 1:
        only = node.body[0]
        if isinstance(only, ast.Assign) and len(only.targets) == 1:
            return _if_of(node.test, only.targets[0], only.value)
    if isinstance(node, ast.IfExp):
        return _if_of(node.test, node.body, node.orelse)
    return None


def _if_of(test: ast.expr, one: ast.expr, other: ast.expr) -> ast.Compare | None:
    """Return the comparison where it is one of these two, which have no effect of their own."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    if not isinstance(test.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
        return None
    sides = (test.left, test.comparators[0])
    if not all(isinstance(n, _WITHOUT_EFFECT) for side in sides for n in ast.walk(side)):
        return None
    compared = {ast.unparse(side) for side in sides}
    return test if compared == {ast.unparse(one), ast.unparse(other)} else None


def _operator_at(node: ast.Compare, lines: list[str]) -> tuple[int, int]:
    line_n, column = node.left.end_lineno, node.left.end_col_offset
    assert line_n is not None
    assert column is not None
    found = re.compile("[<>]").search(lines[line_n - 1], column)
    assert found, "an operator on another line than the left side"
    return line_n, found.start()
