"""ROS topics in launch tests: a stand-in for ROS 2's package ``launch_testing_ros``."""

from launch._upstream_names import refuse_names

from .wait_for_topics import WaitForTopics

__all__ = ["WaitForTopics"]

__getattr__ = refuse_names(
    __name__, ("DataRepublisher", "LaunchTestRunner", "MessagePump", "tools"), "launch_testing_ros"
)
