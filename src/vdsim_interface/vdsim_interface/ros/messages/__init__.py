"""ROS messages <-> plain values: the only place where the two meet."""
