"""Processes of the operating system, as a launch needs them."""
