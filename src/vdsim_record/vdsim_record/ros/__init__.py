"""The recorder as a node of ROS 2."""
