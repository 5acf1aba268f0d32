"""Helpers of the system tests and of every package's tests; not installed."""
