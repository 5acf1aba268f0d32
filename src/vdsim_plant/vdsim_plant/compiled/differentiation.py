"""Derivatives of the kernel's scalar equations, as functions that are compiled like them.

Theory of operation
-------------------
The equations run once with expressions for numbers (retracing.py), which leaves a graph: each node
is one operation. Every edge of the graph has a partial derivative. An inner node is then taken out
by joining each of its inputs with each of its results: the edge between them gains the product of
both partials. The node that makes the fewest products goes first (H. M. Markowitz's rule; A.
Griewank, A. Walther, Evaluating Derivatives, ch. 9-10). What remains are edges from inputs to
outputs, which are the Jacobian, exact but for rounding. Values keep their operations and so their
bits. The graph is written out as straight lines of Python, and compiled as part of a loop.

At a kink of an equation (a limit that is just reached) the derivative is that of one side. What
only takes rounding away (`moved`, `settled` of the equations) is no kink: it passes its derivative
on, or a car that goes exactly straight could not be steered.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vdsim_plant.compiled.inlining import inlined
from vdsim_plant.compiled.intrinsics import fma, rounded, whole_loops, wide_vectors
from vdsim_plant.compiled.retracing import retraced

Row = tuple[int, int]  # first place, step from one wheel to the next


class Node:
    """One operation of a graph; operators make further ones."""

    def __init__(self, graph: Graph, kind: str, operands: tuple[Node, ...], text: str) -> None:
        self.graph, self.kind, self.operands, self.text = graph, kind, operands, text
        self.number = len(graph.nodes)

    def __add__(self, other: Any) -> Node:
        return self.graph.node("+", self, other)

    def __radd__(self, other: Any) -> Node:
        return self.graph.node("+", other, self)

    def __sub__(self, other: Any) -> Node:
        return self.graph.node("-", self, other)

    def __rsub__(self, other: Any) -> Node:
        return self.graph.node("-", other, self)

    def __mul__(self, other: Any) -> Node:
        return self.graph.node("*", self, other)

    def __rmul__(self, other: Any) -> Node:
        return self.graph.node("*", other, self)

    def __truediv__(self, other: Any) -> Node:
        return self.graph.node("/", self, other)

    def __rtruediv__(self, other: Any) -> Node:
        return self.graph.node("/", other, self)

    def __neg__(self) -> Node:
        return self.graph.node("neg", self)

    def __abs__(self) -> Node:
        return self.graph.node("abs", self)

    def __lt__(self, other: Any) -> Node:
        return self.graph.node("<", self, other)

    def __gt__(self, other: Any) -> Node:
        return self.graph.node(">", self, other)

    def __bool__(self) -> bool:
        raise TypeError("an equation that branches has no graph: choose by `a if b else c`")


class Graph:
    """Operations in the order in which they were made; equal ones are one node."""

    def __init__(self, passing: Sequence[str] = ()) -> None:
        """`passing`: functions whose derivative over their first argument counts as 1."""
        self.passing = tuple(passing)
        self.nodes: list[Node] = []
        self._known: dict[tuple[str, ...], Node] = {}

    def input(self, name: str) -> Node:
        """Return a node for an argument."""
        return self._node("input", (), name)

    def constant(self, value: float) -> Node:
        """Return a node for a number."""
        return self._node("constant", (), repr(float(value)))

    def node(self, kind: str, *operands: Any) -> Node:
        """Return an operation on nodes and numbers."""
        nodes = [item if isinstance(item, Node) else self.constant(item) for item in operands]
        return self._node(kind, tuple(nodes), "")

    def _node(self, kind: str, operands: tuple[Node, ...], text: str) -> Node:
        key = (kind, text, *(str(item.number) for item in operands))
        if key not in self._known:
            self._known[key] = Node(self, kind, operands, text)
            self.nodes.append(self._known[key])
        return self._known[key]

    # The arithmetic of retracing.py.
    @property
    def replaced(self) -> Mapping[str, Callable[..., Any]]:
        """Return the operations that stand for functions of the kernel."""
        return {
            name: functools.partial(self.node, name) for name in ("fma", "rounded", *self.passing)
        }

    def fma(self, a: Any, b: Any, c: Any) -> Node:
        """Return a * b + c."""
        return self.node("fma", a, b, c)

    def sqrt(self, a: Any) -> Node:
        """Return the root."""
        return self.node("sqrt", a)

    def select(self, condition: Any, yes: Any, no: Any) -> Any:
        """Return a choice of both, which are computed in any case."""
        if isinstance(condition, Node):
            return self.node("select", condition, yes, no)
        return yes if condition else no

    # Products and sums of derivatives, where zeros and ones need no operation.
    def times(self, a: Node, b: Node) -> Node:
        """Return a product."""
        for one, other in ((a, b), (b, a)):
            if _is(one, 1.0) or _is(other, 0.0):
                return other
            if _is(one, -1.0):
                return self.node("neg", other)
            if one.kind == "select" and _is(one.operands[1], 1.0) and _is(one.operands[2], 0.0):
                return self.node("select", one.operands[0], other, 0.0)
            if one.kind == "select" and _is(one.operands[1], 0.0) and _is(one.operands[2], 1.0):
                return self.node("select", one.operands[0], 0.0, other)
        return self.node("*", a, b)

    def plus_product(self, total: Node | None, a: Node, b: Node) -> Node:
        """Return total + a * b."""
        product = self.times(a, b)
        if total is None or _is(total, 0.0):
            return product
        if _is(product, 0.0):
            return total
        plain = product.kind == "*" and set(product.operands) == {a, b}
        return self.fma(a, b, total) if plain else self.node("+", total, product)


def _is(node: Node, value: float) -> bool:
    return node.kind == "constant" and float(node.text) == value


def _partials(node: Node) -> list[tuple[Node, Node]]:
    """Return (operand, derivative of the node over it) for each operand."""
    graph, operands = node.graph, node.operands
    one, zero = graph.constant(1.0), graph.constant(0.0)
    if node.kind == "+":
        found = [one, one]
    elif node.kind == "-":
        found = [one, graph.constant(-1.0)]
    elif node.kind == "*":
        found = [operands[1], operands[0]]
    elif node.kind == "/":
        inverse = graph.node("/", 1.0, operands[1])
        found = [inverse, graph.node("neg", graph.node("*", node, inverse))]
    elif node.kind == "fma":
        found = [operands[1], operands[0], one]
    elif node.kind == "neg":
        found = [graph.constant(-1.0)]
    elif node.kind in graph.passing:
        return [(operands[0], one)]
    elif node.kind == "abs":
        found = [graph.node("select", graph.node("<", operands[0], 0.0), -1.0, 1.0)]
    elif node.kind == "sqrt":
        # The length of a vector has a kink at 0: no direction there is better than another.
        slope = graph.node("/", 0.5, node)
        found = [graph.node("select", graph.node(">", node, 0.0), slope, 0.0)]
    elif node.kind == "select":
        condition = operands[0]
        yes, no = (
            graph.node("select", condition, one, zero),
            graph.node("select", condition, zero, one),
        )
        return [(operands[1], yes), (operands[2], no)]
    else:  # inputs, constants, comparisons, whole numbers
        return []
    return list(zip(operands, found, strict=True))


@dataclass(frozen=True)
class Slopes:
    """A Jacobian as a compiled function, and where it is not zero.

    `values(*arguments, buffer, i)` returns what the function does, and writes the derivatives to
    `buffer[place + k * stride + i]`, k counting `entries`: (output, input) by number.
    """

    values: Any
    entries: tuple[tuple[int, int], ...]
    place: int
    stride: int

    def carried(self, inputs: Sequence[Row], outputs: Sequence[Row | None], width: int) -> Any:
        """Return a compiled function of (buffer, i): the outputs' changes from the inputs'.

        A row of changes is `width` numbers from its first place plus i times its step on. The
        derivatives are read before the loop, or the compiler would have to take them for something
        that the loop changes, and not spread it over lanes.
        """
        return _compiled(_text_of_carried(self, inputs, outputs, width))


def slopes_of(
    function: Callable[..., Any],
    over: Sequence[str],
    *,
    passing: Mapping[str, Callable[..., Any]],
    place: int,
    stride: int = 1,
) -> Slopes:
    """Return the derivatives of a function of the kernel over some of its arguments.

    `passing`: functions by name that only take rounding away, as above.
    """
    plain = getattr(function, "py_func", function)
    arguments = plain.__code__.co_varnames[: plain.__code__.co_argcount]
    graph = Graph(tuple(passing))
    nodes = {name: graph.input(name) for name in arguments}
    found = retraced(function, graph)(*nodes.values())
    outputs = list(found) if isinstance(found, tuple) else [found]
    inputs = [nodes[name] for name in over]
    rows = _jacobian(inputs, outputs)
    entries = tuple((o, i) for o, row in enumerate(rows) for i in sorted(row))
    partials = [rows[o][i] for o, i in entries]
    return Slopes(
        values=_compiled(_text_of_values(arguments, outputs, partials, place, stride), passing),
        entries=entries,
        place=place,
        stride=stride,
    )


def _jacobian(inputs: list[Node], outputs: list[Node]) -> list[dict[int, Node]]:
    """Return for each output its derivative over each input (by number) that it depends on."""
    graph = inputs[0].graph
    depends = set(inputs)
    for node in list(graph.nodes):
        if any(operand in depends for operand, _ in _partials(node)):
            depends.add(node)
    needed = set(outputs)
    for node in reversed(graph.nodes):
        if node in needed:
            needed.update(operand for operand, _ in _partials(node))
    into: dict[Any, dict[Any, Node]] = {}
    for node in [item for item in graph.nodes if item in depends and item in needed]:
        for operand, partial in _partials(node):
            if operand in depends and node not in inputs:
                row = into.setdefault(node, {})
                old = row.get(operand)
                row[operand] = partial if old is None else graph.node("+", old, partial)
    for place, node in enumerate(outputs):  # an output may be an input of another
        if node in depends:
            into[place] = {node: graph.constant(1.0)}
    _eliminate(graph, into, set(inputs))
    return [
        {
            inputs.index(node): partial
            for node, partial in into.get(place, {}).items()
            if not _is(partial, 0.0)
        }
        for place in range(len(outputs))
    ]


def _eliminate(graph: Graph, into: dict[Any, dict[Any, Node]], inputs: set[Node]) -> None:
    out_of: dict[Any, set[Any]] = {}
    for node, row in into.items():
        for operand in row:
            out_of.setdefault(operand, set()).add(node)
    inner = {node for node in into if isinstance(node, Node)} - inputs
    while inner:
        node = min(inner, key=lambda n: (len(into[n]) * len(out_of.get(n, ())), n.number))
        inner.discard(node)
        row = into.pop(node)
        for operand in row:
            out_of[operand].discard(node)
        for after in out_of.pop(node, set()):
            factor = into[after].pop(node)
            for operand, partial in row.items():
                total = into[after].get(operand)
                into[after][operand] = graph.plus_product(total, factor, partial)
                out_of[operand].add(after)


_BINARY = ("+", "-", "*", "/", "<", ">")


def _line(node: Node) -> str:
    names = [f"t{item.number}" for item in node.operands]
    if node.kind in ("input", "constant"):
        return node.text
    if node.kind in _BINARY:
        return f"{names[0]} {node.kind} {names[1]}"
    if node.kind == "neg":
        return f"-{names[0]}"
    if node.kind == "select":
        return f"{names[1]} if {names[0]} else {names[2]}"
    return f"{node.kind}({', '.join(names)})"


def _text_of_values(
    arguments: Sequence[str],
    outputs: list[Node],
    partials: list[Node],
    place: int,
    stride: int,
) -> list[str]:
    wanted: set[Node] = set()
    left = [*outputs, *partials]
    while left:
        node = left.pop()
        if node not in wanted:
            wanted.add(node)
            left.extend(node.operands)
    lines = [f"def made({', '.join(arguments)}, buffer, i):"]
    for node in outputs[0].graph.nodes:
        if node in wanted:
            lines.append(f"    t{node.number} = {_line(node)}")
    for k, node in enumerate(partials):
        lines.append(f"    buffer[{place + k * stride} + i] = t{node.number}")
    lines.append(f"    return {', '.join(f't{node.number}' for node in outputs)}")
    return lines


def _text_of_carried(
    slopes: Slopes, inputs: Sequence[Row], outputs: Sequence[Row | None], width: int
) -> list[str]:
    entries = slopes.entries
    lines = ["def made(buffer, i):", "    wide_vectors()", "    whole_loops()"]
    kept = [k for k, (o, _) in enumerate(entries) if outputs[o] is not None]
    used = sorted({entries[k][1] for k in kept})
    lines += [f"    p{k} = buffer[{slopes.place + k * slopes.stride} + i]" for k in kept]
    lines.append(f"    for k in range({width}):")
    for j, (first, step) in ((j, inputs[j]) for j in used):
        lines.append(f"        d{j} = buffer[{first} + {step} * i + k]")
    for output, row in enumerate(outputs):
        if row is not None:
            text = ""
            for k in kept:
                if entries[k][0] == output:
                    change = f"d{entries[k][1]}"
                    text = f"fma(p{k}, {change}, {text})" if text else f"p{k} * {change}"
            lines.append(f"        buffer[{row[0]} + {row[1]} * i + k] = {text or '0.0'}")
    return lines


def _compiled(lines: list[str], more: Mapping[str, Any] | None = None) -> Any:
    names: dict[str, Any] = {"fma": fma, "sqrt": math.sqrt, "rounded": rounded}
    names["wide_vectors"], names["whole_loops"] = wide_vectors, whole_loops
    names.update(more or {})
    exec("\n".join(lines), names)
    return inlined(names["made"])
