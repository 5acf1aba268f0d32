"""Test running processes with a launch: a stand-in for ROS 2's package ``launch_testing``.

It is for environments that have rclpy but not ROS 2's own launch_testing; see ../README.md.
"""

from launch._upstream_names import refuse_names

from . import actions, asserts, event_handlers, markers, tools, util
from .active_io_handler import ActiveIoHandler
from .active_proc_info_handler import ActiveProcInfoHandler
from .decorators import parametrize, post_shutdown_test, ready_to_test_action_timeout
from .io_handler import IoHandler
from .proc_info_handler import ProcInfoHandler

__all__ = [
    "ActiveIoHandler",
    "ActiveProcInfoHandler",
    "IoHandler",
    "ProcInfoHandler",
    "actions",
    "asserts",
    "event_handlers",
    "markers",
    "parametrize",
    "post_shutdown_test",
    "ready_to_test_action_timeout",
    "tools",
    "util",
]

__getattr__ = refuse_names(__name__, ("ReadyAggregator",), "launch_testing")
