"""The `ros2` command for environments that have rclpy but not upstream's ros2cli."""
