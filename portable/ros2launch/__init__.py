"""The command ``ros2 launch``: a stand-in for ROS 2's package ``ros2launch``."""
