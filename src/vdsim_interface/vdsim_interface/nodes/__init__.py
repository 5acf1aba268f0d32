"""The ROS nodes: parameters -> core -> timers. Everything that decides anything is in the cores."""
