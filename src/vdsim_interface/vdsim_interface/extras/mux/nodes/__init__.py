"""The node."""
