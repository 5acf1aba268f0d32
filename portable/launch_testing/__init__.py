"""Test running processes with a launch: a stand-in for ROS 2's package ``launch_testing``.

It is for environments that have rclpy but not ROS 2's own launch_testing; see ../README.md.
"""

from launch._upstream_names import provide_paths, refuse_names

from . import actions, asserts, event_handlers, handlers, markers, tools, util
from .handlers import ActiveIoHandler, ActiveProcInfoHandler, IoHandler, ProcInfoHandler
from .markers import parametrize, post_shutdown_test, ready_to_test_action_timeout

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

provide_paths(
    __name__,
    (
        (actions, "actions.", "ready"),
        (event_handlers, "event_handlers.", "stdout_ready_listener"),
        (handlers, "", "io_handler proc_info_handler"),
        (tools, "tools.", "process"),
        (util, "util.", "keep_alive_proc proc_lookup"),
    ),
)

__getattr__ = refuse_names(__name__, ("ReadyAggregator",), "launch_testing")
