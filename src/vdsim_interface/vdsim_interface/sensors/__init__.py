"""Sensors: what a platform declares, how its values become messages, what is counted. No ROS."""
