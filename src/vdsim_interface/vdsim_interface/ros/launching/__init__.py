"""What the launch files share: checked arguments, parameter files, processes and their ends."""

from vdsim_interface.ros.launching.arguments import (
    SWITCH,
    config_file,
    fragment,
    launch_description,
    namespace_of,
    shipped,
    started_directly,
)
from vdsim_interface.ros.launching.checks import (
    a_file,
    a_folder,
    a_host,
    a_namespace,
    a_parameter_file,
    a_prefix,
    a_switch,
    like,
    number,
    optional,
    refuse_equal_ports,
    refuse_without_packages,
)
from vdsim_interface.ros.launching.guard import GUARDED, SHELL, vehicle_guard
from vdsim_interface.ros.launching.node_checks import check_interface, check_node, check_platform
from vdsim_interface.ros.launching.parameter_files import ParameterFile, value_in_files
from vdsim_interface.ros.launching.processes import ends_the_launch, may_end, node, restarted

__all__ = [
    "GUARDED",
    "SHELL",
    "SWITCH",
    "ParameterFile",
    "a_file",
    "a_folder",
    "a_host",
    "a_namespace",
    "a_parameter_file",
    "a_prefix",
    "a_switch",
    "check_interface",
    "check_node",
    "check_platform",
    "config_file",
    "ends_the_launch",
    "fragment",
    "launch_description",
    "like",
    "may_end",
    "namespace_of",
    "node",
    "number",
    "optional",
    "refuse_equal_ports",
    "refuse_without_packages",
    "restarted",
    "shipped",
    "started_directly",
    "value_in_files",
    "vehicle_guard",
]
