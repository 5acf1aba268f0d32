"""The arguments of a launch file, as text for its user."""

from __future__ import annotations

from launch.launch_description_source import LaunchDescriptionSource
from launch.utilities.substitutions import describe_substitutions


def arguments_as_text(source: LaunchDescriptionSource) -> str:
    """Return name, description and default of every argument that a caller may give."""
    description = source.try_get_launch_description_without_context()
    lines = ["Arguments (pass arguments as '<name>:=<value>'):"]
    arguments = [] if description is None else description.get_launch_arguments()
    for argument in arguments:
        lines += ["", f"    '{argument.name}':", f"        {argument.description}"]
        if argument.default_value is not None:
            lines.append(f"        (default: {describe_substitutions(argument.default_value)})")
    if not arguments:
        lines += ["", "  No arguments."]
    return "\n".join(lines)
