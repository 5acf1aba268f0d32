"""Interface and plant declare parameters alike, in two modules that do not import each other."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from vdsim_interface.parameters import fields as interface
from vdsim_plant.parameters import fields as plant

SHARED = ("real", "whole", "choice", "text")
BOUNDS = ("above", "at_least", "below", "at_most")


def positional(function: Callable[..., Any]) -> list[str]:
    kinds = inspect.signature(function).parameters.values()
    return [item.name for item in kinds if item.kind is item.POSITIONAL_OR_KEYWORD]


@pytest.mark.parametrize("name", SHARED)
def test_a_field_is_declared_in_the_same_order(name: str) -> None:
    assert positional(getattr(plant, name)) == positional(getattr(interface, name))


def test_bounds_have_the_same_names() -> None:
    allowed = {item.name for item in dataclasses.fields(interface.Allowed)}
    number = {item.name for item in dataclasses.fields(plant.Number)}
    assert allowed & set(BOUNDS) == number & set(BOUNDS) == set(BOUNDS)


def interface_refusal(value: object, declared: Any) -> str:
    with pytest.raises(interface.ParameterError) as caught:
        interface.check("group.key", value, declared.metadata["meaning"])
    return str(caught.value)


def plant_refusal(value: object, declared: Any) -> str:
    with pytest.raises(ValueError, match="must be") as caught:
        declared.metadata["parameter"].checked("group.key", value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "arguments", "bounds", "value"),
    [
        # With both bounds: a number that lacks one has that of its unit, in each package's way.
        ("real", (1.0, "a speed"), {"at_least": 0.1, "at_most": 5.0}, -3.5),
        ("real", (1.0, "a speed"), {"at_least": 0.0, "below": 5.0}, 5.0),
        ("real", (1.0, "a speed"), {"at_least": 0.1, "at_most": 5.0}, float("nan")),
        ("real", (1.0, "a speed"), {"at_least": -9.0, "at_most": 9.0}, float("inf")),
        ("real", (1.0, "a speed"), {"above": 0.0}, True),
        ("real", (1.0, "a speed"), {"above": 0.0}, None),
        ("whole", (2, "how many"), {"at_least": 2}, 1),
        ("whole", (2, "how many"), {"at_least": 2, "at_most": 9}, 10),
        ("whole", (2, "how many"), {"at_least": 2}, 2.5),
        ("whole", (2, "how many"), {"at_least": 2}, True),
    ],
)
def test_the_same_mistake_has_the_same_text(
    name: str, arguments: tuple[Any, ...], bounds: dict[str, Any], value: object
) -> None:
    theirs = interface_refusal(value, getattr(interface, name)(*arguments, **bounds))
    assert plant_refusal(value, getattr(plant, name)(*arguments, **bounds)) == theirs


def test_a_wrong_word_has_the_same_rule() -> None:
    """The plant quotes a text, because a file can hold one where a number belongs."""
    arguments = ("slow", "a mode", ("slow", "fast"))
    theirs = interface_refusal("brisk", interface.choice(*arguments))
    assert theirs == "group.key=brisk: must be one of slow, fast"
    ours = plant_refusal("brisk", plant.choice(*arguments))
    assert ours.replace("'", "") == theirs
