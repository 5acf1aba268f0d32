"""The verbs of `ros2 interface`, one a module."""
