"""The shell of the AutoHYU bridge for ROS 1; nothing here needs ROS 2."""
