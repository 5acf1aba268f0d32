"""AutoHYU's simulators by mode: `vdsim` is autohyu.launch.py with the node vdsim_bridge.

ros2 launch vdsim_interface simulator.launch.py --show-args
"""

from vdsim_interface.ros.launching import fragment, launch_description

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity

AUTOHYU = fragment(__file__, "autohyu.launch.py")
ARGUMENTS = {
    "mode": ("vdsim", "the simulator; the others come with AutoHYU itself", ["vdsim"]),
    **AUTOHYU.ARGUMENTS,
}


def start(given: dict[str, str], context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Check the values; return the car and the bridge."""
    processes: list[LaunchDescriptionEntity] = AUTOHYU.start(given, context, "vdsim_bridge")
    return processes


def generate_launch_description() -> LaunchDescription:
    return launch_description(__file__, ARGUMENTS, start)
