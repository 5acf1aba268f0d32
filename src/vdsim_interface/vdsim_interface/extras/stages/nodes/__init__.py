"""The stages as nodes, and the container that holds them."""
