"""Start ROS nodes from a launch: a stand-in for ROS 2's package ``launch_ros``.

It is for environments that have rclpy but not ROS 2's own launch_ros; see ../README.md.
"""

from launch._upstream_names import provide_paths, refuse_names

from . import actions, descriptions, event_handlers, events, parameter_descriptions, substitutions

__all__ = [
    "actions",
    "descriptions",
    "event_handlers",
    "events",
    "parameter_descriptions",
    "substitutions",
]

provide_paths(
    __name__,
    (
        (
            actions,
            "actions.",
            "push_ros_namespace set_parameter set_parameters_from_file set_remap",
        ),
        (substitutions, "substitutions.", "executable_in_package find_package"),
    ),
)

__getattr__ = refuse_names(
    __name__,
    ("remap_rule_type", "ros_adapters", "utilities"),
    "launch_ros",
)
