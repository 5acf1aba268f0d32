"""The ROS node `plant`."""
