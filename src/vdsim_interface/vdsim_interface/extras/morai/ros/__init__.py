"""MORAI's packets as ROS messages."""
