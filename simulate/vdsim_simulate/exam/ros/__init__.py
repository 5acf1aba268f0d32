"""What the interface of a simulated drive publishes, by the shipped publishers. No ROS runs."""
