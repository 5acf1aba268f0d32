"""What the nodes of driving by hand share."""
