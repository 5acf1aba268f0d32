"""What the nodes twist_adapter and ackermann_adapter share."""
