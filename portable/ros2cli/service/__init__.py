"""The verbs of `ros2 service`, one a module."""
