"""The node with its entry point."""
