"""Runs from files: scenarios and recordings, read, checked and played."""
