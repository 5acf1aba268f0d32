"""The AutoHYU bridge's values as ROS messages."""
