"""The C types of the kernel's values, and how values are written in C."""

from __future__ import annotations

import math
from typing import TypeAlias

DOUBLE, INTEGER, TRUTH, ARRAY = "double", "int64_t", "bool", "double *"
CType: TypeAlias = str | int
"""One of the names above, or n for a tuple of n doubles."""

OF_ANNOTATION: dict[str, CType] = {
    "float": DOUBLE,
    "int": INTEGER,
    "bool": TRUTH,
    "Buffer": ARRAY,
    "Array": ARRAY,
    "NDArray[np.float64]": ARRAY,
    "Any": ARRAY,  # the address of an array, in the loops that Python calls
    "None": "void",
}


def of_annotation(text: str) -> CType:
    """Return the C type of an annotation of the kernel; tuples are of floats."""
    text = " ".join(text.split())
    if text.startswith("tuple["):
        return text.count("float")
    if text not in OF_ANNOTATION:
        raise NotImplementedError(f"the annotation {text} has no C type")
    return OF_ANNOTATION[text]


def name_of(kind: CType) -> str:
    """Return the type's name in C."""
    return f"vd_tuple{kind}" if isinstance(kind, int) else kind


def tuple_definition(size: int) -> str:
    """Return the definition of the struct that stands for a tuple."""
    fields = ", ".join(f"f{k}" for k in range(size))
    return f"typedef struct {{ double {fields}; }} {name_of(size)};"


def number(value: float) -> str:
    """Return a literal with exactly the value's bits."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0.0 else "-INFINITY"
    return repr(float(value))


def array(name: str, values: list[float]) -> str:
    """Return the definition of a constant array."""
    cells = ",\n    ".join(
        ", ".join(number(value) for value in values[k : k + 6]) for k in range(0, len(values), 6)
    )
    return f"const double {name}[{max(len(values), 1)}] = {{\n    {cells or '0.0'},\n}};\n"
