"""Helpers that several test files of the vehicle interface share. Not installed."""
