"""Sets `use_actuation_command` for the launch files of Autoware since 0.51: does the model take it?

They start the converter of commands after it.
"""

from pathlib import Path

import yaml
from launch.actions import DeclareLaunchArgument, OpaqueFunction, SetLaunchConfiguration

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity


def decide(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """`true` for the models ACTUATION_CMD* of the parameter file."""
    path = context.launch_configurations["simulator_model_param_file"]
    content = yaml.safe_load(Path(path).read_text(encoding="utf-8")) if path else None
    sections = content.values() if isinstance(content, dict) else ()
    models = [section["ros__parameters"].get("vehicle_model_type", "") for section in sections]
    takes = any("ACTUATION_CMD" in str(model) for model in models)
    return [SetLaunchConfiguration("use_actuation_command", "true" if takes else "false")]


def generate_launch_description() -> LaunchDescription:
    """Set the configuration."""
    argument = DeclareLaunchArgument("simulator_model_param_file", default_value="")
    return LaunchDescription([argument, OpaqueFunction(function=decide)])
