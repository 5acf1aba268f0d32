"""The plug-in of mypy that pyproject.toml names."""

from __future__ import annotations

from collections.abc import Callable

from mypy.nodes import Expression, MemberExpr, NameExpr, StarExpr, TupleExpr
from mypy.plugin import FunctionContext, Plugin
from mypy.subtypes import is_subtype
from mypy.types import LiteralType, TupleType, Type, get_proper_type

RECORD = "vdsim_interface.values.records.record"


class TypedRecords(Plugin):
    """Checks the calls of `record`."""

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        """Our check for `record`, nothing for any other function."""
        return _checked if fullname == RECORD else None


def _checked(context: FunctionContext) -> Type:
    made = get_proper_type(context.default_return_type)
    values = get_proper_type(context.arg_types[1][0])
    if not isinstance(made, TupleType) or not isinstance(values, TupleType):
        context.api.fail("record: needs a NamedTuple and its values, written out", context.context)
        return made
    kind, fields = made.partial_fallback.type.name, _fields(made)
    if len(values.items) != len(fields):
        found = f"{len(values.items)} values for {len(fields)} fields"
        context.api.fail(f"record: {kind} has {found}", context.context)
        return made
    written = context.args[1][0]
    parts: list[Expression] = written.items if isinstance(written, TupleExpr) else []
    if any(isinstance(part, StarExpr) for part in parts):
        parts = []  # of an unpacked tuple only number and types are known
    for index, (name, value, wanted) in enumerate(
        zip(fields, values.items, made.items, strict=True)
    ):
        part = parts[index] if index < len(parts) else context.context
        if not is_subtype(value, wanted):
            context.api.fail(f"record: {kind}.{name} is {wanted}, not {value}", part)
        elif isinstance(part, Expression) and (named := _name(part)) in fields and named != name:
            context.api.fail(f"record: {kind}.{name} gets what is named {named}", part)
    return made


def _fields(made: TupleType) -> list[str]:
    """The fields of a NamedTuple in order: mypy derives `__match_args__` for each."""
    for info in made.partial_fallback.type.mro:
        symbol = info.names.get("__match_args__")
        if symbol is not None and isinstance(names := get_proper_type(symbol.type), TupleType):
            items = map(get_proper_type, names.items)
            return [str(item.value) for item in items if isinstance(item, LiteralType)]
    return []


def _name(part: Expression) -> str:
    return part.name if isinstance(part, NameExpr | MemberExpr) else ""


def plugin(version: str) -> type[Plugin]:
    """What mypy asks for."""
    del version
    return TypedRecords
