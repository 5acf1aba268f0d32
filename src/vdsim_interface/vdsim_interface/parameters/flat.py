"""Parameter classes <-> flat names, as ROS declares them and YAML files set them."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, TypeVar, get_type_hints

from vdsim_interface.parameters.fields import Allowed, Meaning, ParameterError, Parameters, check

P = TypeVar("P", bound=Parameters)
_types_of = cache(get_type_hints)
"""Each type is a text that is compiled when it is asked for."""


@dataclass(frozen=True)
class Declaration:
    """One parameter as a node declares it.

    `live`: may change while the node is active. `at_start`: may not change at all.
    """

    name: str
    kind: type
    many: bool
    default: object
    doc: str
    allowed: Allowed
    live: bool
    at_start: bool

    @property
    def restriction(self) -> str:
        """When it must not change, as text; empty when it always may."""
        if self.at_start:
            return "decided when the node starts"
        return "" if self.live else "fixed while active"

    @property
    def description(self) -> str:
        """The description for users."""
        return "; ".join(filter(None, (self.doc, self.restriction)))


def declarations(parameters: Parameters) -> tuple[Declaration, ...]:
    """List the parameters of an object and its parts, with its values as defaults."""
    found: list[Declaration] = []
    for item in fields(parameters):  # type: ignore[arg-type]
        value = getattr(parameters, item.name)
        if isinstance(value, Parameters):
            found.extend(declarations(value))
            continue
        meaning: Meaning = item.metadata["meaning"]
        found.append(
            Declaration(
                name=parameters.name_of(item.name),
                kind=meaning.kind,
                many=meaning.many,
                default=value,
                doc=meaning.doc,
                allowed=meaning.allowed,
                live=parameters.LIVE and meaning.live,
                at_start=parameters.AT_START or meaning.at_start,
            )
        )
    return tuple(found)


def to_flat(parameters: Parameters) -> dict[str, object]:
    """Return every value by its full name."""
    return dict(parameters.flat())


def from_flat(kind: type[P], values: Mapping[str, object]) -> P:
    """Build an object from full names; missing ones keep their default, unknown ones raise."""
    known = to_flat(kind())
    for name, value in values.items():
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f", did you mean {close[0]}" if close else ""
            raise ParameterError(name, value, f"is not a parameter of this component{hint}")
    return _build(kind, values)


def _build(kind: type[P], values: Mapping[str, object]) -> P:
    hints = _types_of(kind)  # type: ignore[arg-type]
    arguments: dict[str, Any] = {}
    for item in fields(kind):  # type: ignore[arg-type]
        part = hints[item.name]
        if isinstance(part, type) and issubclass(part, Parameters):
            arguments[item.name] = _build(part, values)
        elif (name := kind.name_of(item.name)) in values:
            arguments[item.name] = check(name, values[name], item.metadata["meaning"])
    return kind(**arguments)


def changed(parameters: P, values: Mapping[str, object], *, active: bool) -> P:
    """Return the object with some values changed; raises for those fixed while active."""
    after = from_flat(type(parameters), {**to_flat(parameters), **values})
    if active:
        new = to_flat(after)
        for item in declarations(parameters):
            if not item.live and new[item.name] != item.default:
                raise ParameterError(
                    item.name, new[item.name], "cannot change while the node is active"
                )
    return after


def flatten(tree: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    """Turn the nested mapping of a YAML file into flat names."""
    flat: dict[str, object] = {}
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            flat.update(flatten(value, f"{name}."))
        else:
            flat[name] = value
    return flat
