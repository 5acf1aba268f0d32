"""The verbs of `ros2 param`, one a module."""
