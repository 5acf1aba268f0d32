"""`ros2 doctor`: what was found of ROS 2 here, and what is wrong with it."""
