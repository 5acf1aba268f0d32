"""The gate stays small enough to be read in ten minutes."""

import ast
import inspect
import io
import tokenize

from vdsim_interface.gate import GateState, gate

LINES_MOST = 300
SCALARS_MOST = 12
NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}


def code_lines(source: str) -> set[int]:
    """Lines of code: no blank one, no comment, no text that stands alone."""
    texts = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = {
        line
        for token in tokens
        if token.type not in NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    return lines - texts


def test_the_gate_has_at_most_300_lines_of_code_and_12_scalars() -> None:
    module = inspect.getmodule(gate)
    assert module is not None
    assert len(code_lines(inspect.getsource(module))) <= LINES_MOST
    assert len(GateState._fields) <= SCALARS_MOST
    assert all(isinstance(value, bool | int | float) for value in GateState())
