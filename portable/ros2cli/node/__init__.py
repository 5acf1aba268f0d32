"""The verbs of `ros2 node`, one a module."""
