"""Message -> ordered dictionary -> YAML or CSV text, as `ros2 topic echo` prints it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from rosidl_runtime_py.slot_types import (
    fields,
    fixed_size,
    is_collection,
    is_message,
    type_name,
    upper_bound,
)

ELLIPSIS = "..."
UNLIMITED_WIDTH = 2**31 - 1  # the C emitter keeps the width in an int

# libyaml is about ten times faster, which matters for topics with a high rate.
_BASE_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_BlockDumper: Any = type("_BlockDumper", (_BASE_DUMPER,), {})
_FlowListDumper: Any = type("_FlowListDumper", (_BASE_DUMPER,), {})


def _represent_mapping(dumper: Any, value: OrderedDict[str, Any]) -> Any:
    return dumper.represent_mapping("tag:yaml.org,2002:map", value.items())


def _represent_flow_list(dumper: Any, value: list[Any]) -> Any:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=True)


for _dumper in (_BlockDumper, _FlowListDumper):
    _dumper.add_representer(OrderedDict, _represent_mapping)
_FlowListDumper.add_representer(list, _represent_flow_list)


class _Limits(NamedTuple):
    truncate_length: int | None
    no_arr: bool
    no_str: bool


def message_to_yaml(
    msg: Any,
    *,
    truncate_length: int | None = None,
    no_arr: bool = False,
    no_str: bool = False,
    flow_style: bool = False,
) -> str:
    """Return a message as a YAML document; `flow_style` puts each list on one line."""
    values = message_to_ordereddict(
        msg, truncate_length=truncate_length, no_arr=no_arr, no_str=no_str
    )
    return plain_to_yaml(values, flow_style=flow_style)


def plain_to_yaml(values: Any, *, flow_style: bool) -> str:
    """Return ordered dictionaries, lists and scalars as a YAML document."""
    text: str = yaml.dump(
        values,
        Dumper=_FlowListDumper if flow_style else _BlockDumper,
        allow_unicode=True,
        default_flow_style=False,
        sort_keys=False,
        width=UNLIMITED_WIDTH,
    )
    return text


def message_to_csv(
    msg: Any, *, truncate_length: int | None = None, no_arr: bool = False, no_str: bool = False
) -> str:
    """Return all values of a message, nested ones too, joined by commas."""
    limits = _Limits(truncate_length, no_arr, no_str)
    return ",".join(_csv_cells(msg, limits))


def message_to_ordereddict(
    msg: Any, *, truncate_length: int | None = None, no_arr: bool = False, no_str: bool = False
) -> OrderedDict[str, Any]:
    """Return a message as nested dictionaries, lists and plain scalars."""
    limits = _Limits(truncate_length, no_arr, no_str)
    return _plain_message(msg, limits)


def _plain_message(msg: Any, limits: _Limits) -> OrderedDict[str, Any]:
    result: OrderedDict[str, Any] = OrderedDict()
    for name, slot_type in fields(msg):
        value = getattr(msg, name)
        if not is_collection(slot_type):
            result[name] = _plain_scalar(value, limits)
        elif limits.no_arr:
            result[name] = _collection_summary(value, slot_type)
        else:
            elements, cut = _first_elements(value, limits)
            result[name] = [_plain_scalar(element, limits) for element in elements]
            if cut:
                result[name].append(ELLIPSIS)
    return result


def _plain_scalar(value: Any, limits: _Limits) -> Any:
    if is_message(value):
        return _plain_message(value, limits)
    if isinstance(value, bytes):  # one octet: the character of that code, as upstream shows it
        return _shortened("".join(map(chr, value)), limits.truncate_length)
    if isinstance(value, str):
        return _text(value, limits)
    return value


def _csv_cells(msg: Any, limits: _Limits) -> Iterator[str]:
    for name, slot_type in fields(msg):
        value = getattr(msg, name)
        if not is_collection(slot_type):
            yield from _csv_scalar(value, limits)
        elif limits.no_arr:
            yield _collection_summary(value, slot_type)
        else:
            elements, cut = _first_elements(value, limits)
            for element in elements:
                yield from _csv_scalar(element, limits)
            if cut:
                yield ELLIPSIS
            elif not elements:
                yield ""


def _csv_scalar(value: Any, limits: _Limits) -> Iterator[str]:
    if is_message(value):
        yield from _csv_cells(value, limits)
    elif isinstance(value, bytes):
        cut = limits.truncate_length is not None and len(value) > limits.truncate_length
        yield f"b'{ELLIPSIS}'" if cut else repr(value)
    elif isinstance(value, str):
        yield _text(value, limits)
    else:
        yield str(value)


def _first_elements(value: Any, limits: _Limits) -> tuple[list[Any], bool]:
    """Return at most `truncate_length` elements as Python objects, and whether any were cut off."""
    kept = value if limits.truncate_length is None else value[: limits.truncate_length]
    # array.array and numpy.ndarray both turn into Python numbers by tolist().
    elements = kept.tolist() if hasattr(kept, "tolist") else list(kept)
    return elements, len(elements) < len(value)


def _collection_summary(value: Any, slot_type: Any) -> str:
    element = type_name(slot_type.value_type)
    size = fixed_size(slot_type)
    if size is not None:
        return f"<array type: {element}[{size}]>"
    bound = upper_bound(slot_type)
    limit = "" if bound is None else f"[{bound}]"
    return f"<sequence type: {element}{limit}, length: {len(value)}>"


def _text(value: str, limits: _Limits) -> str:
    if limits.no_str:
        return f"<string length: <{len(value)}>>"
    return _shortened(value, limits.truncate_length)


def _shortened(text: str, length: int | None) -> str:
    return text if length is None or len(text) <= length else text[:length] + ELLIPSIS
