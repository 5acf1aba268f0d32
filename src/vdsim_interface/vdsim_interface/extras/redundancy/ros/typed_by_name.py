"""Messages whose type is a parameter, because it is another project's and may still change."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from importlib import import_module
from typing import Any, SupportsIndex, cast

from vdsim_interface.parameters.fields import ParameterError


def message_type(parameter: str, name: str) -> Any:
    """Return the class of `package/msg/Name`."""
    package, kind, word = (*name.split("/"), "", "")[:3]
    if kind != "msg" or not (package.isidentifier() and word.isidentifier()):
        raise ParameterError(parameter, name, "must be like package/msg/Name")
    try:
        return getattr(import_module(f"{package}.msg"), word)
    except (ImportError, AttributeError) as error:
        rule = "must be a message that is installed here"
        raise ParameterError(parameter, name, rule) from error


def unit_numbers(message: object, field: str) -> tuple[int, ...]:
    """Return the whole numbers of a field, `a.b` within another one; none where there are none."""
    value = message
    for part in field.split("."):
        value = getattr(value, part, None)
    if isinstance(value, (bytes, str)):
        return ()
    items = value if hasattr(value, "__len__") else (value,)
    return tuple(_index(item) for item in cast("Sequence[object]", items) if _is_whole(item))


def _is_whole(item: object) -> bool:
    return hasattr(item, "__index__")


def _index(item: object) -> int:
    return operator.index(cast("SupportsIndex", item))
