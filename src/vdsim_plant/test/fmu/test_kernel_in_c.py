"""The kernel's own source translates to C as a whole; what does not belong there is refused.

That the C gives the same bits is shown where it is compiled, in the lane fmu.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from vdsim_plant.compiled.intrinsics import fma
from vdsim_plant.fmu.kernel_source import kernel_source
from vdsim_plant.kernel import full_loops, single
from vdsim_plant.kernel import layout as at

LOOPS = {
    **{name: getattr(single, name) for name in dir(single) if name.startswith("advance")},
    "advance_full": full_loops.advance_full,
    "advance_painted_full": full_loops.advance_painted_full,
}
LIBRARY = {"sin", "cos", "tan", "atan", "exp", "pow", "sqrt", "fabs", "floor", "fma", "isnan"}
Buffer = Any


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_and_all_that_it_calls_are_defined_once_callees_first(name: str) -> None:
    text = kernel_source(LOOPS[name])
    defined = re.findall(r"^VD_INLINE .*?VD_NAME\((\w+)\)", text, re.MULTILINE)
    assert defined[-1] == name.removesuffix("_full")
    assert ("curved_angle" in defined) == ("sensitive_grip" in defined) == name.endswith("_full")
    assert len(set(defined)) == len(defined)
    known: set[str] = set()
    for definition in text.split("VD_INLINE ")[1:]:
        named, *called = re.findall(r"VD_NAME\((\w+)\)", definition)
        assert set(called) <= known
        known.add(named)
    bare = set(re.findall(r"(?<![\w)])([a-z]\w*)\(", text)) - {"if", "for", "while"}
    assert {item for item in bare if not item.startswith("vd_")} <= LIBRARY


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_needs_nothing_of_the_c_library_but_roots(name: str) -> None:
    text = kernel_source(LOOPS[name])
    assert not re.search(r"\b(sin|cos|tan|atan|exp|pow)\(", text)


def small(buffer: Buffer, x: float, count: int) -> float:
    total: float = 0.0
    for k in range(1, count):
        total += buffer[at.VX + k] * -0.1
    if not (0.0 <= x < 1e-3 or total != x):
        total = max(min(total, x), 0.25)
    return fma(total, x, 2.0) if count > 1 else float_of(count)


def float_of(number: int) -> float:
    return 0.5 * number


def test_each_expression_becomes_the_same_operations_in_c() -> None:
    text = kernel_source(small)
    for line in (
        "VD_INLINE double VD_NAME(small)(double *buffer, double x, int64_t count)",
        "for (int64_t k = 1; k < count; ++k) {",
        "total = (total + (buffer[(3 + k)] * (-0.1)));",
        "if ((!(((0.0 <= x) && (x < 0.001)) || (total != x)))) {",
        "total = vd_max(vd_min(total, x), 0.25);",
        "return ((count > 1) ? fma(total, x, 2.0) : VD_NAME(float_of)(count));",
    ):
        assert line in text


def with_a_list(x: float) -> float:
    values = [x, 2.0]
    return values[0]


def with_whole_division(count: int) -> float:
    return count / 2


def with_two_types(x: float) -> float:
    kept = 1
    kept = x  # type: ignore[assignment]
    return kept + kept


def with_a_word(x: float) -> str:
    return f"{x}"


def with_print(x: float) -> float:
    print(x)
    return x


@pytest.mark.parametrize(
    "function", [with_a_list, with_whole_division, with_two_types, with_a_word, with_print]
)
def test_what_the_kernel_is_not_written_in_is_refused(function: Any) -> None:
    with pytest.raises((NotImplementedError, AssertionError)):
        kernel_source(function)
