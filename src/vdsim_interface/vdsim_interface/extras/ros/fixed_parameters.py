"""Parameters of nodes that read them at start only: every change is refused."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter
from vdsim_protocol.parameter_requests import plain

from vdsim_interface.arbitration.parameters import check_names, named_part
from vdsim_interface.parameters.fields import ParameterError, Parameters
from vdsim_interface.parameters.flat import declarations
from vdsim_interface.ros.parameters import check_overrides

P = TypeVar("P", bound=Parameters)
DECLARED_LATER = "qos_overrides."
"""Beginning of the names that rclpy declares with each topic: a declaration is a change, too."""


def declare_names(node: Node, parameter: str, default: list[str]) -> tuple[str, ...]:
    """Declare a list of names; each is the first part of further parameters and of topics."""
    descriptor = ParameterDescriptor(description="names", dynamic_typing=True)
    value = plain(node.declare_parameter(parameter, default, descriptor).value)
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ParameterError(parameter, value, "must be a list of names")
    check_names(parameter, tuple(value))
    return tuple(value)


def declare_part(node: Node, name: str, defaults: P) -> P:
    """Declare the parameters `<name>.<field>`; returns the checked object."""
    values: dict[str, object] = {}
    for item in declarations(defaults):
        descriptor = ParameterDescriptor(
            description=item.doc, additional_constraints=item.allowed.words(), dynamic_typing=True
        )
        parameter = node.declare_parameter(f"{name}.{item.name}", item.default, descriptor)
        values[item.name] = plain(parameter.value)
    return named_part(defaults, name, values)


def seal(
    node: Node,
    others: Collection[str] = (),
    live: Collection[str] = (),
    use: Callable[[Mapping[str, object]], None] | None = None,
) -> None:
    """Check for unknown overrides, refuse all later changes; call it when all is declared.

    `others`: groups of other nodes that share the overrides. `live`: the names that may change;
    `use` takes their new values, and raises ParameterError for one that is not allowed.
    """
    check_overrides(node, others)

    def decide(changes: list[Parameter]) -> SetParametersResult:
        names = [change.name for change in changes if not change.name.startswith(DECLARED_LATER)]
        fixed = [name for name in names if name not in live]
        if fixed:
            why = "cannot change while the node runs; start it with the value"
            return SetParametersResult(successful=False, reason=f"{', '.join(fixed)}: {why}")
        if names and use is not None:
            try:
                use({change.name: plain(change.value) for change in changes if change.name in live})
            except ParameterError as error:
                return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    node.add_on_set_parameters_callback(decide)
