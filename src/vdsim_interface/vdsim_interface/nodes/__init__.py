"""The ROS nodes: parameters -> core -> timers. All decisions are in the cores."""
