"""The events of ROS nodes."""

from . import lifecycle

__all__ = ["lifecycle"]
