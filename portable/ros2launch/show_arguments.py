"""The arguments of a launch file, as text for its user."""

from __future__ import annotations

from launch.utilities import describe_substitutions

from launch import LaunchDescription


def arguments_as_text(description: LaunchDescription) -> str:
    """Return name, description and default of every argument that a caller may give."""
    lines = ["Arguments (pass arguments as '<name>:=<value>'):"]
    arguments = description.get_launch_arguments()
    for argument in arguments:
        lines += ["", f"    '{argument.name}':", f"        {argument.description}"]
        if argument.default_value is not None:
            lines.append(f"        (default: {describe_substitutions(argument.default_value)})")
    if not arguments:
        lines += ["", "  No arguments."]
    return "\n".join(lines)
