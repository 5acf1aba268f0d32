"""Texts that are evaluated when the launch visits them."""

from .._upstream_names import refuse_names
from ..base import SubstitutionFailure, TextSubstitution
from .booleans import (
    AndSubstitution,
    EqualsSubstitution,
    IfElseSubstitution,
    NotEqualsSubstitution,
    NotSubstitution,
    OrSubstitution,
)
from .computed import Command, PathJoinSubstitution, PythonExpression
from .values import (
    EnvironmentVariable,
    FindExecutable,
    LaunchConfiguration,
    LaunchLogDir,
    ThisLaunchFile,
    ThisLaunchFileDir,
)

__all__ = [
    "AndSubstitution",
    "Command",
    "EnvironmentVariable",
    "EqualsSubstitution",
    "FindExecutable",
    "IfElseSubstitution",
    "LaunchConfiguration",
    "LaunchLogDir",
    "NotEqualsSubstitution",
    "NotSubstitution",
    "OrSubstitution",
    "PathJoinSubstitution",
    "PythonExpression",
    "SubstitutionFailure",
    "TextSubstitution",
    "ThisLaunchFile",
    "ThisLaunchFileDir",
]

__getattr__ = refuse_names(
    __name__,
    (
        "AllSubstitution",
        "AnonName",
        "AnySubstitution",
        "FileContent",
        "LocalSubstitution",
        "StringJoinSubstitution",
    ),
    "launch",
)
