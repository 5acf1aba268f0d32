"""What the nodes of the stages share, and the container of components."""
