"""Every parameter, a legal other value for it, and those that may change while active."""

from vdsim_interface.parameters.fields import ParameterError, Parameters
from vdsim_interface.parameters.flat import Declaration, declarations, from_flat, to_flat
from vdsim_interface.pipeline.parameters import InterfaceParameters

NAMES_OF = {"safety.disabled_rules": "rate"}
"""Texts that are lists of names."""
NEEDS = {"safety.driver_override": {"safety.rig": "driverless"}}
"""Values of other parameters without which a parameter has no other value."""
LIVE = tuple(item.name for item in declarations(InterfaceParameters()) if item.live)


def _candidates(item: Declaration) -> list[object]:
    value = item.default
    if item.many:
        assert isinstance(value, tuple)
        return [tuple(0.7 * one for one in value)]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, str):
        choices = [choice for choice in item.allowed.choices if choice != value]
        return choices or [f"{value}x", NAMES_OF.get(item.name)]
    assert isinstance(value, int | float)
    if item.kind is int:
        return [value + 1, value - 1]
    low, high = item.allowed.at_least, item.allowed.at_most
    return [0.7 * value, 1.4 * value, *([] if value else [0.2 * (high or 1.0)]), low, high]


def other_value(parameters: Parameters, name: str) -> object:
    """Another allowed value, given the values of the other parameters and NEEDS."""
    [item] = [item for item in declarations(parameters) if item.name == name]
    for value in _candidates(item):
        if value is None or value == item.default:
            continue
        try:
            from_flat(type(parameters), {**to_flat(parameters), **NEEDS.get(name, {}), name: value})
        except ParameterError:
            continue
        return value
    raise AssertionError(f"no other value found for {name}={item.default}")
