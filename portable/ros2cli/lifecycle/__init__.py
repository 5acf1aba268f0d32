"""The verbs of `ros2 lifecycle`, one a module."""
