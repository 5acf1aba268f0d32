"""Shells that are no ROS nodes: command-line tools with a clock, files and devices."""
