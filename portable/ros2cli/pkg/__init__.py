"""The verbs of `ros2 pkg`, one a module."""
