"""Texts that are worked out when the launch reaches them."""

from .._upstream_names import refuse_names
from .boolean_substitution import AndSubstitution, NotSubstitution, OrSubstitution
from .command import Command
from .environment_variable import EnvironmentVariable
from .equals_substitution import EqualsSubstitution, NotEqualsSubstitution
from .find_executable import FindExecutable
from .if_else_substitution import IfElseSubstitution
from .launch_configuration import LaunchConfiguration
from .launch_log_dir import LaunchLogDir
from .path_join_substitution import PathJoinSubstitution
from .python_expression import PythonExpression
from .substitution_failure import SubstitutionFailure
from .text_substitution import TextSubstitution
from .this_launch_file import ThisLaunchFile, ThisLaunchFileDir

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
