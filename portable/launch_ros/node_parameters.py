"""The parameters of a node as arguments of its command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions

from launch import LaunchContext, Substitution

from .parameter_descriptions import (
    Parameter,
    ParameterFile,
    ParameterValue,
    evaluate_value,
    write_parameter_file,
)


def parameter_arguments(
    context: LaunchContext, descriptions: Iterable[Any], node: str
) -> list[str]:
    """Return ``--params-file`` and ``-p`` arguments; later ones override earlier ones.

    ``node`` is the full name for the files that are written here, or ``/**``.
    """
    arguments: list[str] = []
    for description in descriptions:
        if isinstance(description, Parameter):
            arguments += ["-p", rule(*description.evaluate(context))]
        elif isinstance(description, Mapping):
            values = flatten(context, description)
            if values:
                text = yaml.safe_dump({node: {"ros__parameters": values}})
                arguments += ["--params-file", str(write_parameter_file(text))]
        else:
            arguments += ["--params-file", str(_file(description).evaluate(context))]
    return arguments


def rule(name: str, value: Any) -> str:
    """Return ``name:=value`` with the value in YAML, on one line."""
    text = yaml.safe_dump(value, default_flow_style=True, width=float("inf"))
    return f"{name}:={text.removesuffix(chr(10)).removesuffix('...').rstrip()}"


def flatten(
    context: LaunchContext, parameters: Mapping[Any, Any], prefix: str = ""
) -> dict[str, Any]:
    """Return the parameters with dots in their names instead of nested mappings."""
    flat: dict[str, Any] = {}
    for key, value in parameters.items():
        name = prefix + perform_substitutions(context, normalize_to_list_of_substitutions(key))
        if isinstance(value, Mapping):
            flat.update(flatten(context, value, f"{name}."))
        else:
            flat[name] = _checked(context, name, value)
    return flat


def _checked(context: LaunchContext, name: str, value: Any) -> Any:
    try:
        found = evaluate_value(context, value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"parameter '{name}': {error}") from error
    if found == [] and not isinstance(value, ParameterValue):
        raise ValueError(f"parameter '{name}': an empty array has no type, which ROS needs")
    return found


def _file(description: Any) -> ParameterFile:
    if isinstance(description, ParameterFile):
        return description
    if isinstance(description, (str, Path, Substitution)) or (
        isinstance(description, Iterable)
        and all(isinstance(item, (str, Substitution)) for item in description)
    ):
        return ParameterFile(description)
    raise TypeError(
        f"parameters: {description!r} must be a mapping, the path of a YAML file, "
        "a ParameterFile or a Parameter"
    )
