"""Checked parameter classes -> ROS parameters: declared with type, range and description."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
)
from rclpy.node import Node
from rclpy.parameter import Parameter
from vdsim_protocol.parameter_requests import plain

from vdsim_interface.parameters.fields import ParameterError, Parameters
from vdsim_interface.parameters.flat import Declaration, changed, declarations, from_flat, to_flat
from vdsim_interface.parameters.unknown import check_unknown

P = TypeVar("P", bound=Parameters)


def check_overrides(node: Node, others: Collection[str] = ()) -> None:
    """Warn of overrides that the node does not declare; within its own groups, raise.

    `others`: groups of other nodes that share the parameter file.
    """
    overrides = node._parameter_overrides  # rclpy has no public way to see them
    values = {name: plain(parameter.value) for name, parameter in overrides.items()}
    for warning in check_unknown(values, node._parameters, others):
        node.get_logger().warning(warning)


def descriptor(item: Declaration) -> ParameterDescriptor:
    """The description that `ros2 param describe` shows."""
    result = ParameterDescriptor(description=item.description, read_only=False)
    result.additional_constraints = item.allowed.words()
    if item.allowed.also:  # a number or a word
        result.dynamic_typing = True
        return result
    # A range is closed at both ends: the words say any other rule, and our own check applies it.
    low, high = item.allowed.at_least, item.allowed.at_most
    if item.many or low is None or high is None:
        return result
    if item.kind is float:
        # As floats: a bound may be written as an integer, which the message would not accept.
        result.floating_point_range = [
            FloatingPointRange(from_value=float(low), to_value=float(high))
        ]
    elif item.kind is int:
        result.integer_range = [IntegerRange(from_value=int(low), to_value=int(high), step=0)]
    return result


def declare(node: Node, defaults: P) -> P:
    """Declare every field, and return the object with the user's values.

    Raises ParameterError, with our own text, for a value of a wrong type or out of range.
    """
    values: dict[str, object] = {}
    for item in declarations(defaults):
        dynamic = ParameterDescriptor(description=item.doc, dynamic_typing=True)
        default = list(item.default) if item.many else item.default  # type: ignore[call-overload]
        values[item.name] = plain(node.declare_parameter(item.name, default, dynamic).value)
    made = from_flat(type(defaults), values)
    for item in declarations(made):
        # The checked value, in its own type: 3 for a number becomes 3.0.
        value = list(item.default) if item.many else item.default  # type: ignore[call-overload]
        node.undeclare_parameter(item.name)
        node.declare_parameter(item.name, value, descriptor(item), ignore_override=True)
    return made


def after_changes(
    current: P, changes: list[Parameter], *, active: bool, used: tuple[str, ...] = ("",)
) -> P:
    """The object after a change at run time; parameters of others are ignored.

    `used`: names, or beginnings of names, of which a change takes effect in an active node. Raises
    ParameterError for a change that is not allowed.
    """
    before = to_flat(current)
    values = {change.name: plain(change.value) for change in changes if change.name in before}
    after = changed(current, values, active=active)
    if active:
        for name, value in to_flat(after).items():
            if value != before[name] and not name.startswith(used):
                rule = "is not used by this node; set it on the stage that uses it"
                raise ParameterError(name, value, rule)
    return after
