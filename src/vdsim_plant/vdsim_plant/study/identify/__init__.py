"""Finds a car's parameters from logs of its driving."""
