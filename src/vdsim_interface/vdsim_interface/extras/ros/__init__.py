"""What the nodes of the extras share."""
