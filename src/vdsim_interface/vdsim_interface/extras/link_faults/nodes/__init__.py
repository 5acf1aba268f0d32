"""The node of the service."""
