"""Texts that are evaluated when the launch visits them."""

from .._upstream_names import refuse_names
from ..base import SubstitutionFailure, TextSubstitution
from .booleans import (
    AllSubstitution,
    AndSubstitution,
    AnySubstitution,
    EqualsSubstitution,
    IfElseSubstitution,
    NotEqualsSubstitution,
    NotSubstitution,
    OrSubstitution,
)
from .computed import Command, PathJoinSubstitution, PythonExpression
from .values import (
    AnonName,
    EnvironmentVariable,
    FileContent,
    FindExecutable,
    LaunchConfiguration,
    LaunchLogDir,
    LocalSubstitution,
    ThisLaunchFile,
    ThisLaunchFileDir,
)

__all__ = [
    "AllSubstitution",
    "AndSubstitution",
    "AnonName",
    "AnySubstitution",
    "Command",
    "EnvironmentVariable",
    "EqualsSubstitution",
    "FileContent",
    "FindExecutable",
    "IfElseSubstitution",
    "LaunchConfiguration",
    "LaunchLogDir",
    "LocalSubstitution",
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

__getattr__ = refuse_names(__name__, ("StringJoinSubstitution",), "launch")
