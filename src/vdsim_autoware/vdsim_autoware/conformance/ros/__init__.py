"""The drive on a ROS graph."""
