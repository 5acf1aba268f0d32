"""What the node needs of the graph."""
