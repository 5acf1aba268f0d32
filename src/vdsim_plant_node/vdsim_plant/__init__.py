"""The plant: a car that can be stepped, free of clock, I/O and ROS."""
