"""The verbs of `ros2 topic`, one a module."""
